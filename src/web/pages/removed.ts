import { html, type Html } from '../../lib/html.ts';
import type { EntryOf } from '../../session/entries/entry.ts';
import { folded, longCode } from './text.ts';

/**
 * Words of texts that people wrote which the model does not read, because nobody sees them on GitHub;
 * nothing if there are none.
 */
export function removedFrom(key: string, admitted: EntryOf<'admitted'> | undefined): Html | string {
  if (admitted === undefined) return '';
  const { shown, issue, earlier = [], lineComments } = admitted;
  const removed = [issue, shown, ...earlier, ...lineComments].flatMap((text) => text?.hidden ?? []);
  if (removed.length === 0) return '';
  return folded(key, 'Hidden on GitHub, and not shown to the model', list(key, removed));
}

const list = (key: string, removed: readonly string[]): Html =>
  html`<ul>
    ${removed.map((words, at) => html`<li>${longCode(`${key}-${at}`, words)}</li>`)}
  </ul>`;
