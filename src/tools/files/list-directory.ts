import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import {
  brief,
  DIRECTORY_SYNONYMS,
  firstNumber,
  lineNumber,
  directoryPath,
  untold,
} from '../arguments.ts';
import type { DirectoryEntry } from '../../contracts/files.ts';
import { quoted, shownPath } from '../../lib/text/invisible.ts';

const MAX_ENTRIES = 500;

const schema = z.object({
  path: directoryPath(),
  start: untold(firstNumber()),
  limit: untold(lineNumber()),
});

export const listDirectory = defineTool({
  name: 'list_directory',
  aliases: ['list_files'],
  description: 'Lists a directory, with the sizes of files.',
  arguments: schema,
  argumentAliases: { ...DIRECTORY_SYNONYMS, offset: 'start' },
  safety: 'safe',
  changesNothing: () => true,
  reach: 'workspace',
  example: { path: 'src' },
  rendering: { arguments: { path: 'path' }, output: 'plain' },
  title: ({ path }) => `List ${path === '.' || path === '' ? 'the root' : brief(path)}`,
  run: async ({ path, start = 1, limit = MAX_ENTRIES }, { files }: Needs<'files'>) => {
    const entries = await files.list(path);
    const shown = entries.filter(({ isIgnored }) => !isIgnored);
    if (shown.length > 0 && start > shown.length)
      throw new TellModel(`${quoted(path)} has only ${shown.length} entries.`);
    return {
      output: describe(shown, start, Math.min(limit, MAX_ENTRIES), entries.length - shown.length),
    };
  },
});

function describe(
  entries: readonly DirectoryEntry[],
  start: number,
  limit: number,
  ignored: number,
): string {
  const end = Math.min(start - 1 + limit, entries.length);
  const lines = entries.slice(start - 1, end).map(lineOf);
  if (lines.length === 0) lines.push('The directory is empty.');
  if (end < entries.length)
    lines.push(`(entries ${start} to ${end} of ${entries.length}; continue with start ${end + 1})`);
  if (entries.some(({ isOutside }) => isOutside === true)) lines.push(OUTSIDE);
  if (ignored > 0) lines.push(`(left out: ${ignored} that .gitignore ignores)`);
  return lines.join('\n');
}

const OUTSIDE =
  '(outside: not in the workspace, which has a part of the repository; it can be listed and read, not changed or searched)';

function lineOf({ name, kind, size, isOutside = false }: DirectoryEntry): string {
  const shown = shownPath(name);
  if (isOutside) return `${shown}${kind === 'directory' ? '/' : ''} (outside)`;
  if (kind === 'directory') return `${shown}/`;
  return kind === 'file' ? `${shown} (${size} bytes)` : `${shown} (${kind})`;
}
