// What a workspace does is the same whatever engine it has.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TellPerson } from '../../../src/lib/errors.ts';
import { BranchMoved } from '../../../src/workspace/git/publish/push.ts';
import { resolveRemote } from '../../../src/workspace/git/remote.ts';
import type { Workspace, WorkspaceOptions } from '../../../src/workspace/workspace.ts';
import { faultsIn } from '../../support/fsck.ts';
import { nativeGit, startGitServer } from '../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../support/git-server.ts';
import { RawObjects } from '../../support/raw-objects.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { AT, BRANCH, byCommand, open, text } from '../support.ts';
import { ENGINES, refusalOf } from './engines.ts';

const LFS_POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`;
const MODULE = '1'.repeat(40);

let server: GitServer;
let repository: TestRepository;
let count = 0;
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());

describe.each(ENGINES)('a workspace of the %s engine', (engine) => {
  const directory = join(temporaryDirectory(), 'cache');
  const git = (maxBytes = 2 ** 28) => ({
    engine,
    maxBytes,
    cache: engine === 'native' ? { directory, maxBytes: 2 ** 28 } : undefined,
  });
  let opened: Workspace[];
  let before: readonly string[];
  beforeEach(() => {
    count += 1;
    opened = [];
    before = [];
    repository = server.createRepository(`octo/engines-${count}`, {});
  });
  afterEach(async () => {
    for (const workspace of opened) await workspace.close();
    // Whatever it made is as git would make it.
    expect(faultsIn(repository.directory)).toEqual(before);
  });

  const enter = async (options: Partial<WorkspaceOptions> = {}): Promise<Workspace> => {
    before = faultsIn(repository.directory);
    const workspace = await open(server, repository, { git: git(), ...options });
    opened.push(workspace);
    return workspace;
  };
  const commit = (workspace: Workspace, message = 'Change') =>
    workspace.git.commit({ message, at: AT });
  const at = ({ commands }: Workspace, path: string) => join(commands.directory, path);
  const treeOf = (revision: string) => repository.git('rev-parse', `${revision}^{tree}`);

  /** Commits objects that native git would not make itself. */
  function commitRaw(make: (objects: RawObjects) => string): string {
    const objects = new RawObjects();
    const made = objects.commit(make(objects));
    objects.store(repository.directory);
    repository.git('update-ref', 'refs/heads/main', made);
    return made;
  }

  describe('that is opened', () => {
    it('has each file byte for byte, with its mode, and links as they are', async () => {
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
      repository.commit({
        'bytes.bin': bytes,
        'deep/er/run.sh': { content: '#!/bin/sh\n', mode: 'executable' },
        empty: '',
        link: { content: 'nowhere', mode: 'symlink' },
        'ümlaut 漢.txt': 'ü\r\n',
      });
      const workspace = await enter();
      expect(readFileSync(at(workspace, 'bytes.bin'))).toEqual(bytes);
      expect(lstatSync(at(workspace, 'deep/er/run.sh')).mode & 0o111).toBe(0o111);
      expect(lstatSync(at(workspace, 'bytes.bin')).mode & 0o133).toBe(0);
      expect(readlinkSync(at(workspace, 'link'))).toBe('nowhere');
      expect(readFileSync(at(workspace, 'ümlaut 漢.txt'), 'utf8')).toBe('ü\r\n');
      expect(readFileSync(at(workspace, 'empty'))).toHaveLength(0);
      expect(readdirSync(workspace.commands.directory)).toHaveLength(5);
      expect(await workspace.git.changes()).toEqual([]);
    });

    it('has what the commit has, whatever attributes say of line ends, filters and encodings', async () => {
      const files = {
        'crlf.txt': 'one\r\ntwo\n',
        'id.txt': '$Id$\n',
        'lf.txt': 'one\ntwo\n',
        'model.bin': LFS_POINTER,
        'wide.txt': Buffer.from('wide\n', 'utf16le'),
      };
      const attributes = [
        '*.txt text eol=crlf ident filter=x',
        'wide.txt working-tree-encoding=UTF-16LE',
        'model.bin filter=lfs diff=lfs merge=lfs -text',
      ];
      commitRaw((objects) => {
        const all = { ...files, '.gitattributes': `${attributes.join('\n')}\n` };
        const names = Object.entries(all).toSorted(([one], [other]) => (one < other ? -1 : 1));
        const entries = names.map(
          ([name, content]) => ['100644', name, objects.blob(content)] as const,
        );
        return objects.tree(...entries);
      });
      const workspace = await enter();
      for (const [name, content] of Object.entries(files))
        expect(readFileSync(at(workspace, name))).toEqual(Buffer.from(content));
      expect(await workspace.git.changes()).toEqual([]);
      await workspace.files.write('crlf.txt', text('one\r\n2\n'));
      await workspace.files.write('id.txt', text('$Id$\r\n'));
      await workspace.files.write('lf.txt', text('one\r\n2\n'));
      await workspace.files.write('new.txt', text('$Id$\r\n'));
      expect((await commit(workspace))?.files).toHaveLength(3);
      expect(repository.git('cat-file', '-s', `${BRANCH}:crlf.txt`)).toBe('7');
      expect(repository.git('cat-file', '-s', `${BRANCH}:lf.txt`)).toBe('6');
      expect(repository.git('cat-file', '-s', `${BRANCH}:new.txt`)).toBe('5');
      const changed = repository.git('diff', '--name-only', 'main', BRANCH);
      expect(changed).toBe('crlf.txt\nlf.txt\nnew.txt');
    });

    it('carries submodules, old modes, twins and unusual names along', async () => {
      const base = commitRaw((objects) => {
        const x = objects.blob('x\n');
        return objects.tree(
          ['100644', 'README', x],
          ['100664', 'Readme', x],
          ['100644', 'back\\slash', x],
          ['100644', 'caf\xe9', x],
          ['160000', 'module', MODULE],
          ['100644', 'readme', x],
        );
      });
      const workspace = await enter();
      expect(readdirSync(at(workspace, 'module'))).toEqual([]);
      expect(readdirSync(workspace.commands.directory)).toHaveLength(6);
      expect(await workspace.git.changes()).toEqual([]);
      await workspace.files.write('readme', text('y\n'));
      expect((await commit(workspace))?.files).toEqual([{ path: 'readme', status: 'modified' }]);
      expect(repository.git('diff', '--name-only', base, BRANCH)).toBe('readme');
      const raw = repository.git('cat-file', '-p', `${BRANCH}^{tree}`);
      expect(raw).toContain(`160000 commit ${MODULE}\tmodule`);
    });

    it('has 1,500 directories in one another', async () => {
      const path = `${'d/'.repeat(1_500)}x`;
      commitRaw((objects) => {
        let level = objects.tree(['100644', 'x', objects.blob('x')]);
        for (let depth = 0; depth < 1_500; depth += 1) level = objects.tree(['40000', 'd', level]);
        return level;
      });
      const workspace = await enter();
      expect(readFileSync(at(workspace, path), 'utf8')).toBe('x');
      expect(await workspace.git.changes()).toEqual([]);
    });

    it('says what is wrong before a model is asked', async () => {
      const head = repository.commit({ 'zeros.bin': Buffer.alloc(3_000_000) });
      before = [];
      const said = (options: Partial<WorkspaceOptions>) => refusalOf(enter(options));
      expect(await said({ git: git(1_000_000) })).toMatch(/too large to work on/);
      expect(await said({ git: git(1_000) })).toMatch(/too large to work on/);
      expect(await said({ baseCommit: MODULE })).toMatch(/is no longer in/);
      expect(await said({ baseCommit: head })).toBeUndefined();
    });
  });

  describe('with changes', () => {
    beforeEach(() => {
      repository.commit({
        '.gitignore': 'dist/\n',
        'a.txt': 'a\n',
        'b.txt': 'b\n',
        'c/d.txt': 'd\n',
        link: { content: 'a.txt', mode: 'symlink' },
      });
    });
    const change = (workspace: Workspace) =>
      byCommand(workspace, (tree) => {
        writeFileSync(join(tree, 'a.txt'), 'changed\n');
        rmSync(join(tree, 'b.txt'));
        chmodSync(join(tree, 'c/d.txt'), 0o755);
        rmSync(join(tree, 'link'));
        symlinkSync('c/d.txt', join(tree, 'link'));
        writeFileSync(join(tree, 'new.txt'), 'new\n');
      });

    it('finds, shows and commits what native git does', async () => {
      const workspace = await enter();
      await change(workspace);
      const paths = ['a.txt', 'b.txt', 'c/d.txt', 'link', 'new.txt'];
      expect((await workspace.git.changes()).map(({ path }) => path)).toEqual(paths);
      const [diff] = await workspace.git.diff('a.txt');
      expect(diff).toMatchObject({ path: 'a.txt', hunks: '@@ -1 +1 @@\n-a\n+changed\n' });
      const done = await commit(workspace);
      expect(done?.sha).toBe(repository.head(BRANCH));
      nativeGit(repository.checkout, 'checkout', '-q', '-b', 'by-git');
      nativeGit(repository.checkout, 'rm', '-q', 'b.txt', 'link');
      chmodSync(join(repository.checkout, 'c/d.txt'), 0o755);
      const link = { content: 'c/d.txt', mode: 'symlink' } as const;
      repository.commit({ 'a.txt': 'changed\n', link, 'new.txt': 'new\n' }, 'by-git');
      expect(treeOf(BRANCH)).toBe(treeOf('by-git'));
      expect(repository.git('rev-parse', `${BRANCH}^`)).toBe(repository.head());
    });

    it('commits a file that became a directory, and at last no files', async () => {
      const workspace = await enter();
      await byCommand(workspace, (tree) => {
        rmSync(join(tree, 'a.txt'));
        mkdirSync(join(tree, 'a.txt'));
        writeFileSync(join(tree, 'a.txt/inner'), 'x');
        rmSync(join(tree, 'c'), { recursive: true });
        writeFileSync(join(tree, 'c'), 'now a file');
      });
      await commit(workspace);
      const names = repository.git('ls-tree', '-r', '--name-only', BRANCH).split('\n');
      expect(names).toEqual(['.gitignore', 'a.txt/inner', 'b.txt', 'c', 'link']);
      await byCommand(workspace, (tree) => {
        for (const name of readdirSync(tree)) rmSync(join(tree, name), { recursive: true });
      });
      await commit(workspace, 'Empty');
      expect(repository.git('ls-tree', '-r', BRANCH)).toBe('');
    });

    it('makes the same commit again after it was opened again, and the next one on top of it', async () => {
      const first = await enter();
      await first.files.write('a.txt', text('changed\n'));
      const changes = await first.drain();
      const done = await commit(first);
      const again = await enter({ changes, baseCommit: repository.head() });
      expect((await commit(again))?.sha).toBe(done?.sha);
      const next = await enter({ baseCommit: repository.head(BRANCH) });
      await next.files.write('b.txt', text('changed\n'));
      await commit(next, 'Next');
      expect(repository.git('rev-parse', `${BRANCH}^`)).toBe(done?.sha);
    });

    it('uploads only what is new after the base moved, and overwrites nothing of others', async () => {
      const workspace = await enter();
      repository.commit({ 'large.bin': Buffer.alloc(100_000, 'x'), 'a.txt': 'moved\n' });
      await workspace.files.write('b.txt', text('changed\n'));
      server.bytesReceived = 0;
      await commit(workspace);
      expect(server.bytesReceived).toBeLessThan(2_500);
      nativeGit(repository.checkout, 'fetch', '-q', 'origin', BRANCH);
      nativeGit(repository.checkout, 'checkout', '-q', '-b', BRANCH, 'FETCH_HEAD');
      const theirs = repository.commit({ 'theirs.txt': 'x' }, BRANCH);
      await workspace.files.write('b.txt', text('again\n'));
      await expect(commit(workspace)).rejects.toBeInstanceOf(BranchMoved);
      expect(repository.head(BRANCH)).toBe(theirs);
    });
  });

  describe('with a merge', () => {
    const lines = (changed: number, word: string): string =>
      Array.from({ length: 9 }, (_, at) => `${at === changed ? word : `line ${at}`}\n`).join('');
    beforeEach(() => {
      repository.commit({ 'a.txt': lines(-1, ''), 'b.txt': 'b\n' });
      nativeGit(repository.checkout, 'branch', BRANCH);
    });
    const merging = () =>
      enter({
        baseCommit: repository.head(BRANCH),
        merge: { theirs: repository.head(), branch: 'main' },
      });

    it('has the tree that native git makes of it, and commits it with two parents', async () => {
      const ours = repository.commit({ 'a.txt': lines(1, 'ours') }, BRANCH);
      const theirs = repository.commit({ 'a.txt': lines(7, 'theirs'), 'c.txt': 'c\n' });
      const workspace = await merging();
      expect(workspace.merge).toMatchObject({ result: 'clean' });
      expect(await workspace.git.changes()).toEqual([]);
      await commit(workspace, 'Merge');
      expect(repository.git('log', '-1', '--format=%P', BRANCH)).toBe(`${ours} ${theirs}`);
      expect(treeOf(BRANCH)).toBe(repository.git('merge-tree', '--write-tree', ours, theirs));
    });

    it('shows who changed what on both sides, and takes what was decided', async () => {
      repository.commit({ 'a.txt': lines(1, 'ours') }, BRANCH);
      const theirs = repository.commit({ 'a.txt': lines(1, 'theirs') });
      const workspace = await merging();
      expect(workspace.merge).toMatchObject({
        result: 'conflicts',
        conflicts: [{ path: 'a.txt', theirs: { commits: [{ sha: theirs }] } }],
      });
      await expect(commit(workspace)).rejects.toThrow('markers');
      await workspace.files.write('a.txt', text(lines(1, 'both')));
      await commit(workspace, 'Merge');
      expect(repository.git('show', `${BRANCH}:a.txt`)).toContain('both');
    });

    it('fetches more of the history until it tells what the two have in common', async () => {
      const ours = repository.commit({ 'a.txt': lines(1, 'ours') }, BRANCH);
      const objects = new RawObjects();
      const person = 'maintainer <maintainer@example.test> 1767323045 +0000';
      const common = repository.head();
      const tree = treeOf(common);
      let theirs = common;
      for (let at = 0; at < 60; at += 1) {
        const begin = `tree ${tree}\nparent ${theirs}\n`;
        theirs = objects.commit(tree, `${begin}author ${person}\ncommitter ${person}\n`);
      }
      objects.store(repository.directory);
      repository.git('update-ref', 'refs/heads/main', theirs);
      const workspace = await merging();
      expect(workspace.merge).toMatchObject({ result: 'clean' });
      const gitdir = join(workspace.commands.directory, '../git');
      expect(nativeGit(gitdir, 'merge-base', ours, theirs)).toBe(common);
    });

    it('says so if the two have nothing in common', async () => {
      repository.commit({ 'a.txt': lines(1, 'ours') }, BRANCH);
      commitRaw((objects) => objects.tree(['100644', 'x', objects.blob('x')]));
      expect(await refusalOf(merging())).toMatch(/no commit in common/);
    });
  });

  it('works on a repository whose server has no history, or says why not', async () => {
    for (const name of ['one', 'two', 'three']) repository.commit({ 'a.txt': name });
    const head = repository.head();
    writeFileSync(join(repository.directory, 'shallow'), `${head}\n`);
    const work = async (): Promise<string> => {
      const workspace = await enter();
      await workspace.files.write('a.txt', text('four'));
      await commit(workspace);
      return repository.git('log', '-1', '--format=%P', '--all', '--not', 'main');
    };
    const came = await work().catch((error: unknown) => {
      // To try again would not help.
      if (error instanceof TellPerson) return error.message;
      throw error;
    });
    // isomorphic-git cannot read what such a server says of itself.
    const refused: unknown = expect.stringMatching(/only a part of its history.*`GIT_ENGINE`/);
    expect(came).toEqual(engine === 'isomorphic' ? refused : head);
  });
});

describe('a remote', () => {
  const said = () =>
    refusalOf(
      resolveRemote({
        remoteUrl: repository.url,
        credentials: () => Promise.resolve(server.token),
        signal: new AbortController().signal,
      }),
    );

  it('without commits, or without its default branch, is explained', async () => {
    repository = server.createRepository('octo/engines-empty', {});
    expect(await said()).toMatch(/There are no commits in/);
    repository.commit({ 'a.txt': 'a' }, 'other');
    expect(await said()).toMatch(/default branch .* does not exist/);
  });
});
