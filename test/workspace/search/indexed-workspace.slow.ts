import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { makeRoom } from '../../../src/workspace/git/engines/native/cache-room.ts';
import { makePlace } from '../../../src/workspace/search/place.ts';
import { WorkspaceSearch } from '../../../src/workspace/search/search.ts';
import type { StoredChange } from '../../../src/contracts/files.ts';
import type { Workspace, WorkspaceOptions } from '../../../src/workspace/workspace.ts';
import { startGitServer, type GitServer } from '../../support/git-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { AT, open, text, untilPrepared } from '../support.ts';
import { ask, dice, MIB } from './indexed.ts';

/** More than the fewest that are worth an index. */
const FILES = 320;
const FRUITS = ['apple', 'banana', 'cherry', 'damson', 'elder', 'fig', 'grape'];

let server: GitServer;
let count = 0;
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());

const pathOf = (at: number): string => `d${at % 8}/e${at % 3}/f${at}.ts`;
const seed = Object.fromEntries(
  Array.from({ length: FILES }, (_, at) => [
    pathOf(at),
    `export const ${FRUITS[at % 7]}${at} = '${FRUITS[at % 5]} ${FRUITS[at % 3]}';\n`,
  ]),
);

function scene() {
  count += 1;
  const directory = join(temporaryDirectory(), 'cache');
  const repository = server.createRepository(`octo/indexed-${count}`, seed);
  const git = {
    engine: 'native',
    maxBytes: 256 * MIB,
    cache: { directory, maxBytes: 256 * MIB },
  } as const;
  const enter = async (options: Partial<WorkspaceOptions> = {}): Promise<Workspace> => {
    const workspace = await open(server, repository, { git, ...options });
    // What is counted and listed here is not to change meanwhile.
    await untilPrepared();
    return workspace;
  };
  return { repository, directory, enter };
}

const wordsIn = (directory: string): string[] =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.words'),
  );

/** Makes the index by a session that only asks. */
async function index({ enter }: Pick<ReturnType<typeof scene>, 'enter'>): Promise<void> {
  const workspace = await enter();
  await ask(workspace.search, 'apple');
  expect(await workspace.search.indexed()).toMatchObject({ files: FILES });
  await workspace.close();
}

/** Compares with a search that reads each file. */
async function expectSame(
  workspace: Workspace,
  what: string,
  paths?: WorkspaceOptions['paths'],
): Promise<void> {
  const place = makePlace(workspace.commands.directory, Object.keys(seed), paths);
  const plain = new WorkspaceSearch(place);
  for (const question of [...FRUITS, 'zebra', 'apple banana cherry', 'damson grape']) {
    const [found, expected] = [await ask(workspace.search, question), await ask(plain, question)];
    expect([what, question, found]).toEqual([
      what,
      question,
      { ...expected, outside: found.outside },
    ]);
  }
}

/** Some words, which say in a failure what was done. */
type Step = readonly [name: string, act: () => Promise<void> | void];

