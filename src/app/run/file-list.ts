import type { Files } from '../../contracts/files.ts';
import { shownPath } from '../../lib/text/invisible.ts';

/** Of files and directories, so that little is read of a large repository. */
const MOST_ENTRIES = 80;
const MOST_CHARACTERS = 1_500;

/**
 * The files of a small repository, a line for each directory: a model reads at once what it would look for first.
 * Empty if there are more.
 */
export async function listFiles(files: Pick<Files, 'list'>): Promise<string> {
  const lines: string[] = [];
  const left = ['.'];
  let entries = 0;
  for (let directory = left.shift(); directory !== undefined; directory = left.shift()) {
    const found = (await files.list(directory)).filter(({ isIgnored }) => !isIgnored);
    entries += found.length;
    if (entries > MOST_ENTRIES || found.some(({ isOutside }) => isOutside === true)) return '';
    const { directory: below = [], ...others } = Object.groupBy(found, ({ kind }) => kind);
    for (const { name } of below) left.push(directory === '.' ? name : `${directory}/${name}`);
    const names = Object.values(others).flatMap((some) => some.map(({ name }) => shownPath(name)));
    if (names.length > 0) lines.push(`    ${shownPath(directory)}/: ${names.join(', ')}`);
  }
  const text = lines.join('\n');
  return text.length > MOST_CHARACTERS ? '' : text;
}
