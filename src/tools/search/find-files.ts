import { shownPath } from '../../lib/text/invisible.ts';
import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { brief, DIRECTORY_SYNONYMS, directoryPath, lineNumber } from '../arguments.ts';
import { unsearchedRemarks } from './search-codebase.ts';

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 1000;
const MAX_BYTES = 40_000;

const schema = z.object({
  pattern: z.string().min(1).max(500).describe('A glob, such as *.test.ts or src/**/*.{ts,tsx}'),
  path: directoryPath().describe('A directory'),
  sort: z.enum(['path', 'newest']).default('path'),
  limit: lineNumber()
    .optional()
    .describe(`Most files to list; ${DEFAULT_LIMIT} by default, ${MAX_LIMIT} at most`),
});

export const findFiles = defineTool({
  name: 'find_files',
  aliases: ['glob'],
  description:
    'Lists the files that match a glob. A glob without "/" matches file names in every directory. Ignored files are left out.',
  arguments: schema,
  argumentAliases: { ...DIRECTORY_SYNONYMS, glob: 'pattern', max_results: 'limit' },
  safety: 'safe',
  changesNothing: () => true,
  example: { pattern: 'src/**/*.test.ts' },
  rendering: { arguments: { pattern: 'code', path: 'path' }, output: 'plain' },
  title: ({ pattern }) => `Find ${brief(pattern)}`,
  run: async (
    { pattern, path, sort, limit = DEFAULT_LIMIT },
    { search }: Needs<'search'>,
    { signal },
  ) => {
    const request = { glob: pattern, path, order: sort, limit: Math.min(limit, MAX_LIMIT) };
    const { paths, total, outside } = await search.find(request, signal);
    const found = total === 0 ? explainNone(pattern) : list(paths, total);
    return { output: [found, ...unsearchedRemarks({ outside })].join('\n') };
  },
});

function list(paths: readonly string[], total: number): string {
  const lines: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    bytes += Buffer.byteLength(path) + 1;
    if (bytes > MAX_BYTES) break;
    lines.push(shownPath(path));
  }
  if (lines.length < total)
    lines.push(
      `(the first ${lines.length} of ${total} files; narrow the search by pattern or path)`,
    );
  return lines.join('\n');
}

function explainNone(pattern: string): string {
  const hints: string[] = [];
  if (pattern.includes('/') && !pattern.includes('**'))
    hints.push(
      'A pattern with "/" is matched from the repository root. Begin it with "**/" to match in any directory.',
    );
  if (pattern.includes('['))
    hints.push('"[" begins a character class: write "\\[" for a literal one.');
  return [`No file matches ${JSON.stringify(pattern)}.`, ...hints].join(' ');
}
