import type { DirectoryEntry, Files } from '../../contracts/files.ts';
import { TellModel, unless } from '../../lib/errors.ts';
import { shownPath } from '../../lib/text/invisible.ts';
import type { Secrets } from '../../tools/define-tool.ts';
import { numberedText } from '../../tools/files/read-file.ts';

/** Of files and directories, so that little is read of a large repository. */
const MOST_ENTRIES = 80;
const MOST_CHARACTERS = 1_500;
/** Of all files together, in bytes: to send them costs less than the request that reads them. */
const MOST_BYTES = 4_000;

interface ListedFile {
  readonly path: string;
  readonly size: number;
}

/**
 * The files of a small repository, a line for each directory, and what they contain if that is little: a model reads at
 * once what it would look for first. Empty if there are more files. Each line is indented.
 */
export async function listSmallRepository(
  files: Pick<Files, 'list' | 'read'>,
  secrets: Secrets,
): Promise<string> {
  const lines: string[] = [];
  const listed: ListedFile[] = [];
  const left = ['.'];
  let entries = 0;
  for (let directory = left.shift(); directory !== undefined; directory = left.shift()) {
    const found = (await files.list(directory)).filter(({ isIgnored }) => !isIgnored);
    entries += found.length;
    if (entries > MOST_ENTRIES || found.some(({ isOutside }) => isOutside === true)) return '';
    const { directory: below = [], ...others } = Object.groupBy(found, ({ kind }) => kind);
    for (const { name } of below) left.push(pathIn(directory, name));
    const rest = Object.values(others).flat();
    listed.push(...rest.map((entry) => fileIn(directory, entry)));
    const names = rest.map(({ name }) => shownPath(name));
    if (names.length > 0) lines.push(`    ${shownPath(directory)}/: ${names.join(', ')}`);
  }
  const text = lines.join('\n');
  if (text.length > MOST_CHARACTERS) return '';
  return [text, ...(await contentsOf(listed, files, secrets))].join('\n');
}

const pathIn = (directory: string, name: string): string =>
  directory === '.' ? name : `${directory}/${name}`;

/** A link or anything else that is no file counts as too large to be read. */
const fileIn = (directory: string, { name, kind, size }: DirectoryEntry): ListedFile => ({
  path: pathIn(directory, name),
  size: kind === 'file' ? size : Infinity,
});

/** All of them, or none: who sees a part reads the rest in the same request as before. */
async function contentsOf(
  listed: readonly ListedFile[],
  files: Pick<Files, 'read'>,
  secrets: Secrets,
): Promise<readonly string[]> {
  if (listed.reduce((sum, { size }) => sum + size, 0) > MOST_BYTES) return [];
  const shown: string[] = [];
  for (const { path } of listed) {
    const content = await unless(TellModel, numberedText(files, path));
    if (content === undefined) return [];
    const { text } = await secrets.hide(content);
    shown.push(`    ${shownPath(path)}, whole:`, ...text.split('\n').map((line) => `    ${line}`));
  }
  return shown;
}
