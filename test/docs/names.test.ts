import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const DOCUMENTS = ['ARCHITECTURE.md', 'CONTRIBUTING.md', ...globSync('docs/decisions/*.md')];
/** The examples of CONTRIBUTING.md, which test/docs/recipes makes. */
const MADE_UP = [
  'src/tools/files/count-words.ts',
  'test/tools/count-words.test.ts',
  'test/app/run/notice.test.ts',
  'test/session/progress-command.test.ts',
  'src/events/issue-pinned.ts',
  'src/models/providers/acme.ts',
  'test/models/acme.test.ts',
];

/** The paths of our own code in backticks: from the root, or from `src/`. */
const pathsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]+\.(?:ts|js))`/g)].flatMap(([, path = '']) => path);

it.each(DOCUMENTS)('%s names only files that exist', (document) => {
  const gone = pathsIn(readFileSync(document, 'utf8'))
    .filter((path) => !MADE_UP.includes(path))
    .filter((path) => !existsSync(path) && !existsSync(`src/${path}`));
  expect(gone).toEqual([]);
});

/** The cells of the rows of one table, by a word of its head. */
const rowsOf = (head: string): readonly (readonly string[])[] => {
  const lines = readFileSync('ARCHITECTURE.md', 'utf8').split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${head} |`)) + 2;
  const end = lines.findIndex((line, at) => at >= start && !line.startsWith('|'));
  return lines.slice(start, end).map((line) => line.split('|').map((cell) => cell.trim()));
};

it('a delivery reaches the pull request in at most 15 stops, each a function that exists', () => {
  const stops = rowsOf('stop').map(([, , file = '', name = '']) => ({
    file: `src/${file.replaceAll('`', '')}`,
    name: name.replaceAll('`', ''),
  }));
  expect(stops.length).toBeGreaterThan(8);
  expect(stops.length).toBeLessThanOrEqual(15);
  const gone = stops.filter(
    ({ file, name }) =>
      !new RegExp(`(?:function\\*?|const|class) ${name}\\b`).test(readFileSync(file, 'utf8')),
  );
  expect(gone).toEqual([]);
});

it.each([
  'how can a run end?',
  'what is the model told?',
  'what is said to people?',
  'what happens to a comment?',
  'what is journaled for a tool call?',
  'where is a setting read?',
])('%s is answered by at most four files or folders', (question) => {
  const [, , answer = ''] = rowsOf('question').find(([, cell]) => cell === question) ?? [];
  const places = answer.split(' · ').map((place) => /^`([^`]+)`|^the file/.exec(place)?.[1]);
  expect(places.length).toBeLessThanOrEqual(4);
  const named = places.filter((place) => place !== undefined);
  expect(named).not.toEqual([]);
  expect(named.filter((place) => !existsSync(`src/${place}`))).toEqual([]);
});
