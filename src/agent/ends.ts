// Every end that the agent itself brings about, in words for people.
import type { CallFinished, RunEnd } from '../contracts/entries.ts';

/** Every way out of the loop: the run is over, paused, or continues at a later time. */
export type LoopEnd =
  | RunEnd
  | { readonly kind: 'paused' }
  | { readonly kind: 'deferred'; readonly reason: string; readonly until: Date };

export const FILTERED: RunEnd = {
  kind: 'failed',
  reason:
    'The safety filter of the model provider stopped the reply. Describe the task in other words, or choose another model.',
};

/** How a call ended the run, if it did. */
export function endByCall({ halt, output }: CallFinished): RunEnd | undefined {
  if (halt === null) return undefined;
  return halt === 'failed' ? { kind: halt, reason: output } : { kind: halt };
}

/** `title`: of the call; `undefined` if no tool could run it. */
export const repeatedCall = (times: number, title: string | undefined): string =>
  `The model made the same call ${times} times in a row (${title === undefined ? 'an invalid call' : `“${title}”`}), although it had the result. Describe the task in more detail, or choose another model.`;

export const unreadableReplies = (times: number): RunEnd => ({
  kind: 'failed',
  reason: `The model replied ${times} times in a row in a form that could not be read, although it was told what was wrong each time. Choose another model.`,
});

/** `limit`: "50 model replies for one run" */
export const limitReached = (limit: string): RunEnd => ({
  kind: 'limit',
  reason: `The limit of ${limit} was reached before the work was finished.`,
});
