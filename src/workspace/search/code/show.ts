import treeSitter, { type Node, type Tree } from '@vscode/tree-sitter-wasm';
import type { FoundFile, Passage, Question } from '../../../contracts/files.ts';
import { MAX_FILE_BYTES, searchedText } from '../lines/tasks.ts';
import type { RankedFile, ShowTask, TaskParts, Weights } from '../lines/tasks.ts';
import { readFiles } from '../walk.ts';
import {
  byScore,
  isGenerated,
  kindWeight,
  rankFiles,
  saturated,
  sourceFirst,
  sumOf,
  termsIn,
  weightsOf,
} from './rank.ts';
import { QuestionMatcher } from './matcher.ts';
import { createRequire } from 'node:module';
import { posix } from 'node:path';

/** How many files are parsed. */
const PARSED = 12;
/** Lines of a piece of a file that has no definitions. */
const PIECE_LINES = 30;
/** What is shorter than this counts as if it were as long. */
const USUAL_LINES = 25;
const LENGTH_WEIGHT = 0.4;
const NAME_BONUS = 1.5;
/** Definitions that score less than this share of the best one are not named. */
const NAMED_SHARE = 0.4;
const MAX_NAMED = 5;
const SCAN_WEIGHT = 0.5;

interface CodeExcerpt extends Range {
  readonly definition: Definition | undefined;
  readonly score: number;
}

interface ReadFile extends RankedFile {
  readonly lines: readonly string[];
  readonly inLines: LineTerms;
  readonly pieces: readonly CodeExcerpt[];
}

/** Ranks the files again by their definitions and cuts the passages out. */
export async function* showFiles(task: ShowTask): AsyncGenerator<TaskParts['show']> {
  const { question, frequencies } = task;
  const matcher = new QuestionMatcher(question.text);
  const asked = { question, matcher, weights: weightsOf(frequencies, matcher) };
  const read: ReadFile[] = [];
  for (const [index, file] of candidates(task, matcher).entries()) {
    const text = readText(task.root, file.path);
    // A parser that fails costs the names, not the answer.
    const definitions = index < PARSED ? await definitionsIn(file.path, text).catch(() => []) : [];
    read.push(readFile(file, text, definitions, asked));
    yield undefined;
  }
  const best = withoutCopies(read.toSorted(sourceFirst)).slice(0, question.maxFiles);
  yield best.map((file) => shownFile(file, asked));
}

/** The files that are read as a whole before the best are chosen. */
function candidates(task: ShowTask, matcher: QuestionMatcher): RankedFile[] {
  const { files, frequencies, question } = task;
  // The order of the threads must not decide between files of one score.
  const ordered = files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const limit = Math.max(PARSED, question.maxFiles);
  return rankFiles(ordered, frequencies, matcher, question.text, limit);
}

/** Without what was made of files that are shown too, by their names: `dist/clock.js` of `src/clock.ts`. */
function withoutCopies<Found extends { readonly path: string }>(files: readonly Found[]): Found[] {
  const nameOf = ({ path }: Found): string =>
    path.slice(path.lastIndexOf('/') + 1).split('.', 1)[0] ?? '';
  const sources = new Set(files.filter(({ path }) => !isGenerated(path)).map(nameOf));
  return files.filter((file) => !isGenerated(file.path) || !sources.has(nameOf(file)));
}

function readText(root: string, path: string): string {
  const nameAt = path.lastIndexOf('/') + 1;
  const place = { directory: path.slice(0, Math.max(0, nameAt - 1)), names: [path.slice(nameAt)] };
  const [file] = readFiles(root, [place], MAX_FILE_BYTES);
  return file === undefined || file.content === 'too large' ? '' : searchedText(file.content);
}

interface PreparedQuestion {
  readonly question: Question;
  readonly weights: Weights;
  readonly matcher: QuestionMatcher;
}

function readFile(
  file: RankedFile,
  text: string,
  definitions: readonly Definition[],
  { question, weights, matcher }: PreparedQuestion,
): ReadFile {
  const lines = text.split(/\r?\n/);
  const inLines = lines.map((line) => {
    const terms: number[] = [];
    if (line.length > 0) matcher.eachIn(line, (term) => terms.push(term));
    return terms;
  });
  const pieces = piecesOf(lines.length, definitions)
    .map((piece) => ({ ...piece, score: scorePiece(piece, inLines, weights, matcher) }))
    .filter(({ score }) => score > 0)
    .toSorted(byScore);
  const [best = 0] = pieces.map(({ score }) => score);
  const score = SCAN_WEIGHT * file.score + best * kindWeight(file.path, question.text);
  return { ...file, score, lines, inLines, pieces };
}

