import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import { brief, count, lineNumber, listOf, repositoryPath } from '../arguments.ts';
import { unsearchedRemarks } from './search-codebase.ts';
import type { Passage } from '../../contracts/files.ts';
import { cutLine, decodeText, numbered, splitLines } from '../files/text-file.ts';
import { quoted, shownPath } from '../../lib/text/invisible.ts';

const MAX_PATHS = 50;
const MAX_RANKED = 8;
const MAX_PASSAGES = 4;
const PASSAGE_LINES = 50;
const DEFAULT_BYTES = 40_000;
const MIN_BYTES = 2000;
const MAX_BYTES = 120_000;
const MAX_FILE_BYTES = 4 * 1024 * 1024;

const schema = z.object({
  paths: listOf(repositoryPath(), MAX_PATHS).optional().describe('The files to read'),
  query: z
    .string()
    .trim()
    .min(1)
    .max(1000)
    .optional()
    .describe('A question that the files, or the parts to show, are relevant to'),
  max_bytes: lineNumber()
    .optional()
    .describe(`Most bytes to return in total; ${DEFAULT_BYTES} by default, ${MAX_BYTES} at most`),
});

export const retrieveContextFiles = defineTool({
  name: 'retrieve_context_files',
  aliases: ['read_files'],
  description:
    'Reads several files at once: those in paths, or the files relevant to a query. Files that do not fit are reduced to their most relevant parts.',
  arguments: schema,
  argumentAliases: { files: 'paths', file_paths: 'paths', question: 'query' },
  safety: 'safe',
  changesNothing: () => true,
  example: { paths: ['src/main.ts', 'src/config.ts'] },
  rendering: { arguments: { paths: 'path', query: 'plain' }, output: 'code' },
  title: ({ paths, query }) =>
    query === undefined
      ? `Read ${count(paths?.length ?? 0, 'file')}`
      : `Read files relevant to: ${brief(query)}`,
  run: async (
    { paths, query, max_bytes: bytes = DEFAULT_BYTES },
    ports: Needs<'files' | 'search'>,
    { signal },
  ) => {
    if (paths === undefined && query === undefined)
      throw new TellModel('Give the paths of the files, or a query.');
    const { files, failures, remarks } = await gather(ports, paths, query, signal);
    if (files.length === 0) {
      const nothing = `No file contains any word of ${JSON.stringify(brief(query ?? ''))}: try other words, or give paths.`;
      throw new TellModel(failures.join('\n') || [nothing, ...remarks].join('\n'));
    }
    const rooms = shareOut(files, Math.max(MIN_BYTES, Math.min(bytes, MAX_BYTES)));
    const shown = files.map((file, index) => showFile(file, rooms[index] ?? 0));
    return { output: [...shown, ...failures, ...remarks].join('\n\n') };
  },
});

interface GatheredFiles {
  readonly files: readonly ContextFile[];
  /** Messages about the files that cannot be read. */
  readonly failures: readonly string[];
  /** What the query did not search. */
  readonly remarks: readonly string[];
}

async function gather(
  { files, search }: Needs<'files' | 'search'>,
  paths: readonly string[] | undefined,
  query: string | undefined,
  signal: AbortSignal,
): Promise<GatheredFiles> {
  const read = async (path: string): Promise<ContextFile | string> => {
    try {
      const text = decodeText(await files.read(path, MAX_FILE_BYTES));
      if (text === undefined) return `${quoted(path)} is not text in UTF-8.`;
      return { path, lines: splitLines(text.replace(/^\ufeff/, '')), passages: [] };
    } catch (error) {
      if (error instanceof TellModel) return error.message;
      throw error;
    }
  };
  const named = await Promise.all([...new Set(paths ?? [])].map(read));
  const known = named.filter((file) => typeof file !== 'string');
  const failures = named.filter((file) => typeof file === 'string');
  if (query === undefined || (paths !== undefined && known.length === 0))
    return { files: known, failures, remarks: [] };
  const question = {
    text: query,
    paths: paths === undefined ? ['.'] : known.map(({ path }) => path),
    maxFiles: paths === undefined ? MAX_RANKED : MAX_PATHS,
    maxPassages: MAX_PASSAGES,
    span: PASSAGE_LINES,
  };
  const { files: ranked, tooLarge, outside } = await search.rank(question, signal);
  const found =
    paths === undefined ? await Promise.all(ranked.map(({ path }) => read(path))) : known;
  const passages = new Map<string, readonly Passage[]>(
    ranked.map((file) => [file.path, file.passages]),
  );
  return {
    files: found
      .filter((file) => typeof file !== 'string')
      .map((file) => ({ ...file, passages: passages.get(file.path) ?? [] })),
    failures,
    remarks: paths === undefined ? unsearchedRemarks({ tooLarge, outside }) : [],
  };
}

interface ContextFile {
  readonly path: string;
  readonly lines: readonly string[];
  /** The relevant passages, best first; if empty, the beginning of the file is shown. */
  readonly passages: readonly Passage[];
}

/** Bytes for a line's number, tab and line end. */
const AROUND_LINE = 8;
/** Bytes for the heading of a file. */
const HEADING = 200;

const sizeOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + Buffer.byteLength(cutLine(line)) + AROUND_LINE, HEADING);

/** The bytes for each file: what it needs if that is less than an equal share; the rest goes to others. */
function shareOut(files: readonly ContextFile[], bytes: number): number[] {
  const sizes = files.map(({ lines }) => sizeOf(lines));
  const rooms = sizes.map(() => 0);
  let left = bytes;
  let waiting = files.length;
  for (const [index, size] of [...sizes.entries()].toSorted((one, other) => one[1] - other[1])) {
    const room = Math.min(size, Math.floor(left / waiting));
    rooms[index] = room;
    left -= room;
    waiting -= 1;
  }
  return rooms;
}

/** The whole file if there is room, otherwise its relevant parts, with path and line numbers. */
function showFile({ path, lines, passages }: ContextFile, room: number): string {
  if (sizeOf(lines) <= room)
    return `${shownPath(path)} (whole, ${count(lines.length, 'line')})\n${numbered(lines, 1)}`;
  const wanted = passages.length > 0 ? passages : [{ start: 1, lines }];
  const shown = fit(wanted, room);
  const places = shown.map(({ start, lines: part }) => `${start} to ${start + part.length - 1}`);
  const texts = shown.map(({ start, lines: part }) => numbered(part, start));
  const heading = `${shownPath(path)} (lines ${places.join(', ')} of ${lines.length}; the rest is left out)`;
  return [heading, ...texts].join('\n');
}

/** As many passages as fit, the last one cut, in the order of the file. */
function fit(passages: readonly Passage[], room: number): Passage[] {
  const shown: Passage[] = [];
  let left = room - HEADING;
  for (const { start, lines } of passages) {
    const part: string[] = [];
    for (const line of lines) {
      left -= Buffer.byteLength(cutLine(line)) + AROUND_LINE;
      if (left < 0) break;
      part.push(line);
    }
    if (part.length > 0) shown.push({ start, lines: part });
    if (left < 0) break;
  }
  return shown.toSorted((one, other) => one.start - other.start);
}
