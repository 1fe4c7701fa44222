import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import { brief, count, lineNumber, listOf, repositoryPath } from '../arguments.ts';
import { shareOut, showFile, type ContextFile } from './context-budget.ts';
import { unsearchedRemarks } from './unsearched.ts';
import type { Passage } from '../../contracts/search.ts';
import { decodeText, splitLines } from '../files/text-file.ts';
import { quoted } from '../../lib/text/invisible.ts';

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
    if (files.length === 0)
      throw new TellModel(failures.join('\n') || [nothing(query), ...remarks].join('\n'));
    const rooms = shareOut(files, Math.max(MIN_BYTES, Math.min(bytes, MAX_BYTES)));
    const shown = files.map((file, index) => showFile(file, rooms[index] ?? 0));
    return { output: [...shown, ...failures, ...remarks].join('\n\n') };
  },
});

const nothing = (query = ''): string =>
  `No file contains any word of ${JSON.stringify(brief(query))}: try other words, or give paths.`;

interface Gathered {
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
): Promise<Gathered> {
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
