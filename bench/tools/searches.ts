import type { WorkspaceSearch } from '../../src/workspace/search/search.ts';
import { measure, type Measured } from './measure.ts';
import type { Peer } from './peer.ts';
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
export const QUESTION_ROW = 'a question';
const QUESTION = 'where is the price of a cart item checked before the invoice';

interface SearchRow {
  readonly name: string;
  readonly measured: Measured;
}

/** The searches over the whole repository. */
export async function measureSearches(
  root: string,
  search: WorkspaceSearch,
  peer: Peer,
): Promise<SearchRow[]> {
  const rows: SearchRow[] = [];
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
  const question = {
    text: QUESTION,
    paths: ['.'],
    maxFiles: 8,
    maxPassages: 1,
    span: 10,
    names: true,
  };
  const ask = (): Promise<unknown> => search.rank(question, never);
  rows.push({ name: QUESTION_ROW, measured: await measure([ask]) });
  return rows;
}