/** Changes of all kinds to the work tree. */
function steps(
  workspace: Workspace,
  roll: (sides: number) => number,
  stored: Map<string, StoredChange>,
) {
  const { files, git, commands: { directory, watch } } = workspace; // prettier-ignore
  const some = (): string => pathOf(roll(FILES));
  const place = (path: string): string => join(directory, path);
  const words = (): string => `zebra ${FRUITS[roll(7)]} ${FRUITS[roll(7)]} ${roll(1000)}\n`;
  const keep = async (): Promise<void> => {
    for (const change of await workspace.drain()) stored.set(change.path, change);
  };
  const put = (path: string): void => {
    mkdirSync(dirname(place(path)), { recursive: true });
    writeFileSync(place(path), words());
  };
  const unlessRefused = async (work: Promise<unknown>): Promise<void> =>
    void (await work.catch(() => undefined));
  const command =
    (act: () => void): (() => Promise<void>) =>
    async () => {
      await watch.begin();
      try {
        act();
      } catch {
        // A path that another step has taken away, or made a directory of.
      }
      await watch.end(async () => [...stored.values()], { isSetup: roll(6) === 0 });
      await keep();
    };
  const all: readonly Step[] = [
    ['write', () => unlessRefused(files.write(some(), text(words())))],
    ['write anew', () => unlessRefused(files.write(`new/${roll(20)}.ts`, text(words())))],
    ['delete', () => unlessRefused(files.delete(some()))],
    ['rename', () => unlessRefused(files.rename([{ from: some(), to: `moved/${roll(1000)}.ts` }]))],
    ['rename a directory', () => unlessRefused(files.rename([{ from: `d${roll(8)}/e${roll(3)}`, to: `d${roll(8)}/x${roll(3)}` }]))],
    ['a bare repository by tools', async () => {
      const at = `d${roll(8)}/e${roll(3)}`;
      for (const name of ['HEAD', 'objects/x', 'refs/x']) await unlessRefused(files.write(`${at}/${name}`, text('x')));
    }],
    ['a command writes', command(() => put(some()))],
    ['a command writes as long as it was, with the old times', command(() => {
      const path = place(some());
      writeFileSync(path, 'z'.repeat(30));
      utimesSync(path, 0, 0);
    })],
    ['a command deletes', command(() => rmSync(place(some()), { force: true }))],
    ['a command swaps directories', command(() => {
      const [one, other] = [place(`d${roll(8)}`), place(`d${roll(8)}`)];
      renameSync(one, `${one}.away`);
      renameSync(other, one);
      renameSync(`${one}.away`, other);
    })],
    ['a command makes a repository and writes there', command(() => {
      const at = `d${roll(8)}/e${roll(3)}`;
      mkdirSync(place(`${at}/.git`), { recursive: true });
      for (const name of readdirSync(place(at))) if (name.endsWith('.ts')) put(`${at}/${name}`);
    })],
    ['a command makes a bare repository and writes there', command(() => {
      const at = `d${roll(8)}/e${roll(3)}`;
      for (const name of ['objects', 'refs']) mkdirSync(place(`${at}/${name}`), { recursive: true });
      writeFileSync(place(`${at}/HEAD`), 'x');
      for (const name of readdirSync(place(at))) if (name.endsWith('.ts')) put(`${at}/${name}`);
    })],
    ['a command writes in all directories', command(() => {
      for (let at = 0; at < 24; at += 1) put(pathOf(roll(FILES)));
    })],
    ['a command removes what makes repositories', command(() => {
      for (let at = 0; at < 24; at += 1)
        for (const name of ['.git', 'HEAD', 'objects', 'refs'])
          rmSync(place(`d${at % 8}/e${at % 3}/${name}`), { recursive: true, force: true });
    })],
    ['a command ignores and writes', command(() => {
      writeFileSync(place('.gitignore'), `d${roll(8)}/\n*.log\n`);
      put(some());
    })],
    ['a command ignores nothing', command(() => rmSync(place('.gitignore'), { force: true }))],
    ['a command changes modes', command(() => chmodSync(place(some()), 0o755))],
    ['a command changes what is protected', command(() => put('.github/workflows/ci.yml'))],
    ['commit', async () => {
      await unlessRefused(git.commit({ message: 'Work', at: AT }));
      await keep();
    }],
    ['keep', keep],
  ]; // prettier-ignore
  return () => all[roll(all.length)] ?? all[0];
}

it.each([1, 2, 3, 4])('answers as a search that reads each file, whatever was done to the files, seed %i', async (start) => {
  const own = scene();
  await index(own);
  const roll = dice(start * 7919);
  const workspace = await own.enter();
  const step = steps(workspace, roll, new Map());
  const done: string[] = [];
  for (let at = 0; at < 30; at += 1) {
    const [name, act] = step() ?? [];
    done.push(name ?? '');
    await act?.();
    await expectSame(workspace, done.join(', '));
  }
  // Most files were never touched: these were not read.
  const { watch } = workspace.commands;
  const certain = Object.keys(seed).filter((path) => !watch.mayHaveChanged(path));
  expect(certain.length).toBeGreaterThan(50);
  await workspace.close();
}); // prettier-ignore

