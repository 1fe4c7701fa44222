import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
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

const CODE = globSync('{bench,bin,packages/*/src,packages/*/test,src,test}/**/*.{ts,js}');
const FILE_NAMES = new Set(
  [...CODE, ...globSync('*.js'), ...MADE_UP].map((path) => basename(path)),
);
const SOURCES = CODE.filter((path) => /^(?:packages\/[^/]+\/)?src\//.test(path)).map((path) =>
  readFileSync(path, 'utf8'),
);

/** What stands in backticks and has this form, outside of blocks of code. */
const inBackticks = (document: string, form: RegExp): readonly string[] =>
  [
    ...readFileSync(document, 'utf8')
      .replaceAll(/^```.*?^```/gms, '')
      .matchAll(/`([^`\n]+)`/g),
  ].flatMap(([, words = '']) => (form.test(words) ? words : []));

/** A path leads from the root or from `src/`; a bare name is that of a file somewhere in our code. */
const isFile = (name: string): boolean =>
  name.includes('/')
    ? MADE_UP.includes(name) || existsSync(name) || existsSync(`src/${name}`)
    : FILE_NAMES.has(name);

it.each(DOCUMENTS)('%s names only files that exist', (document) => {
  const named = inBackticks(document, /^(?:[\w.-]+\/)*[\w-][\w.-]*\.(?:ts|js)$/);
  expect(named.filter((name) => !isFile(name))).toEqual([]);
});

/** The declaration of a type, to its end, in each file that has one. */
const declarationsOf = (type: string): readonly string[] =>
  SOURCES.flatMap(
    (text) =>
      new RegExp(
        `^(?:export )?(?:abstract )?(?:interface|class|type) ${type}\\b.*?(?:\\{\\}$|^\\}|;\\n(?=\\n|$))`,
        'ms',
      ).exec(text)?.[0] ?? [],
  );

/** Whether a type of ours has a field of this name, of its own or of one that it is made of. */
function hasField(type: string, field: string, seen = new Set<string>()): boolean {
  if (seen.has(type)) return false;
  seen.add(type);
  return declarationsOf(type).some((declaration) => {
    if (new RegExp(`[\\s{(]${field}\\??[:(]`).test(declaration)) return true;
    const head = declaration.slice(0, declaration.search(/\{\n|;\n/));
    const others = [...head.matchAll(/\b[A-Z]\w+/g)].map(([name]) => name);
    return others.some((other) => hasField(other, field, seen));
  });
}

const isGlobal = (type: string): boolean => type in globalThis;

it.each(DOCUMENTS)('%s names only fields that their types have', (document) => {
  const named = inBackticks(document, /^[A-Z][a-z]\w*\.[a-z]\w*$/);
  const gone = named.filter((name) => {
    const [type = '', field = ''] = name.split('.');
    return !isGlobal(type) && !hasField(type, field);
  });
  expect(gone).toEqual([]);
});

// Decisions name types of others too.
it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names only types that exist', (document) => {
  const named = inBackticks(document, /^[A-Z][a-z]\w*$/);
  const gone = named.filter((type) => !isGlobal(type) && declarationsOf(type).length === 0);
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