type OwnLines = Omit<CodeExcerpt, 'score'> & { readonly own: readonly number[] };

/** The definitions, each with the lines that are in no inner one, and the rest in pieces. */
function piecesOf(count: number, definitions: readonly Definition[]): OwnLines[] {
  const owners = Array.from({ length: count }, () => -1);
  // Outer definitions come first.
  for (const [index, { from, to }] of definitions.entries()) owners.fill(index, from, to);
  const own = new Map<string, number[]>();
  for (const [line, owner] of owners.entries()) {
    const key = owner < 0 ? `${Math.floor(line / PIECE_LINES)}` : `d${owner}`;
    const lines = own.get(key);
    if (lines === undefined) own.set(key, [line]);
    else lines.push(line);
  }
  return [...own].map(([key, lines]) => ({
    own: lines,
    from: lines[0] ?? 0,
    to: (lines.at(-1) ?? 0) + 1,
    definition: key.startsWith('d') ? definitions[Number(key.slice(1))] : undefined,
  }));
}

function scorePiece(
  { own, definition }: OwnLines,
  inLines: LineTerms,
  weights: Weights,
  matcher: QuestionMatcher,
): number {
  const counts = new Map<number, number>();
  for (const line of own)
    for (const term of inLines[line] ?? []) counts.set(term, (counts.get(term) ?? 0) + 1);
  const norm = 1 - LENGTH_WEIGHT + LENGTH_WEIGHT * Math.max(1, own.length / USUAL_LINES);
  let score = 0;
  for (const [term, count] of counts) score += (weights[term] ?? 0) * saturated(count, norm);
  const inName = definition === undefined ? [] : termsIn(definition.name, matcher);
  return score + NAME_BONUS * sumOf(inName, weights);
}

function shownFile(
  { path, lines, inLines, pieces }: ReadFile,
  { weights, question: { maxPassages, span, names } }: PreparedQuestion,
): FoundFile {
  const passages: Passage[] = [];
  for (const { from, to } of pieces) {
    if (passages.length === maxPassages) break;
    const margin = Math.max(0, span - (to - from));
    const range = { from: Math.max(0, from - margin), to: to + margin };
    const passage = findPassage(lines, inLines, range, weights, span);
    if (!passages.some((other) => overlap(other, passage))) passages.push(passage);
  }
  const least = NAMED_SHARE * (pieces[0]?.score ?? 0);
  const named = pieces.filter(({ score }) => score >= least).slice(0, names ? MAX_NAMED : 0);
  const definitions = named.flatMap(({ definition }) => definition ?? []);
  return {
    path,
    passages,
    definitions: definitions.map(({ name, line, from, to }) => ({
      name,
      line: line + 1,
      from: from + 1,
      to,
      text: lines[line] ?? '',
    })),
  };
}

const overlap = (one: Passage, other: Passage): boolean =>
  one.start < other.start + other.lines.length && other.start < one.start + one.lines.length;

/** Line numbers from 0; `to` is exclusive. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** The terms of the question in each line. */
type LineTerms = readonly (readonly number[])[];

/** The `span` consecutive lines of a range, or fewer, that match the question best. */
function findPassage(
  lines: readonly string[],
  inLines: LineTerms,
  range: Range,
  weights: Weights,
  span: number,
): Passage {
  const window = bestWindow(inLines.slice(range.from, range.to), weights, span);
  const text = lines.slice(range.from + window.from, range.from + window.to);
  return { start: range.from + window.from + 1, lines: text };
}

function bestWindow(inLines: LineTerms, weights: Weights, span: number): Range {
  const counts = new Map<number, number>();
  let best: Range = { from: 0, to: Math.min(span, inLines.length) };
  let bestSum = 0;
  let sum = 0;
  const change = (line: number, by: number): void => {
    for (const term of inLines[line] ?? []) {
      const before = counts.get(term) ?? 0;
      counts.set(term, before + by);
      sum += (weights[term] ?? 0) * (worth(before + by) - worth(before));
    }
  };
  for (let line = 0; line < inLines.length; line += 1) {
    change(line, 1);
    if (line >= span) change(line - span, -1);
    if (sum <= bestSum + 1e-9) continue;
    bestSum = sum;
    best = { from: Math.max(0, line - span + 1), to: line + 1 };
  }
  return withoutEmptyEnds(best, inLines);
}

/** The first occurrence of a term counts most; each further one adds a little. */
const worth = (count: number): number => (count === 0 ? 0 : 1 + 0.1 * Math.log(count));

function withoutEmptyEnds({ from, to }: Range, inLines: LineTerms): Range {
  const isEmpty = (line: number): boolean => (inLines[line] ?? []).length === 0;
  let [first, last] = [from, to - 1];
  while (first < last && isEmpty(first)) first += 1;
  while (last > first && isEmpty(last)) last -= 1;
  return { from: first, to: last + 1 };
}

