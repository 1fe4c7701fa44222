// Every regular expression of the code: literals, from its syntax, and those that are built when a module is loaded.
import { globSync, readFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseSync } from '@swc/core';

export interface WrittenPattern {
  readonly file: string;
  readonly source: string;
  readonly flags: string;
}

interface SourcePatterns {
  readonly literals: readonly WrittenPattern[];
  /** Files that call `new RegExp(…)`, once for each call. */
  readonly constructions: readonly string[];
}

/** Without an endless repetition there is nothing to judge. */
export const REPEATS = /[*+]|\{\d+,\}/;

const SOURCES: readonly string[] = globSync('{src,packages/sandbox/src}/**/*.ts').toSorted();

export function readSourcePatterns(): SourcePatterns {
  const literals: WrittenPattern[] = [];
  const constructions: string[] = [];
  for (const file of SOURCES) {
    const left: unknown[] = [parseSync(readFileSync(file, 'utf8'), { syntax: 'typescript' }).body];
    for (let node = left.pop(); node !== undefined; node = left.pop()) {
      if (typeof node !== 'object' || node === null) continue;
      if (isLiteral(node)) literals.push({ file, source: node.pattern, flags: node.flags });
      if (isConstruction(node)) constructions.push(file);
      left.push(...Object.values(node));
    }
  }
  return { literals, constructions };
}

const isLiteral = (node: object): node is { pattern: string; flags: string } =>
  'type' in node && node.type === 'RegExpLiteral';

const isConstruction = (node: object): boolean =>
  'type' in node &&
  node.type === 'NewExpression' &&
  'callee' in node &&
  JSON.stringify(node.callee).includes('"value":"RegExp"');

/** Loads each file of the code in a process of its own, which tells the expressions that are built meanwhile. */
export function readBuiltPatterns(): readonly WrittenPattern[] {
  const program = fileURLToPath(new URL('tell-built-patterns.ts', import.meta.url));
  const output = execFileSync(process.execPath, [program, ...SOURCES], {
    encoding: 'utf8',
    maxBuffer: 64_000_000,
  });
  return JSON.parse(output) as WrittenPattern[];
}
