// Which expressions the kept checker has called safe: to judge all of them takes two minutes, and hardly one changes with a commit.
// `node test/support/patterns/judge.ts` judges all again and writes the list; `npm run test:all` takes no notice of it.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { WrittenPattern } from './written-patterns.ts';

export const JUDGED = 'test/support/patterns/judged-safe.txt';

type Expression = Pick<WrittenPattern, 'source' | 'flags'>;

/** What another version of the checker said does not count. */
export const hashOf = ({ source, flags }: Expression): string =>
  createHash('sha256').update(`${CHECKER}/${source}/${flags}`).digest('hex').slice(0, 16);

const { version: CHECKER } = JSON.parse(
  readFileSync('node_modules/recheck/package.json', 'utf8'),
) as { readonly version: string };

export const readJudged = (): ReadonlySet<string> =>
  new Set(readFileSync(JUDGED, 'utf8').split('\n'));
