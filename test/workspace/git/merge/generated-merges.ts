// Histories of two sides that each changed the same files in their own way, written by `git fast-import`.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import fc from 'fast-check';
import { nativeGit } from '../../../support/git-server.ts';

interface TreeFile {
  readonly mode: '100644' | '100755' | '120000' | '160000';
  readonly content: string;
}
type Files = ReadonlyMap<string, TreeFile>;
type Change = (files: Map<string, TreeFile>) => void;

const text = (content: string): TreeFile => ({ mode: '100644', content });
const lines = (name: string, count = 14): string =>
  Array.from({ length: count }, (_, at) => `${name} line ${at}\n`).join('');
const commitNamed = (letter: string): string => letter.repeat(40);

const BASE: Files = new Map([
  ['a.txt', text(lines('a'))],
  ['b.txt', text(lines('b'))],
  ['src/c.ts', text(lines('c'))],
  ['src/deep/d.ts', text(lines('d'))],
  ['src/deep/e.ts', text(lines('e'))],
  ['crlf.txt', text(lines('crlf').replaceAll('\n', '\r\n'))],
  ['ümlaut.md', text(lines('umlaut'))],
  ['run.sh', { mode: '100755', content: lines('run') }],
  ['link', { mode: '120000', content: 'a.txt' }],
  ['image.bin', text(`\0PNG${lines('image')}`)],
  ['vendor/lib', { mode: '160000', content: commitNamed('1') }],
]);
const PATHS = [...BASE.keys()];
const TEXTS = PATHS.filter((path) => BASE.get(path)?.mode !== '160000' && path !== 'link');

const edit =
  (path: string, line: number, words: string): Change =>
  (files) => {
    const file = files.get(path);
    if (file === undefined || file.mode === '160000') return;
    const end = file.content.includes('\r\n') ? '\r\n' : '\n';
    const all = file.content.split(end);
    all[Math.min(line, all.length - 1)] = words;
    files.set(path, { ...file, content: all.join(end) });
  };

const move =
  (from: string, to: string): Change =>
  (files) => {
    const file = files.get(from);
    if (file === undefined || files.has(to)) return;
    files.delete(from);
    files.set(to, file);
  };

const moveFolder =
  (to: string): Change =>
  (files) => {
    for (const path of [...files.keys()].filter((one) => one.startsWith('src/deep/')))
      move(path, path.replace('src/deep', to))(files);
  };

const changeMode =
  (path: string): Change =>
  (files) => {
    const file = files.get(path);
    if (file?.mode === '100644') files.set(path, { ...file, mode: '100755' });
    else if (file?.mode === '100755') files.set(path, { ...file, mode: '100644' });
  };

const toLf =
  (path: string): Change =>
  (files) => {
    const file = files.get(path);
    if (file !== undefined)
      files.set(path, { ...file, content: file.content.replaceAll('\r\n', '\n') });
  };

const word = fc.constantFrom('one', 'two', 'three', 'four');
const path = fc.constantFrom(...PATHS);
const textPath = fc.constantFrom(...TEXTS);

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(textPath, fc.nat({ max: 13 }), word).map((all) => edit(...all)),
  },
  { weight: 3, arbitrary: fc.tuple(path, word).map(([from, name]) => move(from, `moved/${name}`)) },
  {
    weight: 2,
    arbitrary: fc.tuple(path, word).map(([from, name]) => move(from, `${from}.${name}`)),
  },
  {
    weight: 2,
    arbitrary: path.map(
      (one): Change =>
        (files) =>
          void files.delete(one),
    ),
  },
  { weight: 1, arbitrary: textPath.map(changeMode) },
  { weight: 1, arbitrary: fc.constantFrom('lib', 'src/flat').map(moveFolder) },
  { weight: 1, arbitrary: fc.constant(toLf('crlf.txt')) },
  {
    weight: 1,
    arbitrary: word.map(
      (name): Change =>
        (files) =>
          void files.set('image.bin', text(`\0PNG${lines(name)}`)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('2', '3').map((one): Change => (files) => {
      if (files.has('vendor/lib'))
        files.set('vendor/lib', { mode: '160000', content: commitNamed(one) });
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('b.txt', 'src').map((target): Change => (files) => {
      if (files.has('link')) files.set('link', { mode: '120000', content: target });
    }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(word, word).map(
      ([name, words]): Change =>
        (files) =>
          void files.set(`new-${name}.txt`, text(lines(words))),
    ),
  },
  // A directory where there was a file.
  {
    weight: 1,
    arbitrary: word.map((name): Change => (files) => {
      if (files.delete('b.txt')) files.set(`b.txt/${name}`, text(lines(name)));
    }),
  },
);

/** What two sides did with the same files. */
export interface Divergence {
  readonly ours: Files;
  readonly theirs: Files;
}

const side = fc.array(change, { minLength: 1, maxLength: 5 }).map((changes): Files => {
  const files = new Map(BASE);
  for (const one of changes) one(files);
  return files;
});

/** Always the same ones. */
export const divergences = (count: number): readonly Divergence[] =>
  fc.sample(fc.record({ ours: side, theirs: side }), { seed: 38, numRuns: count });

/**
 * A repository with the branches `base`, `ours-N` and `theirs-N`. Each case has commits of its own; `base` is the only
 * merge base.
 */
export function writeDivergences(directory: string, all: readonly Divergence[]): void {
  mkdirSync(directory, { recursive: true });
  nativeGit(directory, 'init', '-q', '-b', 'base', '--template=', '.');
  const commits = all.flatMap(({ ours, theirs }, at) => [
    commit(`ours-${at}`, ours, 'refs/heads/base'),
    commit(`theirs-${at}`, theirs, 'refs/heads/base'),
  ]);
  execFileSync('git', ['fast-import', '--quiet'], {
    cwd: directory,
    input: Buffer.concat([commit('base', BASE), ...commits]),
    stdio: ['pipe', 'ignore', 'inherit'],
  });
}

function commit(branch: string, files: Files, parent?: string): Buffer {
  const head = [
    `commit refs/heads/${branch}`,
    'committer Test <test@example.test> 1767225600 +0000',
    `data ${Buffer.byteLength(branch)}`,
    branch,
    ...(parent === undefined ? [] : [`from ${parent}`]),
    'deleteall',
  ];
  const parts = [...files].flatMap(([name, { mode, content }]) =>
    mode === '160000'
      ? [Buffer.from(`M ${mode} ${content} "${name}"\n`)]
      : [
          Buffer.from(`M ${mode} inline "${name}"\ndata ${Buffer.byteLength(content)}\n`),
          Buffer.from(`${content}\n`),
        ],
  );
  return Buffer.concat([Buffer.from(`${head.join('\n')}\n`), ...parts, Buffer.from('\n')]);
}
