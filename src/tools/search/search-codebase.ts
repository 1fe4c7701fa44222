import { shownPath } from '../../lib/text/invisible.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import {
  brief,
  count,
  DIRECTORY_SYNONYMS,
  directoryPath,
  lineNumber,
  untold,
} from '../arguments.ts';
import { numbered } from '../files/text-file.ts';
import type { CodeAnswer, FoundFile, Neighbours } from '../../contracts/files.ts';

const MAX_FILES = 8;
const MAX_PASSAGES = 1;
const PASSAGE_LINES = 10;
const MAX_LINE = 120;
const MAX_BYTES = 6000;

const schema = z.object({
  query: z.string().trim().min(1).max(1000),
  path: directoryPath(),
  glob: z.string().max(500).optional(),
  limit: untold(lineNumber()),
});

export const searchCodebase = defineTool({
  name: 'search_codebase',
  aliases: ['codebase_search'],
  description: `Finds up to ${MAX_FILES} files relevant to a question or to symbols, best first: lines, definitions, callers, tests.`,
  arguments: schema,
  argumentAliases: { ...DIRECTORY_SYNONYMS, question: 'query', pattern: 'query' },
  safety: 'safe',
  changesNothing: () => true,
  example: { query: 'Where is the body of a request limited?' },
  rendering: { arguments: { query: 'plain', path: 'path' }, output: 'code' },
  title: ({ query }) => `Search the code: ${brief(query)}`,
  run: async (
    { query, path, glob, limit = MAX_FILES },
    { search }: Needs<'search'>,
    { signal },
  ) => {
    const question = {
      text: query,
      paths: [path],
      glob,
      maxFiles: Math.min(limit, MAX_FILES),
      maxPassages: MAX_PASSAGES,
      span: PASSAGE_LINES,
      names: true,
    };
    return { output: report(await search.rank(question, signal)) };
  },
});

function report({ files, searched, tooLarge, outside }: CodeAnswer): string {
  const shown = withinBudget(files);
  if (shown.length === 0)
    shown.push(
      `None of these words occurs in ${count(searched, 'file')}. Try other words, or a part of one.`,
    );
  return [...shown, ...unsearchedRemarks({ tooLarge, outside })].join('\n\n');
}

/** The files as long as they fit: the last ones only with their definitions, or not at all. */
function withinBudget(files: readonly FoundFile[]): string[] {
  const whole = files.map((file) => showFile(file, true));
  const short = files.map((file) => showFile(file, false));
  const withWhole = (count: number): string[] => [...whole.slice(0, count), ...short.slice(count)];
  let count = files.length;
  while (count > 1 && bytesOf(withWhole(count)) > MAX_BYTES) count -= 1;
  const shown = withWhole(count);
  while (shown.length > 1 && bytesOf(shown) > MAX_BYTES) shown.pop();
  return shown;
}

const bytesOf = (files: readonly string[]): number => Buffer.byteLength(files.join('\n\n'));

function showFile(
  { path, passages, definitions, neighbours }: FoundFile,
  isWhole: boolean,
): string {
  const lines = new Map(definitions.map(({ line, text }) => [line, text]));
  for (const { start, lines: some } of isWhole ? passages : [])
    for (const [index, line] of some.entries()) lines.set(start + index, line);
  const inOrder = [...lines].toSorted(([one], [other]) => one - other);
  const shown = inOrder.map(([line, text]) => numbered([cutCharacters(text, MAX_LINE, '…')], line));
  return [shownPath(path), ...shown, ...showNeighbours(neighbours)].join('\n');
}

function showNeighbours(neighbours: Neighbours | undefined): string[] {
  if (neighbours === undefined) return [];
  const { name, callers, tests } = neighbours;
  const list = (places: readonly string[]): string => places.map(shownPath).join(', ');
  return [
    ...(callers.length > 0 ? [`${name} is used in ${list(callers)}`] : []),
    ...(tests.length > 0 ? [`${name} is tested in ${list(tests)}`] : []),
  ];
}

const MAX_NAMED = 5;

/** What a search did not look at; missing if there is nothing of the kind. */
interface UnsearchedFiles {
  readonly tooLarge?: readonly string[];
  readonly notText?: readonly string[];
  /** Directories that the workspace does not have. */
  readonly outside?: readonly string[] | undefined;
}

/** What a search says of that. */
export const unsearchedRemarks = ({
  tooLarge = [],
  notText = [],
  outside = [],
}: UnsearchedFiles): string[] => [
  ...(tooLarge.length === 0 ? [] : [`(too large to search: ${namesOf(tooLarge)})`]),
  ...(notText.length === 0 ? [] : [`(not text, so not searched: ${namesOf(notText)})`]),
  ...(outside.length === 0
    ? []
    : [
        `(not searched, because outside of the workspace: ${namesOf(outside.map((path) => `${path}/`))})`,
      ]),
];

function namesOf(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMED ? ` and ${paths.length - MAX_NAMED} more` : '';
  return paths.slice(0, MAX_NAMED).map(shownPath).join(', ') + more;
}