it('reads each file while a command runs, and after one that was taken back', async () => {
  const own = scene();
  await index(own);
  const workspace = await own.enter();
  const { directory, watch } = workspace.commands;
  await watch.begin();
  writeFileSync(join(directory, pathOf(3)), 'zebra\n');
  await expectSame(workspace, 'while it runs');
  await watch.takeBack(async () => []);
  await expectSame(workspace, 'taken back');
  await watch.begin();
  for (let at = 0; at < FILES; at += 1) writeFileSync(join(directory, pathOf(at)), 'z'.repeat(MIB / 4));
  expect((await watch.end(async () => [])).excess).toBeDefined();
  await expectSame(workspace, 'too much');
  await workspace.close();
}); // prettier-ignore

it('serves a later session, with what an earlier one left and on other commits, and needs few new blobs', async () => {
  const own = scene();
  await index(own);
  const fresh = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`later/${at}.ts`, `zebra${at} apple`]));
  const commit = own.repository.commit({ ...fresh, [pathOf(1)]: 'zebra\n' });
  const change: StoredChange = { path: pathOf(2), mode: '100644', content: text('zebra') };
  const workspace = await own.enter({ baseCommit: commit, changes: [change] });
  await expectSame(workspace, 'changes of an earlier process');
  expect(await workspace.search.indexed()).toMatchObject({ files: 301 });
  await expectSame(workspace, 'indexed');
  await workspace.close();
}); // prettier-ignore

it('serves no other installation, and denied files to nobody', async () => {
  const own = scene();
  await index(own);
  const before = wordsIn(own.directory);
  const other = await own.enter({ installation: 2, paths: { deny: ['d1/**'] } });
  await expectSame(other, 'another installation', { deny: ['d1/**'] });
  expect(await other.search.indexed()).toMatchObject({ files: FILES - FILES / 8 });
  const now = wordsIn(own.directory);
  expect(now).toHaveLength(2);
  expect(now).toEqual(expect.arrayContaining(before));
  expect(new Set(now.map((path) => path.split('/', 1)[0])).size).toBe(2);
  await other.close();
  const denied = await own.enter({ paths: { deny: ['d1/**'] } });
  await expectSame(denied, 'denied', { deny: ['d1/**'] });
  await denied.close();
}); // prettier-ignore

it('counts as part of its repository in the room of the cache, and goes with it', async () => {
  const own = scene();
  await index(own);
  const workspace = await own.enter();
  const { signal } = new AbortController();
  const size = 2 * MIB;
  const [path = ''] = wordsIn(own.directory);
  expect(existsSync(join(own.directory, path))).toBe(true);
  await makeRoom({ directory: own.directory, maxBytes: size }, signal);
  expect(wordsIn(own.directory)).toEqual([path]);
  // Nobody reads it: it only takes room.
  writeFileSync(join(own.directory, dirname(path), 'more.making'), Buffer.alloc(3 * MIB));
  await makeRoom({ directory: own.directory, maxBytes: size }, signal);
  expect(wordsIn(own.directory)).toEqual([]);
  await expectSame(workspace, 'evicted');
  await workspace.close();
}); // prettier-ignore

it('knows what a merge made of the files', async () => {
  const own = scene();
  await index(own);
  own.repository.git('branch', 'work', 'main');
  const ours = own.repository.commit({ [pathOf(1)]: 'zebra\n', [pathOf(2)]: 'zebra\n' }, 'work');
  const changes = {
    [pathOf(2)]: 'grape zebra\n',
    [pathOf(3)]: 'zebra grape\n',
    'new.ts': 'zebra\n',
  };
  const theirs = own.repository.commit(changes, 'main');
  const workspace = await own.enter({ baseCommit: ours, merge: { theirs, branch: 'main' } });
  expect(workspace.merge?.result).toBe('conflicts');
  await expectSame(workspace, 'merged');
  await workspace.close();
});

it('is another one for sparse clones', async () => {
  const own = scene();
  const sparse = Array.from({ length: 7 }, (_, at) => `d${at}`);
  const workspace = await own.enter({ sparse });
  await expectSame(workspace, 'at first');
  expect(await workspace.search.indexed()).toMatchObject({ files: (FILES / 8) * 7 });
  await expectSame(workspace, 'indexed');
  expect(wordsIn(own.directory)).toEqual([
    expect.stringContaining('.sparse.git/issuewright-words/'),
  ]);
  await workspace.close();
});
