import { shownPath } from '../../lib/text/invisible.ts';
import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { brief, count } from '../arguments.ts';
import type { FileMatches, GrepAnswer } from '../../contracts/search.ts';
import { outsideRemark } from './outside-remark.ts';

const MAX_MATCHES = 200;
const MAX_BYTES = 40_000;
const MAX_CONTEXT = 10;
const MAX_NAMED = 5;

const schema = z.object({
  pattern: z.string().min(1).max(1000).describe('A JavaScript regular expression'),
  path: z.string().default('.').describe('A directory or file'),
  glob: z.string().max(500).optional().describe('Only these files, such as *.{ts,tsx}'),
  ignore_case: z.boolean().default(false),
  context: z
    .int()
    .min(0)
    .max(MAX_CONTEXT)
    .default(0)
    .describe(`Lines around a match, ${MAX_CONTEXT} at most`),
});

export const grepSearch = defineTool({
  name: 'grep_search',
  aliases: ['grep'],
  description: `Searches text files for lines that match a regular expression; up to ${MAX_MATCHES} lines. Ignored files are left out.`,
  arguments: schema,
  argumentAliases: { query: 'pattern', regex: 'pattern', include: 'glob' },
  safety: 'safe',
  changesNothing: () => true,
  example: { pattern: 'class \\w+Error', path: 'src', glob: '*.ts' },
  rendering: { arguments: { pattern: 'code', path: 'path' }, output: 'code' },
  title: ({ pattern }) => `Search for ${brief(pattern)}`,
  run: async (
    { pattern, path, glob, ignore_case: ignoreCase, context },
    { search }: Needs<'search'>,
    { signal },
  ) => {
    const request = { pattern, path, glob, ignoreCase, context, maxMatches: MAX_MATCHES + 1 };
    const answer = await search.grep(request, signal);
    return { output: report(answer, context > 0) };
  },
});

function report(
  { found, ended, files, tooLarge, outside }: GrepAnswer,
  hasContext: boolean,
): string {
  const { lines, shown, isCut } = showMatches(found, hasContext);
  if (isCut)
    lines.push(`(the first ${shown} matches; narrow the search by path, glob or a longer pattern)`);
  if (ended === 'too slow')
    lines.push(
      '(stopped: the search took too long; narrow it by path or glob, or simplify the pattern)',
    );
  if (tooLarge.length > 0) lines.push(`(too large to search: ${namesOf(tooLarge)})`);
  lines.push(...outsideRemark(outside));
  if (shown === 0 && ended === 'complete') lines.unshift(`No match in ${count(files, 'file')}.`);
  return lines.join('\n');
}

interface Shown {
  readonly lines: string[];
  /** How many matches. */
  readonly shown: number;
  readonly isCut: boolean;
}

/** As grep writes them: `path:12: text`, and `path-13- text` for the lines around a match. */
function showMatches(found: readonly FileMatches[], hasContext: boolean): Shown {
  const lines: string[] = [];
  let shown = 0;
  let bytes = 0;
  for (const file of found) {
    let previous: number | undefined;
    for (const { number, text, matches } of file.lines) {
      const sign = matches ? ':' : '-';
      const line = `${shownPath(file.path)}${sign}${number}${sign} ${text}`;
      bytes += Buffer.byteLength(line) + 1;
      if (bytes > MAX_BYTES || (matches && shown === MAX_MATCHES))
        return { lines, shown, isCut: true };
      if (hasContext && lines.length > 0 && previous !== number - 1) lines.push('--');
      lines.push(line);
      shown += matches ? 1 : 0;
      previous = number;
    }
  }
  return { lines, shown, isCut: false };
}

function namesOf(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return paths.slice(0, MAX_NAMED).map(shownPath).join(', ') + more;
}
