// What the documents of the owner ask for: asked.json, which is shown in docs/decisions/0057. Each row names files with
// names in them, and tests or a decision.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { linkFault } from './written.ts';
import { table } from './markdown-table.ts';

export const ASKED_DOCUMENT = 'docs/decisions/0057-what-the-documents-ask-for.md';

const AskedRow = z.strictObject({
  asked: z.string().min(1),
  where: z.string().min(1),
  proof: z.array(z.string().min(1)).min(1),
});
export type AskedRow = z.infer<typeof AskedRow>;

const AskedSection = z.strictObject({ section: z.string(), rows: z.array(AskedRow) });

const SECTIONS = z
  .array(AskedSection)
  .parse(JSON.parse(readFileSync(new URL('asked.json', import.meta.url), 'utf8')));

export const ASKED_ROWS: readonly AskedRow[] = SECTIONS.flatMap(({ rows }) => rows);

const BLOCK = /(<!-- made by npm run docs: ([a-z-]+) -->\n\n)[^]*?(\n\n<!-- end -->)/g;

/** The page with the tables of all sections. @throws {Error} if it lacks the block of one, or has another */
export function askedDocument(current: string): string {
  const left = new Map(SECTIONS.map(({ section, rows }) => [section, rows]));
  const document = current.replaceAll(BLOCK, (_all, begin: string, name: string, end: string) => {
    const rows = left.get(name);
    if (rows === undefined) throw new Error(`nothing is made for the block "${name}"`);
    left.delete(name);
    const cells = rows.map(({ asked, where, proof }) => [asked, where, proof.join('<br>')]);
    return `${begin}${table(['asked', 'where', 'test or decision'], cells)}${end}`;
  });
  if (left.size > 0)
    throw new Error(`the document lacks the blocks ${[...left.keys()].join(', ')}`);
  return document;
}

const TODO = /^TODO: (.+)$/;

/** What the rows say that is still to be built. */
export const todosOf = (rows: readonly AskedRow[]): readonly string[] =>
  rows.flatMap(({ proof }) => proof.flatMap((one) => TODO.exec(one)?.[1] ?? []));

/** What is wrong with the rows. */
export const faultsOf = (rows: readonly AskedRow[]): readonly string[] =>
  rows.flatMap(({ asked, where, proof }) =>
    [...placeFaults(where), ...proof.map(proofFault)]
      .filter((fault) => fault !== undefined)
      .map((fault) => `${asked}: ${fault}`),
  );

const sources = new Map<string, string>();

/** The text of a file; `undefined` without one. */
function textOf(path: string): string | undefined {
  if (!sources.has(path) && existsSync(path)) sources.set(path, readFileSync(path, 'utf8'));
  return sources.get(path);
}

/** Files below `src/` or of `packages/`, each with the names that must be in it. */
function placeFaults(cell: string): readonly string[] {
  const words = [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
  if (words.length === 0) return ['names no file'];
  let file = '';
  return words.flatMap((word) => {
    if (!/^[\w./-]+\.ts$/.test(word))
      return holds(textOf(file) ?? '', word) ? [] : [gone(word, file)];
    file = word.startsWith('packages/') ? word : `src/${word}`;
    return textOf(file) === undefined ? [`${file} does not exist`] : [];
  });
}

const gone = (word: string, file: string): string => `"${word}" is not in ${file || 'any file'}`;

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

/** Whether a text has a word, and not as a part of another. */
const holds = (text: string, word: string): boolean =>
  new RegExp(String.raw`(?<![\w$])${escaped(word)}(?![\w$])`).test(text);

function proofFault(proof: string): string | undefined {
  if (TODO.test(proof)) return undefined;
  const [, file, title = ''] = /^`((?:test|packages)\/[^`]+\.ts)`: (.+)$/.exec(proof) ?? [];
  if (file !== undefined) return testFault(file, title);
  const [, target] = /^\[[^\]]+\]\(((?:\d{4}-[\w-]+\.md)?(?:#[\w-]+)?)\)$/.exec(proof) ?? [];
  if (target === undefined) return `"${proof}" is neither a test nor a decision`;
  return linkFault(ASKED_DOCUMENT, target);
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
