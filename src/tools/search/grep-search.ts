import { shownPath } from '../../lib/text/invisible.ts';
import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import {
  brief,
  count,
  DIRECTORY_SYNONYMS,
  directoryPath,
  lineNumber,
  untold,
  yesOrNo,
} from '../arguments.ts';
import type { FileMatches, GrepAnswer } from '../../contracts/files.ts';
import { unsearchedRemarks } from './search-codebase.ts';

const MAX_MATCHES = 200;
const MAX_BYTES = 40_000;
const MAX_CONTEXT = 10;

const schema = z.object({
  pattern: z.string().min(1).max(1000),
  path: directoryPath(),
  glob: z.string().max(500).optional(),
  ignore_case: yesOrNo(),
  context: z
    .preprocess(
      (value) => (typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : value),
      z.int().min(0).default(0),
    )
    .default(0)
    .describe(`Lines around, at most ${MAX_CONTEXT}`),
  limit: untold(lineNumber()),
});

export const grepSearch = defineTool({
  name: 'grep_search',
  aliases: ['grep'],
  description:
    'Searches files for lines that match a JavaScript regular expression. Ignored files are left out.',
  arguments: schema,
  argumentAliases: {
    ...DIRECTORY_SYNONYMS,
    query: 'pattern',
    regex: 'pattern',
    include: 'glob',
    file_pattern: 'glob',
    case_insensitive: 'ignore_case',
    '-i': 'ignore_case',
    '-C': 'context',
    context_lines: 'context',
    max_results: 'limit',
    head_limit: 'limit',
  },
  safety: 'safe',
  changesNothing: () => true,
  example: { pattern: 'class \\w+Error', path: 'src', glob: '*.ts' },
  rendering: { arguments: { pattern: 'code', path: 'path' }, output: 'code' },
  title: ({ pattern }) => titleOf(pattern),
  run: async (
    { pattern, path, glob, ignore_case: ignoreCase, context, limit = MAX_MATCHES },
    { search }: Needs<'search'>,
    { signal },
  ) => {
    const most = Math.min(limit, MAX_MATCHES);
    const around = Math.min(context, MAX_CONTEXT);
    const request = { pattern, path, glob, ignoreCase, context: around, maxMatches: most + 1 };
    const answer = await search.grep(request, signal);
    const remark = context > around ? `\n(${around} lines around a match at most)` : '';
    return { output: report(answer, around > 0, most) + remark };
  },
});

/** Signs of a regular expression that is no plain text, or several. */
const NO_TEXT = /[\\^$*+?()[\]{}]/;

/** People read what is looked for, unless only a program does. */
function titleOf(pattern: string): string {
  const texts = pattern.split('|');
  const isText = texts.every(
    (text) => text !== '' && !NO_TEXT.test(text.replaceAll(ESCAPED_SIGN, '')),
  );
  if (!isText) return 'Search the files';
  return `Search for ${brief(texts.join(' or ').replaceAll(ESCAPED_SIGN, '$1'))}`;
}

const ESCAPED_SIGN = /\\([^\w\s])/g;

function report(
  { found, ended, files, tooLarge, notText, outside }: GrepAnswer,
  hasContext: boolean,
  most: number,
): string {
  const { lines, shown, isCut } = showMatches(found, hasContext, most);
  if (isCut)
    lines.push(`(the first ${shown} matches; narrow the search by path, glob or a longer pattern)`);
  if (ended === 'too slow')
    lines.push(
      '(stopped: the search took too long; narrow it by path or glob, or simplify the pattern)',
    );
  const some = shown === 0 ? { tooLarge, notText, outside } : { tooLarge, outside };
  lines.push(...unsearchedRemarks(some));
  if (shown === 0 && ended === 'complete') lines.unshift(`No match in ${count(files, 'file')}.`);
  return lines.join('\n');
}

interface ShownMatches {
  readonly lines: string[];
  /** How many matches. */
  readonly shown: number;
  readonly isCut: boolean;
}

/** The path of each file, and below it `12: text` for a match, and `13- text` for a line around one. */
function showMatches(
  found: readonly FileMatches[],
  hasContext: boolean,
  most: number,
): ShownMatches {
  const lines: string[] = [];
  let shown = 0;
  let bytes = 0;
  for (const file of found) {
    const heading = [...(lines.length > 0 ? [''] : []), shownPath(file.path)];
    bytes += Buffer.byteLength(heading.join('\n')) + 1;
    let previous: number | undefined;
    for (const { number, text, matches } of file.lines) {
      const line = `${number}${matches ? ':' : '-'} ${text}`;
      bytes += Buffer.byteLength(line) + 1;
      if (bytes > MAX_BYTES || (matches && shown === most)) return { lines, shown, isCut: true };
      if (previous === undefined) lines.push(...heading);
      else if (hasContext && previous !== number - 1) lines.push('--');
      lines.push(line);
      shown += matches ? 1 : 0;
      previous = number;
    }
  }
  return { lines, shown, isCut: false };
}
