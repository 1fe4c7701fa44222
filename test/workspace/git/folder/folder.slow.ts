// What a person has in a folder: repositories of each form, and what they do in them while a session works there.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { FolderRepository } from '../../../../src/workspace/git/folder/folder.ts';
import {
  serveFolder,
  type FolderServer,
} from '../../../../src/workspace/git/folder/folder-server.ts';
import { nativeGit } from '../../../support/git-server.ts';
import { isRoot, NOBODY } from '../../../support/other-user.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { BRANCH, pushCommit } from './folder-client.ts';
import { FORMS, newFolder } from './hostile-folder.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(
  folder: string,
  environment: Record<string, string> = {},
): Promise<FolderRepository> {
  const { signal } = new AbortController();
  const repository = await FolderRepository.find(folder, signal, environment);
  closing.unshift(() => repository.close());
  return repository;
}

async function serve(folder: string): Promise<FolderServer & { readonly commit: string }> {
  const repository = await open(folder);
  const server = await serveFolder(repository);
  closing.unshift(() => server.close());
  return { ...server, commit: repository.head().commit };
}

describe.each(FORMS)('a folder (%s)', (form) => {
  it('has the branch afterwards, for `git merge`, and nothing else', async () => {
    const { tree, common } = newFolder(form);
    const index = nativeGit(tree, 'ls-files', '--stage', '--debug');
    const served = await serve(tree);
    const made = await pushCommit(served, served.commit);
    expect(nativeGit(tree, 'rev-parse', BRANCH)).toBe(made);
    expect(nativeGit(tree, 'ls-files', '--stage', '--debug')).toBe(index);
    expect(existsSync(join(common, 'logs/refs/heads', BRANCH))).toBe(false);
    expect(nativeGit(tree, 'status', '--porcelain')).toBe('');
    expect(nativeGit(tree, 'fsck', '--strict')).toBe('');
    nativeGit(tree, 'merge', '-q', BRANCH);
    expect(nativeGit(tree, 'rev-parse', 'HEAD')).toBe(made);
  });
});

describe('a file of a commit in a folder', () => {
  it('is read through the links of the commit, and not through those that lead out of it', async () => {
    const { tree, outside } = newFolder('archive');
    mkdirSync(join(tree, 'shared'));
    writeFileSync(join(tree, 'shared/rules.md'), 'Use tabs.\n');
    symlinkSync('shared/rules.md', join(tree, 'AGENTS.md'));
    symlinkSync('shared', join(tree, 'docs'));
    symlinkSync(join(outside, 'notes.txt'), join(tree, 'out.md'));
    symlinkSync('gone.md', join(tree, 'nowhere.md'));
    nativeGit(tree, 'add', '.');
    nativeGit(tree, 'commit', '-q', '-m', 'Links');
    const repository = await open(tree);
    const { commit } = repository.head();
    for (const path of ['AGENTS.md', 'docs/rules.md', 'shared/rules.md'])
      expect(await repository.readFile(commit, path)).toBe('Use tabs.\n');
    expect(await repository.readFile(commit, 'shared/none.md')).toBeUndefined();
    await expect(repository.readFile(commit, 'out.md')).rejects.toThrow('out of the repository');
    await expect(repository.readFile(commit, 'nowhere.md')).rejects.toThrow('leads to nothing');
  });
});

describe('a branch in a folder', () => {
  it('moves with each push, packed or not, with any number of objects', async () => {
    const { tree, common } = newFolder('archive');
    nativeGit(tree, 'gc', '-q');
    const served = await serve(tree);
    const first = await pushCommit(served, served.commit, 150);
    nativeGit(tree, 'pack-refs', '--all');
    expect(existsSync(join(common, 'refs/heads', BRANCH))).toBe(false);
    const second = await pushCommit(served, first, 2);
    expect(nativeGit(tree, 'rev-parse', BRANCH)).toBe(second);
    expect(nativeGit(tree, 'ls-tree', '-r', '--name-only', first).split('\n')).toHaveLength(150);
    nativeGit(tree, 'fsck', '--strict');
  });

  it('stays where a person moved it', async () => {
    const { tree } = newFolder('archive');
    const served = await serve(tree);
    const first = await pushCommit(served, served.commit);
    nativeGit(tree, 'branch', '-f', BRANCH, 'main^');
    await expect(pushCommit(served, first)).rejects.toThrow(/rejected/);
    expect(nativeGit(tree, 'rev-parse', BRANCH)).toBe(nativeGit(tree, 'rev-parse', 'main^'));
  });

  it.each(['archive', 'worktree'] as const)(
    'is not moved while it is checked out (%s)',
    async (form) => {
      const { tree } = newFolder(form);
      const served = await serve(tree);
      const first = await pushCommit(served, served.commit);
      nativeGit(tree, 'checkout', '-q', BRANCH);
      await expect(pushCommit(served, first, 1)).rejects.toThrow(/checked out/);
      expect(nativeGit(tree, 'rev-parse', 'HEAD')).toBe(first);
      expect(nativeGit(tree, 'status', '--porcelain')).toBe('');
    },
  );

  it('is not moved while another process writes it', async () => {
    const { tree, common } = newFolder('archive');
    const served = await serve(tree);
    mkdirSync(join(common, 'refs/heads/issuewright'));
    writeFileSync(join(common, 'refs/heads', `${BRANCH}.lock`), '');
    await expect(pushCommit(served, served.commit)).rejects.toThrow(/cannot lock ref/);
    expect(existsSync(join(common, 'refs/heads', `${BRANCH}.lock`))).toBe(true);
  });

  it('can be written by the group of a shared repository', async () => {
    const { tree, common } = newFolder('archive');
    for (const path of ['objects', 'refs', 'refs/heads']) chmodSync(join(common, path), 0o2775);
    const served = await serve(tree);
    const made = await pushCommit(served, served.commit);
    const places = [`objects/${made.slice(0, 2)}`, 'refs/heads/issuewright'];
    for (const path of places) expect(statSync(join(common, path)).mode & 0o7777).toBe(0o2775);
  });

  it('has a name that is free', async () => {
    const { tree, common } = newFolder('archive');
    for (const name of ['one', 'two/three']) nativeGit(tree, 'branch', name);
    nativeGit(tree, 'pack-refs', '--all');
    writeFileSync(join(common, 'refs/heads/four'), 'ref: refs/heads/five\n');
    nativeGit(tree, 'checkout', '-q', '--orphan', 'six');
    nativeGit(tree, 'worktree', 'add', '-q', join(temporaryDirectory(), 'beside'), 'one');
    const repository = await open(join(tree, '.git'));
    const names = ['one', 'two', 'two/three', 'four', 'six', 'seven'];
    const taken = await Promise.all(names.map((name) => repository.isTaken(name)));
    expect(taken).toEqual([true, true, true, true, true, false]);
  });
});

