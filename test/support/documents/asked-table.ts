// Holds the table of docs/decisions/0057 against the code: each row names files with names in them, and
// tests or a decision.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const ASKED_TABLE = 'docs/decisions/0057-what-the-documents-ask-for.md';

const HEAD = '| asked | where | test or decision |';
const NO_PROOF = 'has neither a test nor a decision';

interface Row {
  readonly cells: readonly string[];
  readonly asked: string;
}

/** The rows of all its tables. */
export function rowsOf(document: string): readonly Row[] {
  const lines = document.split('\n');
  const isRow = (line: string): boolean => line.startsWith('| ') && line !== HEAD;
  return lines.filter(isRow).map((line) => {
    const cells = line
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll(String.raw`\|`, '|'));
    return { cells, asked: cells[0] ?? '' };
  });
}

const proofsOf = ({ cells: [, , cell = ''] }: Row): readonly string[] => cell.split('<br>');

/** What the rows say that is still to be built. */
export const todosOf = (document: string): readonly string[] =>
  rowsOf(document).flatMap((row) =>
    proofsOf(row).flatMap((proof) => /^TODO: (.+)$/.exec(proof)?.[1] ?? []),
  );

/** What is wrong with the rows. */
export function faultsOf(document: string): readonly string[] {
  const headings = new Set(
    [...document.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => slug(text)),
  );
  return rowsOf(document).flatMap((row) => {
    const { cells, asked } = row;
    if (cells.length !== 3 || cells.includes('')) return [`${asked}: ${NO_PROOF}`];
    const proofs = proofsOf(row).map((proof) => proofFault(proof, headings));
    return [...placeFaults(cells[1] ?? ''), ...proofs]
      .filter((fault) => fault !== undefined)
      .map((fault) => `${asked}: ${fault}`);
  });
}

/** As GitHub makes the anchor of a heading. */
const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

const sources = new Map<string, string>();

/** The text of a file; `undefined` without one. */
function textOf(path: string): string | undefined {
  if (!sources.has(path) && existsSync(path)) sources.set(path, readFileSync(path, 'utf8'));
  return sources.get(path);
}

/** Files below `src/`, each with the names that must be in it. */
function placeFaults(cell: string): readonly string[] {
  const words = [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
  if (words.length === 0) return ['names no file'];
  let file = '';
  return words.flatMap((word) => {
    if (!/^[\w./-]+\.ts$/.test(word))
      return holds(textOf(file) ?? '', word) ? [] : [gone(word, file)];
    file = `src/${word}`;
    return textOf(file) === undefined ? [`${file} does not exist`] : [];
  });
}

const gone = (word: string, file: string): string => `"${word}" is not in ${file || 'any file'}`;

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** Whether a text has a word, and not as a part of another. */
const holds = (text: string, word: string): boolean =>
  new RegExp(String.raw`(?<![\w$])${escaped(word)}(?![\w$])`).test(text);

function proofFault(proof: string, headings: ReadonlySet<string>): string | undefined {
  if (proof.startsWith('TODO: ')) return undefined;
  const [, file, title = ''] = /^`(test\/[^`]+\.ts)`: (.+)$/.exec(proof) ?? [];
  if (file !== undefined) return testFault(file, title);
  const [, target] = /^\[[^\]]+\]\(([^)]+)\)$/.exec(proof) ?? [];
  if (target === undefined) return NO_PROOF;
  const isThere = target.startsWith('#')
    ? headings.has(target.slice(1))
    : /^\d{4}-[\w-]+\.md$/.test(target) && existsSync(join(dirname(ASKED_TABLE), target));
  return isThere ? undefined : `there is no decision ${target}`;
}

function testFault(file: string, title: string): string | undefined {
  const text = textOf(file);
  if (text === undefined) return `${file} does not exist`;
  const titles = titlesIn(text);
  const isThere = titles.includes(title) || titles.some((form) => isCase(form, title, file));
  return isThere ? undefined : `${file} has no test "${title}"`;
}

/** The first argument of `it`, and of what `it.each` answers. */
const TITLE = /(?:\b(?:it|test)|\))\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/gs;

const titlesIn = (text: string): readonly string[] =>
  [...text.matchAll(TITLE)].map(([, , title = '']) => title.replaceAll(/\\(.)/g, '$1'));

const PLACEHOLDER = /%[sdijpo]|\$\w+/;

/** Whether a title is one that a table of cases makes: what fills its form is written in the file, or beside it. */
function isCase(form: string, title: string, file: string): boolean {
  const parts = form.split(PLACEHOLDER);
  if (parts.length === 1) return false;
  const filled = new RegExp(`^${parts.map((part) => escaped(part)).join('(.+)')}$`, 's');
  const [, ...values] = filled.exec(title) ?? [];
  return (
    values.length > 0 && values.every((value) => tablesOf(file).some((text) => quotes(text, value)))
  );
}

/** The file, and those that it imports from its own folders. */
function tablesOf(file: string): readonly string[] {
  const text = textOf(file) ?? '';
  const imported = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) =>
    join(dirname(file), path),
  );
  return [
    text,
    ...imported.filter((path) => path.startsWith('test/')).map((path) => textOf(path) ?? ''),
  ];
}

const quotes = (text: string, value: string): boolean =>
  [`'${value}'`, `"${value}"`, `\`${value}\``].some((literal) => text.includes(literal));
