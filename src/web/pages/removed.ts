import { html, type Html } from '../../lib/html.ts';
import { hiddenIn, hiddenInPlain, type Removal } from '../../lib/visible.ts';
import { folded, longCode } from './text.ts';

/**
 * What the model is not shown of texts that people wrote, as they would not see it themselves; nothing
 * where it reads all of them. Computed from the texts as they came.
 */
export function removedFrom(
  key: string,
  { titles, bodies }: { readonly titles: readonly string[]; readonly bodies: readonly string[] },
): Html | string {
  const removed = [...titles.flatMap(hiddenInPlain), ...bodies.flatMap(hiddenIn)];
  if (removed.length === 0) return '';
  const count = removed.reduce((sum, { count: some }) => sum + some, 0);
  return folded(key, `Removed from what the model reads: ${count}`, list(key, removed));
}

const list = (key: string, removed: readonly Removal[]): Html =>
  html`<ul>
    ${removed.map(
      ({ kind, count, excerpt }, at) =>
        html`<li>
          ${kind}, ${count} ${count === 1 ? 'time' : 'times'}${longCode(`${key}-${at}`, excerpt)}
        </li>`,
    )}
  </ul>`;
