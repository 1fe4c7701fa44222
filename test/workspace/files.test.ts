import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ContainedTree } from '../../src/workspace/files/contained-tree.ts';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { IsSymbolicLink, OpenDirectory } from '../../src/workspace/files/open-directory.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { filesBelow } from '../support/files-below.ts';

const open = (): { root: string; files: WorkspaceFiles } => {
  const root = temporaryDirectory();
  return { root, files: new WorkspaceFiles(root) };
};

describe('the files of a workspace', () => {
  it('come back byte for byte, in directories made on the way', async () => {
    const { files } = open();
    const content = Uint8Array.from([0, 255, 13, 10, 128]);
    expect(await files.write('a/b/c.bin', content)).toEqual({ replaced: false });
    expect(await files.write('a/b/c.bin', content)).toEqual({ replaced: true });
    expect(Uint8Array.from(await files.read('./a//b/c.bin'))).toEqual(content);
  });

  it('keep their mode when they are replaced, and are 644 when new', async () => {
    const { root, files } = open();
    writeFileSync(join(root, 'run.sh'), 'old');
    chmodSync(join(root, 'run.sh'), 0o755);
    await files.write('run.sh', Buffer.from('new'));
    await files.write('plain.txt', Buffer.from('new'));
    expect(statSync(join(root, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(statSync(join(root, 'plain.txt')).mode & 0o777).toBe(0o644);
  });

  it('are rejected beyond 1 MiB, for reading and for writing', async () => {
    const { root, files } = open();
    await files.write('large', new Uint8Array(1024 * 1024));
    expect((await files.read('large')).byteLength).toBe(1024 * 1024);
    await expect(files.write('large', new Uint8Array(1024 * 1024 + 1))).rejects.toThrow('split it');
    truncateSync(join(root, 'large'), 1024 * 1024 + 1);
    await expect(files.read('large')).rejects.toThrow(
      '"large" has 1048577 bytes, and at most 1048576 can be handled here: search in it instead.',
    );
    expect((await files.read('large', 2 ** 21)).byteLength).toBe(1024 * 1024 + 1);
  });

  it('are listed by name with kind and size, and whether .gitignore leaves them out', async () => {
    const { root, files } = open();
    await files.write('b/inner', Buffer.from('x'));
    await files.write('a.txt', Buffer.from('123'));
    await files.write('d.log', Buffer.from(''));
    await files.write('.gitignore', Buffer.from('*.log\n'));
    symlinkSync('a.txt', join(root, 'c'));
    expect(await files.list('.')).toEqual([
      { name: '.gitignore', kind: 'file', size: 6, isIgnored: false },
      { name: 'a.txt', kind: 'file', size: 3, isIgnored: false },
      { name: 'b', kind: 'directory', size: 0, isIgnored: false },
      { name: 'c', kind: 'symlink', size: 0, isIgnored: false, target: 'a.txt' },
      { name: 'd.log', kind: 'file', size: 0, isIgnored: true },
    ]);
  });

  it('are listed with what .gitignore leaves out marked, directory by directory', async () => {
    const { files } = open();
    for (const path of ['src/a.ts', 'src/b.log', 'dist/c.js', 'keep.log'])
      await files.write(path, Buffer.from(''));
    await files.write('.gitignore', Buffer.from('dist/\n*.log\n!keep.log\n'));
    expect(await filesBelow(files)).toEqual(['.gitignore', 'keep.log', 'src/a.ts']);
    expect(await filesBelow(files, 'src')).toEqual(['src/a.ts']);
    await expect(files.list('nowhere')).rejects.toThrow('does not exist');
  });

  it('that are tracked are not ignored, even if .gitignore names them', async () => {
    const root = temporaryDirectory();
    const tracked = new Set(['dist', 'dist/kept.js']);
    const files = new WorkspaceFiles(root, (path) => tracked.has(path));
    for (const path of ['dist/kept.js', 'dist/made.js']) await files.write(path, Buffer.from(''));
    await files.write('.gitignore', Buffer.from('dist/*\n'));
    expect(await filesBelow(files)).toEqual(['.gitignore', 'dist/kept.js']);
  });

  it('do not trust a .gitignore that is a link', async () => {
    const { root, files } = open();
    symlinkSync('/dev/zero', join(root, '.gitignore'));
    writeFileSync(join(root, 'a'), '');
    expect(await filesBelow(files)).toEqual(['a']);
  });
});

describe('drained changes', () => {
  it('hold each changed path once, whole, and only since the last drain', async () => {
    const { files } = open();
    await files.write('a', Buffer.from('1'));
    await files.write('a', Buffer.from('2'));
    expect(files.changes.drain()).toEqual([
      { path: 'a', mode: '100644', content: Buffer.from('2') },
    ]);
    expect(files.changes.drain()).toEqual([]);
    await expect(files.write('../a', Buffer.from(''))).rejects.toThrow();
    expect(files.changes.drain()).toEqual([]);
  });

  it('are what tools wrote, moved and deleted, and not read again', async () => {
    const { root, files } = open();
    for (const name of ['run.sh', 'moved', 'gone']) writeFileSync(join(root, name), name);
    chmodSync(join(root, 'run.sh'), 0o755);
    await files.write('run.sh', Buffer.from('new'));
    await files.rename([{ from: 'moved', to: 'here' }]);
    await files.delete('gone');
    for (const name of ['run.sh', 'here', 'gone', 'moved'])
      writeFileSync(join(root, name), 'other');
    expect(files.changes.drain()).toEqual([
      { path: 'run.sh', mode: '100755', content: Buffer.from('new') },
      { path: 'moved', mode: '100644', content: null },
      { path: 'here', mode: '100644', content: Buffer.from('moved') },
      { path: 'gone', mode: '100644', content: null },
    ]);
  });

  it('can be restored: files, executables, links, deletions, a directory that became a file', async () => {
    const { root, files } = open();
    mkdirSync(join(root, 'gone'));
    writeFileSync(join(root, 'gone', 'inner.txt'), 'x');
    writeFileSync(join(root, 'script'), '');
    symlinkSync('nowhere', join(root, 'was-link'));
    files.restore([
      { path: 'gone', mode: '100644', content: Buffer.from('now a file') },
      { path: 'gone/inner.txt', mode: '100644', content: null },
      { path: 'never/there', mode: '100644', content: null },
      { path: 'script', mode: '100644', content: Buffer.from('first') },
      { path: 'script', mode: '100755', content: Buffer.from('last') },
      { path: 'link', mode: '120000', content: Buffer.from('script') },
      { path: 'was-link', mode: '100644', content: Buffer.from('file') },
    ]);
    expect(readFileSync(join(root, 'gone'), 'utf8')).toBe('now a file');
    expect(readFileSync(join(root, 'link'), 'utf8')).toBe('last');
    expect(statSync(join(root, 'script')).mode & 0o777).toBe(0o755);
    expect(readFileSync(join(root, 'was-link'), 'utf8')).toBe('file');
    expect(files.changes.drain()).toEqual([]);
  });
});

describe.each([
  ['with /proc', undefined],
  ['without /proc', false],
])('a contained tree %s', (_system, hasProc) => {
  it('reads, writes, lists, takes away and puts back, and follows no link', () => {
    const root = temporaryDirectory();
    const tree = new ContainedTree(root, hasProc);
    expect(tree.write(['a', 'b', 'c'], Buffer.from('1')).replaced).toBe(false);
    expect(tree.write(['a', 'b', 'c'], Buffer.from('2')).replaced).toBe(true);
    expect(Buffer.from(tree.read(['a', 'b', 'c'], 10)).toString()).toBe('2');
    expect(tree.list(['a', 'b'])).toEqual([{ name: 'c', kind: 'file', size: 1 }]);
    const taken = tree.capture(['a', 'b', 'c']);
    tree.remove(['a', 'b', 'c']);
    expect(tree.exists(['a'])).toBe(false);
    tree.restore(['d', 'e'], taken);
    symlinkSync('d', join(root, 'link'));
    expect(tree.kind(['link'])).toBe('symlink');
    for (const act of [
      () => tree.read(['link', 'e'], 10),
      () => tree.write(['link', 'e'], Buffer.from('3')),
      () => tree.list(['link']),
      () => tree.remove(['link', 'e']),
    ])
      expect(act).toThrow(IsSymbolicLink);
    expect(readFileSync(join(root, 'd', 'e'), 'utf8')).toBe('2');
  });
});

describe('a directory held open without /proc', () => {
  it('still enters no link', () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, 'real'));
    symlinkSync('real', join(root, 'link'));
    const directory = OpenDirectory.open(root, false);
    directory.enter('real').close();
    expect(() => directory.enter('link')).toThrow('link');
    directory.close();
  });

  it('is rejected once something else is in its place', () => {
    const root = temporaryDirectory();
    mkdirSync(join(root, 'real'));
    mkdirSync(join(root, 'other'));
    const outer = OpenDirectory.open(root, false);
    const directory = outer.enter('real');
    outer.close();
    expect(directory.at('file')).toBe(join(root, 'real', 'file'));
    renameSync(join(root, 'real'), join(root, 'aside'));
    symlinkSync('other', join(root, 'real'));
    expect(() => directory.at('file')).toThrow(IsSymbolicLink);
    directory.close();
  });
});
