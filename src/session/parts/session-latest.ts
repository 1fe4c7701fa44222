import type { Moment } from '../moment.ts';

/** What people decided last of each thing, whether or not there was something to do for it. */
export interface Latest {
  /** `reason`: a sentence. */
  readonly stop: { readonly when: Moment; readonly reason: string } | undefined;
  /** When people asked for work, or answered: the newest of these, oldest first. */
  readonly goes: readonly Moment[];
  /** `by`: a login. */
  readonly pause: { readonly when: Moment; readonly by: string } | undefined;
  /** A pause from before counts no more. */
  readonly resume: { readonly when: Moment } | undefined;
}
