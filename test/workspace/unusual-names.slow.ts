import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startGitServer } from '../support/git-server.ts';
import type { GitServer, TestRepository } from '../support/git-server.ts';
import { RawObjects, type Entry, type ObjectType } from '../support/raw-objects.ts';
import { AT, BRANCH, open, text } from './support.ts';

let server: GitServer;
let repository: TestRepository;

beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());

/** Writes an object as it is, without git's checks; answers its id. */
const object = (type: ObjectType, content: Uint8Array): string =>
  written((objects) => objects.add(type, content));

const tree = (entries: readonly Entry[]): string => written((objects) => objects.tree(...entries));

function written(make: (objects: RawObjects) => string): string {
  const objects = new RawObjects();
  const oid = make(objects);
  objects.store(repository.directory);
  return oid;
}

function commitOf(entries: readonly Entry[]): string {
  const commit = repository.git('commit-tree', '-m', 'Odd names', tree(entries));
  repository.git('update-ref', 'refs/heads/main', commit);
  return commit;
}

/** Every entry, with its bytes as latin1. */
const listed = (commit: string): string[] =>
  execFileSync('git', ['ls-tree', '-r', '-z', commit], { cwd: repository.directory })
    .toString('latin1')
    .split('\0')
    .filter((line) => line !== '');

it('names and modes that git alone can hold are carried along byte for byte', async () => {
  repository = server.createRepository('octo/odd', { 'README.md': 'Sample\n' });
  const blob = object('blob', Buffer.from('x\n'));
  const latin: Entry = ['100644', 'caf\xe9.txt', blob];
  const inner = tree([latin, ['100644', 'back\\slash.txt', blob], ['100644', 'plain.txt', blob]]);
  const base = commitOf([
    ['100644', 'a\\b.txt', blob],
    latin,
    ['40000', 'dir', inner],
    ['40000', 'dir\xff', tree([latin])],
    ['100600', 'private.txt', blob],
    ['100664', 'shared.txt', blob],
    ['100775', 'tool.sh', blob],
  ]);
  const workspace = await open(server, repository);
  try {
    expect(await workspace.git.changes()).toEqual([]);
    const names = readdirSync(Buffer.from(workspace.commands.directory), { encoding: 'buffer' });
    expect(names.map((name) => name.toString('latin1')).toSorted()).toEqual([
      'a\\b.txt',
      'caf\xe9.txt',
      'dir',
      'dir\xff',
      'private.txt',
      'shared.txt',
      'tool.sh',
    ]);
    await workspace.files.write('top.txt', text('new\n'));
    await workspace.files.write('dir/new.txt', text('new\n'));
    await workspace.files.delete('dir/plain.txt');
    const done = await workspace.git.commit({ message: 'Change', at: AT });
    expect(done?.withheld).toBeUndefined();
    expect(done?.files.map(({ path }) => path)).toEqual([
      'dir/new.txt',
      'dir/plain.txt',
      'top.txt',
    ]);
    const [before, after] = [listed(base), listed(BRANCH)];
    expect(before.filter((line) => !after.includes(line))).toEqual([
      `100644 blob ${blob}\tdir/plain.txt`,
    ]);
    expect(
      after.filter((line) => !before.includes(line)).map((line) => line.split('\t')[1]),
    ).toEqual(['dir/new.txt', 'top.txt']);
    expect(await workspace.git.changes()).toEqual([]);
    // The next commit, and the next clone, start from it.
    await workspace.files.write('shared.txt', text('changed\n'));
    await workspace.git.commit({ message: 'Again', at: AT });
    expect(listed(BRANCH).find((line) => line.endsWith('\tshared.txt'))).toMatch(/^100644 /);
    // `ls-tree` does not show the old modes.
    const root = execFileSync('git', ['cat-file', 'tree', `${BRANCH}^{tree}`], {
      cwd: repository.directory,
    }).toString('latin1');
    expect(root).toContain('100600 private.txt\0');
    expect(root).toContain('100775 tool.sh\0');
  } finally {
    await workspace.close();
  }
});

it('entries that git itself would use, or that lead out, are carried along and never written', async () => {
  repository = server.createRepository('octo/hostile', { 'README.md': 'Sample\n' });
  const blob = object('blob', Buffer.from('x\n'));
  const inner = tree([['100644', 'config', blob]]);
  const base = commitOf([
    ['40000', '..', inner],
    ['40000', '.GIT', inner],
    ['40000', '.git', inner],
    ['100644', 'a', blob],
    ['100644', 'a/b', blob],
    ['40000', 'git~1', inner],
    ['40000', 'd'.repeat(300), tree([['100644', '.gitattributes', blob]])],
    ['100644', 'n'.repeat(300), blob],
  ]);
  const workspace = await open(server, repository);
  try {
    expect(readdirSync(workspace.commands.directory)).toEqual(['a']);
    expect(readdirSync(`${workspace.commands.directory}/..`).toSorted()).toEqual(['git', 'tree']);
    await workspace.files.write('new.txt', text('new\n'));
    await workspace.git.commit({ message: 'Change', at: AT });
    const after = listed(BRANCH);
    expect(listed(base).filter((line) => !after.includes(line))).toEqual([]);
    expect(after).toHaveLength(listed(base).length + 1);
  } finally {
    await workspace.close();
  }
});

