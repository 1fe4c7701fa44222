import { html, type Html } from '../../lib/html.ts';

/** The states in a list; a session's own page says more. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['ignored', 'Not started'],
  ['queued', 'Queued'],
  ['working', 'Working'],
  ['waiting(answer)', 'Waiting for an answer'],
  ['waiting(approval)', 'Waiting for approval'],
  ['waiting(review)', 'Ready for review'],
  ['waiting(pause)', 'Paused'],
  ['waiting(person)', 'Waiting for a person'],
  ['done', 'Done'],
  ['failed', 'Failed'],
  ['stopped', 'Stopped'],
]);

export function stateBadge(state: string, words = WORDS.get(state) ?? state): Html {
  const tone = (state.match(/\w+/g) ?? []).join(' ');
  return html`<span class="badge ${tone}">${words}</span>`;
}
