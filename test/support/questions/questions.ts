// What people ask of the code, and the symbols that one must read to answer (questions.json): `npm run questions` prints where
// each is. A name is exported once; a private one is `file#name`.
import { globSync, readFileSync } from 'node:fs';
import { parseSync, type ModuleItem } from '@swc/core';
import { z } from 'zod';

const Question = z.strictObject({
  question: z.string().min(1),
  answer: z.string().min(1),
  /** Files that it should take to answer. */
  target: z.int(),
  /** Files that it may take now: the target, once that is met. */
  most: z.int(),
  /** Files that a first reading took, before there was a list of symbols. */
  once: z.int(),
  /** What each says, in a few words. */
  symbols: z.record(z.string(), z.string().min(1)),
});
export type Question = z.infer<typeof Question>;

export const QUESTIONS: readonly Question[] = z
  .array(Question)
  .parse(JSON.parse(readFileSync(new URL('questions.json', import.meta.url), 'utf8')));

interface FoundSymbol {
  readonly symbol: string;
  readonly file: string;
  /** Of its declaration. */
  readonly lines: number;
}

export interface FoundSymbols {
  readonly found: readonly FoundSymbol[];
  /** Symbols that are not there, or not any more. */
  readonly missing: readonly string[];
}

const EXPORT =
  /^export (?:abstract |async )?(?:function\*?|const|let|class|interface|type|enum) ([\w$]+)/gm;

/** The file that exports each name of `src` and `packages/sandbox`. */
const HOMES: ReadonlyMap<string, string> = new Map(
  globSync('{src,packages/sandbox/src}/**/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(EXPORT)].map(([, name = '']) => [name, file] as const),
  ),
);

export function findSymbols({ symbols }: Pick<Question, 'symbols'>): FoundSymbols {
  const found: FoundSymbol[] = [];
  const missing: string[] = [];
  for (const symbol of Object.keys(symbols)) {
    const [name = '', home] = symbol.split('#').toReversed();
    const file = home ?? HOMES.get(name);
    const lines = file === undefined ? undefined : declarationsIn(file).get(name);
    if (file === undefined || lines === undefined) missing.push(symbol);
    else found.push({ symbol, file, lines });
  }
  return { found, missing };
}

const known = new Map<string, ReadonlyMap<string, number>>();

/** How many lines each name of a file is declared on, exported or not. */
function declarationsIn(file: string): ReadonlyMap<string, number> {
  const before = known.get(file);
  if (before !== undefined) return before;
  const declared = new Map<string, number>();
  known.set(file, declared);
  let source: Buffer;
  try {
    source = readFileSync(file);
  } catch {
    return declared;
  }
  // Positions are counted in bytes, from 1.
  for (const { span, ...item } of parseSync(source.toString(), { syntax: 'typescript' }).body) {
    const lines = source
      .toString('utf8', span.start - 1, span.end - 1)
      .trim()
      .split('\n').length;
    for (const name of namesOf(item as ModuleItem))
      declared.set(name, (declared.get(name) ?? 0) + lines);
  }
  return declared;
}

function namesOf(item: ModuleItem): readonly string[] {
  if (item.type === 'ExportDeclaration') return namesOf(item.declaration);
  if (item.type === 'VariableDeclaration')
    return item.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.value] : []));
  if (item.type === 'FunctionDeclaration' || item.type === 'ClassDeclaration')
    return [item.identifier.value];
  const isNamed =
    item.type === 'TsInterfaceDeclaration' ||
    item.type === 'TsTypeAliasDeclaration' ||
    item.type === 'TsEnumDeclaration';
  return isNamed ? [item.id.value] : [];
}

/** The symbols of each file that one has to open. */
export function filesOf({ found }: FoundSymbols): ReadonlyMap<string, readonly FoundSymbol[]> {
  const groups = Object.groupBy(found, ({ file }) => file);
  return new Map(Object.entries(groups).map(([file, symbols]) => [file, symbols ?? []]));
}