describe('what is not committed in a folder', () => {
  it('is named, and what has the content that it had is not', async () => {
    const { tree, gitdir } = newFolder('archive');
    symlinkSync('readme.md', join(tree, 'link'));
    const program = join(tree, 'program.sh');
    writeFileSync(program, 'true\n');
    chmodSync(program, 0o755);
    nativeGit(tree, 'add', '.');
    nativeGit(tree, 'commit', '-q', '-m', 'Add a link and a program');
    nativeGit(tree, 'config', 'core.fileMode', 'false');
    chmodSync(program, 0o644);
    utimesSync(join(tree, '.gitattributes'), 1, 1);
    writeFileSync(join(tree, 'readme.md'), 'Hello, us!\n');
    writeFileSync(join(gitdir, 'info/exclude'), '*.log\n');
    for (const name of ['new.txt', 'new.log']) writeFileSync(join(tree, name), 'new\n');
    const index = readFileSync(join(gitdir, 'index'));
    expect(await (await open(tree)).uncommitted()).toEqual(['new.txt', 'readme.md']);
    expect(readFileSync(join(gitdir, 'index')).equals(index)).toBe(true);
  });

  it('is found with a split index, too', async () => {
    const { tree } = newFolder('archive');
    nativeGit(tree, 'update-index', '--split-index');
    expect(await (await open(tree)).uncommitted()).toEqual([]);
  });
});

describe('a clone without all objects', () => {
  const cloned = (...options: string[]): string => {
    const { tree } = newFolder('archive');
    nativeGit(tree, 'config', 'uploadpack.allowFilter', 'true');
    const clone = join(temporaryDirectory(), 'clone');
    nativeGit('/', 'clone', '-q', ...options, `file://${tree}`, clone);
    return clone;
  };

  it.each(['--depth=1', '--filter=blob:none', '--filter=tree:0'])(
    'is worked in (%s)',
    async (how) => {
      const clone = cloned(how);
      const served = await serve(clone);
      const made = await pushCommit(served, served.commit, 3);
      expect(nativeGit(clone, 'rev-parse', BRANCH)).toBe(made);
    },
  );

  it('is refused if files of the last commit are missing', async () => {
    const clone = cloned('--filter=blob:none', '--no-checkout');
    await expect(open(clone)).rejects.toThrow(/partial clone, and files of its last commit/);
  });
});

const asRoot = isRoot ? describe : describe.skip;

asRoot('a folder of another user', () => {
  const foreign = (): string => {
    const { tree } = newFolder('archive');
    execFileSync('chown', ['-R', String(NOBODY), tree]);
    return tree;
  };

  it('is refused, with what to do', async () => {
    const tree = foreign();
    const words = `belongs to another user \\(uid ${NOBODY}; yours is 0\\).*git config --global --add safe\\.directory '${tree}'`;
    await expect(open(tree)).rejects.toThrow(new RegExp(words));
  });

  it('is worked in if the user called sudo', async () => {
    const repository = await open(foreign(), { SUDO_UID: String(NOBODY) });
    expect(repository.head().branch).toBe('main');
  });

  it.each([
    ['itself', (tree: string) => tree, /^opened$/],
    ['all', () => '*', /^opened$/],
    ['all beside it', (tree: string) => join(tree, '../*'), /^opened$/],
    ['another one', (tree: string) => `${tree}-other`, /another user/],
    ['the directory around it', (tree: string) => join(tree, '..'), /another user/],
  ])("counts as one's own if one's settings of git allow %s", async (_, of, words) => {
    const tree = foreign();
    const home = temporaryDirectory();
    nativeGit('/', 'config', '--file', join(home, '.gitconfig'), 'safe.directory', of(tree));
    const opened = open(tree, { HOME: home });
    const came = opened.then(
      () => 'opened',
      (error: unknown) => String(error),
    );
    expect(await came).toMatch(words);
  });

  it('is refused if one file of it is', async () => {
    const { tree } = newFolder('submodule');
    chownSync(join(tree, '.git'), NOBODY, NOBODY);
    await expect(open(tree)).rejects.toThrow(/\.git belongs to another user/);
  });
});
