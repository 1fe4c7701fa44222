// Every way out of the loop, as facts. People read them in words in the journal.
import type { CallFinished, EndCause } from '../contracts/entries.ts';

/** The run is over, paused, or continues at a later time. */
export type LoopEnd =
  | { readonly kind: 'asked' | 'finished' | 'answered' }
  | { readonly kind: 'paused' }
  | { readonly kind: 'limit' | 'failed'; readonly cause: EndCause }
  /** By people; `reason` is a sentence. */
  | { readonly kind: 'stopped'; readonly reason: string }
  | { readonly kind: 'deferred'; readonly cause: EndCause; readonly until: Date };

/** So often in a row the same call ends the run. */
export const MOST_REPEATS = 3;

/** How a call ended the run, if it did. */
export function endByCall({ halt, output, title }: CallFinished): LoopEnd | undefined {
  switch (halt) {
    case null:
      return undefined;
    case 'failed':
      return { kind: halt, cause: { because: 'error', message: output } };
    case 'repeated': {
      const call = title === undefined ? {} : { call: title };
      return { kind: 'failed', cause: { because: 'repeated_call', times: MOST_REPEATS, ...call } };
    }
    case 'asked':
    case 'finished':
      return { kind: halt };
    default:
      return halt satisfies never;
  }
}