// Runs third-party parsers on untrusted text: only for search threads, which end when they hang.

const MAX_CHARACTERS = 200_000;
/** Processor time, so that the answer does not depend on what else the machine does. */
const MAX_PARSE_MS = 500;

const GRAMMARS: ReadonlyMap<string, readonly string[]> = new Map([
  ['typescript', ['.ts', '.mts', '.cts']],
  ['tsx', ['.tsx', '.jsx']],
  ['javascript', ['.js', '.mjs', '.cjs']],
  ['python', ['.py', '.pyi']],
  ['go', ['.go']],
  ['rust', ['.rs']],
  ['java', ['.java']],
  ['c-sharp', ['.cs']],
  ['cpp', ['.c', '.h', '.cc', '.cpp', '.cxx', '.hh', '.hpp']],
  ['ruby', ['.rb']],
  ['php', ['.php']],
  ['bash', ['.sh', '.bash']],
]);

/** Nodes that define a name, of all grammars. */
const DEFINING = (
  'function_declaration generator_function_declaration function_expression function_definition function_item ' +
  'method_declaration method_definition constructor_declaration method singleton_method ' +
  'class_declaration abstract_class_declaration class_definition class_specifier class ' +
  'interface_declaration struct_declaration struct_specifier struct_item record_declaration ' +
  'enum_declaration enum_specifier enum_item trait_declaration trait_item type_spec type_item type_alias_declaration ' +
  'mod_item module macro_definition variable_declarator assignment_expression public_field_definition pair'
).split(' ');
/** These define a function only if their value is one. */
const HOLDERS = /^(?:variable_declarator|assignment_expression|public_field_definition|pair)$/;
const FUNCTION = /^(?:arrow_function|function_expression|generator_function|class)$/;
const COMMENT = /^\s*(?:\/\/|\/?\*|#|@|"""|--)/;

/** A named piece of a file. Line numbers from 0. */
interface Definition {
  readonly name: string;
  /** The line of the name. */
  readonly line: number;
  /** The first line, that of comments above included. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** The definitions in a file, by their first lines; empty if there is no parser or it takes too long. */
async function definitionsIn(path: string, text: string): Promise<Definition[]> {
  const extension = posix.extname(path).toLowerCase();
  const [grammar] = [...GRAMMARS].find(([, extensions]) => extensions.includes(extension)) ?? [];
  if (grammar === undefined || text.length > MAX_CHARACTERS) return [];
  const parser = await parserOf(grammar);
  const startedAt = computedMs();
  const isTooSlow = (): boolean => computedMs() - startedAt > MAX_PARSE_MS;
  const tree = parser.parse(text, null, { progressCallback: isTooSlow });
  if (tree === null) return [];
  try {
    return readTree(tree, text.split('\n'));
  } finally {
    tree.delete();
  }
}

type Parser = InstanceType<typeof treeSitter.Parser>;

let initialized: Promise<void> | undefined;
const parsers = new Map<string, Promise<Parser>>();

async function parserOf(grammar: string): Promise<Parser> {
  const known = parsers.get(grammar) ?? loadParser(grammar);
  parsers.set(grammar, known);
  return known;
}

async function loadParser(grammar: string): Promise<Parser> {
  await (initialized ??= treeSitter.Parser.init());
  const file = `@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`;
  const language = await treeSitter.Language.load(createRequire(import.meta.url).resolve(file));
  return new treeSitter.Parser().setLanguage(language);
}

function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function readTree(tree: Tree, lines: readonly string[]): Definition[] {
  return tree.rootNode.descendantsOfType(DEFINING).flatMap((node) => {
    const name = node === null ? undefined : nameOf(node);
    if (node === null || name === undefined) return [];
    const line = name.startPosition.row;
    let from = node.startPosition.row;
    while (from > 0 && COMMENT.test(lines[from - 1] ?? '')) from -= 1;
    return [{ name: name.text, line, from, to: node.endPosition.row + 1 }];
  });
}

function nameOf(node: Node): Node | undefined {
  if (HOLDERS.test(node.type)) {
    const value = node.childForFieldName('value') ?? node.childForFieldName('right');
    if (value === null || !FUNCTION.test(value.type)) return undefined;
  }
  let name =
    node.childForFieldName('name') ??
    node.childForFieldName('key') ??
    node.childForFieldName('left');
  // `int *name(void)`, in C
  for (let inner = name ?? node.childForFieldName('declarator'); inner !== null;) {
    name = inner;
    inner = inner.childForFieldName('declarator') ?? inner.childForFieldName('property');
  }
  return name ?? undefined;
}