it('a directory with two entries of one name is reported before anything is asked of a model', async () => {
  repository = server.createRepository('octo/twice', { 'README.md': 'Sample\n' });
  const blob = object('blob', Buffer.from('x\n'));
  commitOf([
    ['120000', 'a', object('blob', Buffer.from('/etc'))],
    ['40000', 'a', tree([['100644', 'passwd', blob]])],
  ]);
  await expect(open(server, repository)).rejects.toThrow(/two entries of one name.*git fsck/);
});

it('of 600 names that differ in a byte, in case or in their composition, a commit takes those that changed', async () => {
  repository = server.createRepository('octo/names', { 'README.md': 'Sample\n' });
  const utf8 = (name: string): string => Buffer.from(name).toString('latin1');
  const pairs = ['é', 'Å', '가', 'ｶﾞ', 'ñ'].flatMap((one) => [
    one.normalize('NFC'),
    one.normalize('NFD'),
  ]);
  const cases = [
    'readme',
    'README',
    'Readme',
    'ß',
    'ẞ',
    'SS',
    'i',
    'İ',
    'ı',
    'I',
    'ſ',
    's',
    'K',
    '\u212a',
  ];
  const bytes = Array.from({ length: 255 }, (_byte, at) => String.fromCharCode(at + 1));
  const lengths = Array.from({ length: 255 }, (_length, at) => 'n'.repeat(at + 1));
  const wide = Array.from({ length: 85 }, (_length, at) => '漢'.repeat(at + 1));
  const names = [...bytes.filter((byte) => byte !== '/' && byte !== '.'), ...lengths];
  names.push(...[...pairs, ...cases, ...wide].map(utf8));
  const blob = object('blob', Buffer.from('x\n'));
  const sorted = [...new Set(names)].toSorted();
  const base = commitOf(sorted.map((name): Entry => ['100644', name, blob]));
  const workspace = await open(server, repository);
  const { directory, watch } = workspace.commands;
  const edited = ['n', 'N', ...pairs.slice(0, 4), ...cases, 'n'.repeat(255), '漢'.repeat(85), '*'];
  try {
    const before = listed(base);
    await watch.begin();
    expect(await workspace.git.changes()).toEqual([]);
    for (const [at, name] of edited.entries()) {
      writeFileSync(`${directory}/${name}`, `${at}\n`);
      expect((await watch.end(async () => [])).changed).toEqual([name]);
      await workspace.drain();
    }
    // Git alone can hold this one: the model is told that no commit takes the change.
    writeFileSync(Buffer.concat([Buffer.from(`${directory}/`), Buffer.of(0xe9)]), 'changed\n');
    expect((await watch.end(async () => [])).leftOut.names).toEqual(['\udce9']);
    const done = await workspace.git.commit({ message: 'Change', at: AT });
    expect(done?.files.map(({ path }) => path).toSorted()).toEqual(edited.toSorted());
    const after = listed(BRANCH);
    const changed = after.filter((line) => !before.includes(line));
    expect(changed.map((line) => line.split('\t').slice(1).join('\t')).toSorted()).toEqual(
      edited.map(utf8).toSorted(),
    );
    expect(after).toHaveLength(before.length);
  } finally {
    await workspace.close();
  }
});

it('a file whose name only git likes is read, changed and moved, and no new one is made', async () => {
  repository = server.createRepository('octo/unusual', { 'README.md': 'Sample\n' });
  const blob = object('blob', Buffer.from('needle\n'));
  const NAMES = ['a\\b.txt', 'bell\x07', 'line\nbreak', 'tab\there', 'x\\351y', '~', 'C:'];
  commitOf([
    ...NAMES.map((name): Entry => ['100644', name, blob]),
    ['40000', 'back\\dir', tree([['100644', 'f', blob]])],
  ]);
  const workspace = await open(server, repository);
  const { files } = workspace;
  for (const name of NAMES) {
    for (const path of [name, JSON.stringify(name)])
      expect(Buffer.from(await files.read(path)).toString()).toBe('needle\n');
    await expect(files.write(`${name}/../${name}`, text('x'))).rejects.toThrow('".."');
  }
  for (const path of ['n\\b.txt', '"n\\nb"', '~/new', 'C:/new', 'back\\dir/new'])
    await expect(files.write(path, text('x'))).rejects.toThrow(/backslash|control|not relative/);
  await expect(files.rename([{ from: 'README.md', to: 'n\\m' }])).rejects.toThrow('backslash');
  await files.write('"line\\nbreak"', text('changed\n'));
  await files.rename([
    { from: 'a\\b.txt', to: 'b.txt' },
    { from: '"back\\\\dir"', to: 'dir' },
  ]);
  await files.delete('~');
  const done = await workspace.git.commit({ message: 'Change', at: AT });
  expect(done?.files.map(({ status, path }) => `${status} ${path}`).toSorted()).toEqual([
    'added b.txt',
    'added dir/f',
    'deleted a\\b.txt',
    'deleted back\\dir/f',
    'deleted ~',
    'modified line\nbreak',
  ]);
  await workspace.close();
});
