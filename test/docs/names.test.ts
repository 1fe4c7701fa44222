import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const DOCUMENTS = ['ARCHITECTURE.md', 'CONTRIBUTING.md', ...globSync('docs/decisions/*.md')];
/** The example of CONTRIBUTING.md, which test/tools/recipe makes. */
const MADE_UP = ['src/tools/files/count-words.ts', 'test/tools/count-words.test.ts'];

/** The paths of our own code in backticks: from the root, or from `src/`. */
const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|js))`/g)].flatMap(([, path = '']) => path);

it.each(DOCUMENTS)('%s names only files that exist', (document) => {
  const gone = pathsIn(readFileSync(document, 'utf8'))
    .filter((path) => !MADE_UP.includes(path))
    .filter((path) => !existsSync(path) && !existsSync(`src/${path}`));
  expect(gone).toEqual([]);
});
