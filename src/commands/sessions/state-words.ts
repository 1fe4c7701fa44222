import type { State } from '../../session/state.ts';

/** States as one word of a command line, in which brackets would have to be quoted. */
export const STATE_WORDS: ReadonlyMap<State, string> = new Map([
  ['ignored', 'ignored'],
  ['queued', 'queued'],
  ['working', 'working'],
  ['waiting(answer)', 'waiting-answer'],
  ['waiting(approval)', 'waiting-approval'],
  ['waiting(review)', 'waiting-review'],
  ['waiting(pause)', 'waiting-pause'],
  ['waiting(person)', 'waiting-person'],
  ['done', 'done'],
  ['failed', 'failed'],
  ['stopped', 'stopped'],
]);
