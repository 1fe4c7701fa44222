import type { WorkspaceSearch } from '../../src/workspace/search/search.ts';
import { measure } from './measure.ts';
import type { Peer } from './peer.ts';
import type { Row } from './report.ts';
import { NEEDLE } from './repository.ts';

const never = new AbortController().signal;

const PATTERNS: readonly [name: string, pattern: string][] = [
  ['grep, a literal in 3 files', NEEDLE],
  ['grep, an expression in 3 files', 'const needle\\w+ = \\d'],
  ['grep, an expression in no file', '\\b(?:cat|dog)\\w+\\(person'],
  ['grep, case ignored', '(?i)NEEDLE_IN_THE'],
];
const GLOBS: readonly [name: string, glob: string][] = [
  ['find, some hundred files', '**/cart-*.ts'],
  ['find, all files', '*.ts'],
];
const QUESTION = 'where is the price of a cart item checked before the invoice';

/** The searches over the whole repository. */
export async function measureSearches(
  root: string,
  search: WorkspaceSearch,
  peer: Peer,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, pattern] of PATTERNS) {
    const request = { pattern, ignoreCase: false, path: '.', context: 0, maxMatches: 201 };
    const ours = (): Promise<unknown> => search.grep(request, never);
    rows.push({ name, measured: await measure([ours], [() => peer.grep(pattern, root)]) });
  }
  for (const [name, glob] of GLOBS) {
    const request = { glob, path: '.', order: 'path', limit: 200 } as const;
    const ours = (): Promise<unknown> => search.find(request, never);
    rows.push({ name, measured: await measure([ours], [() => peer.find(glob, root)]) });
  }
  const question = { text: QUESTION, paths: ['.'], maxFiles: 8, maxPassages: 2, span: 10 };
  const ask = (): Promise<unknown> => search.rank(question, never);
  rows.push({ name: 'a question (the first one makes the index)', measured: await measure([ask]) });
  return rows;
}
