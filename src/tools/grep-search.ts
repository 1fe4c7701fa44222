import { setImmediate as nextTurn } from 'node:timers/promises';
import { RE2JS } from 're2js';
import { z } from 'zod';
import type { CallContext, Tool } from '../agent/tool.ts';
import { messageOf, TellModel } from '../lib/errors.ts';
import { compileGlob } from '../lib/glob.ts';
import { inTime, TookTooLong } from '../lib/time-limit.ts';
import type { Effect } from '../session/entry.ts';
import { brief, count } from './arguments.ts';
import type { Files, Ports } from './ports.ts';
import { decodeText, splitLines } from './text-file.ts';

const MAX_MATCHES = 200;
const MAX_LINE_CHARACTERS = 300;
const MAX_SEARCH_MS = 10_000;
const MAX_BUSY_MS = 10;
const MAX_FILE_MS = 500;

const schema = z.object({
  pattern: z
    .string()
    .min(1)
    .max(1000)
    .describe('A regular expression, RE2 syntax; matched in each line'),
  path: z.string().default('.').describe('The directory or file to search in'),
  glob: z
    .string()
    .max(500)
    .optional()
    .describe('Only these files, like "*.ts" or "src/**/*.{ts,tsx}"'),
  ignore_case: z.boolean().default(false),
});
type Arguments = z.infer<typeof schema>;

export const grepSearch = ({ files }: Ports): Tool<Effect, typeof schema> => ({
  name: 'grep_search',
  aliases: [],
  description:
    'Searches the lines of all text files for a regular expression; ignored files are left out.',
  arguments: schema,
  argumentAliases: { query: 'pattern', regex: 'pattern', include: 'glob' },
  safety: 'safe',
  title: ({ pattern }) => `Search for ${brief(pattern)}`,
  run: async (args, context) => {
    const isMatch = compilePattern(args);
    const isWanted = compileFilter(args.glob);
    const paths = (await files.find(args.path)).filter(isWanted);
    return { output: report(await search(files, paths, isMatch, context), paths.length) };
  },
});

function compilePattern({
  pattern,
  ignore_case: ignoreCase,
}: Arguments): (line: string) => boolean {
  try {
    const expression = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return (line) => expression.matcher(line).find();
  } catch (error) {
    throw new TellModel(
      `The pattern is no regular expression in RE2 syntax: ${messageOf(error)}. ` +
        'Escape special characters with "\\"; there are no look-arounds and no back-references.',
    );
  }
}

/** A glob without a slash is about the name of the file, as in .gitignore. */
function compileFilter(glob: string | undefined): (path: string) => boolean {
  if (glob === undefined || glob === '') return () => true;
  try {
    const globs = expandBraces(glob.replace(/^\.?\//, '')).map((each) =>
      compileGlob(each.includes('/') ? each : `**/${each}`),
    );
    return (path) => globs.some((matches) => matches(path));
  } catch (error) {
    throw new TellModel(`The glob is not valid: ${messageOf(error)}.`);
  }
}

/** `a.{ts,tsx}` as `a.ts` and `a.tsx`: the first braces only, which is how they are used. */
function expandBraces(glob: string): string[] {
  const [whole, before = '', choices = '', after = ''] =
    /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(glob) ?? [];
  if (whole === undefined) return [glob];
  return choices.split(',').map((choice) => before + choice + after);
}

interface Found {
  readonly matches: readonly string[];
  readonly ended: 'complete' | 'too many' | 'too slow';
}

async function search(
  files: Files,
  paths: readonly string[],
  isMatch: (line: string) => boolean,
  { signal }: CallContext,
): Promise<Found> {
  const matches: string[] = [];
  const startedAt = performance.now();
  let busySince = startedAt;
  for (const path of paths) {
    const lines = splitLines(await textOf(files, path));
    const found = matchesIn(lines, isMatch);
    if (found === undefined) return { matches, ended: 'too slow' };
    for (const index of found.slice(0, MAX_MATCHES + 1))
      matches.push(`${path}:${index + 1}: ${cutLine(lines[index] ?? '')}`);
    if (matches.length > MAX_MATCHES) return { matches, ended: 'too many' };
    if (performance.now() - busySince < MAX_BUSY_MS) continue;
    await nextTurn();
    signal.throwIfAborted();
    busySince = performance.now();
    if (busySince - startedAt > MAX_SEARCH_MS) return { matches, ended: 'too slow' };
  }
  return { matches, ended: 'complete' };
}

/** The matching lines by their index; undefined where the engine takes too long on this file. */
function matchesIn(
  lines: readonly string[],
  isMatch: (line: string) => boolean,
): number[] | undefined {
  try {
    return inTime(MAX_FILE_MS, () => [...lines.keys()].filter((at) => isMatch(lines[at] ?? '')));
  } catch (error) {
    if (error instanceof TookTooLong) return undefined;
    throw error;
  }
}

/** Empty for what cannot be searched: binary, too large, or gone in the meantime. */
async function textOf(files: Files, path: string): Promise<string> {
  try {
    return decodeText(await files.read(path)) ?? '';
  } catch (error) {
    if (error instanceof TellModel) return '';
    throw error;
  }
}

function report({ matches, ended }: Found, searched: number): string {
  const shown = matches.slice(0, MAX_MATCHES);
  if (ended === 'too many')
    shown.push(`(the first ${MAX_MATCHES} matches; narrow the search by path, glob or pattern)`);
  if (ended === 'too slow')
    shown.push(
      '(stopped: it took too long; narrow the search by path or glob, or make the pattern simpler)',
    );
  if (shown.length > 0) return shown.join('\n');
  return `No match in ${count(searched, 'file')}.`;
}

const cutLine = (line: string): string =>
  line.length > MAX_LINE_CHARACTERS
    ? `${line.slice(0, MAX_LINE_CHARACTERS).toWellFormed()}…`
    : line;
