import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Workspace } from '../../../../src/workspace/workspace.ts';
import { nativeGit, startGitServer } from '../../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../../support/git-server.ts';
import { AT, BRANCH, byCommand, open, text } from '../../support.ts';
import { filesBelow } from '../../../support/files-below.ts';

const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n';

let server: GitServer;
let repository: TestRepository;
let workspace: Workspace;
let tree: string;
let count = 0;

beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());
beforeEach(async () => {
  count += 1;
  repository = server.createRepository(`octo/sample-${count}`, {
    'README.md': 'Sample\n',
    '.gitignore': 'dist/\n*.log\n',
    'bin/run.sh': { content: '#!/bin/sh\n', mode: 'executable' },
    link: { content: 'README.md', mode: 'symlink' },
    'src/deep/a.ts': 'a\n',
    'src/deep/b.ts': 'b\n',
    'tracked.log': 'kept\n',
    'model.bin': LFS_POINTER,
    'ümlaut name.txt': 'x\n',
  });
  await openAgain();
});
afterEach(async () => workspace.close());

async function openAgain(options: Parameters<typeof open>[2] = {}): Promise<void> {
  const before = new Set(readdirSync(tmpdir()));
  workspace = await open(server, repository, options);
  const made = readdirSync(tmpdir()).find(
    (name) => name.startsWith(`issuewright-${process.pid}-`) && !before.has(name),
  );
  tree = join(tmpdir(), made ?? 'not found', 'tree');
}

const commit = (message = 'Change') => workspace.git.commit({ message, at: AT });
const log = (format: string) => repository.git('log', `--format=${format}`, BRANCH);

describe('a commit', () => {
  it('holds exactly what changed, on top of the base, under the name of the author', async () => {
    await workspace.files.write('src/deep/a.ts', text('changed\n'));
    await workspace.files.write('src/new/c.ts', text('new\n'));
    const done = await commit('  Say why\r\n\r\nAt length\0\n\n');
    expect(done).toEqual({
      sha: repository.head(BRANCH),
      files: [
        { path: 'src/deep/a.ts', status: 'modified' },
        { path: 'src/new/c.ts', status: 'added' },
      ],
      left: [],
    });
    expect(repository.git('diff', '--name-status', 'main', BRANCH)).toBe(
      'M\tsrc/deep/a.ts\nA\tsrc/new/c.ts',
    );
    expect(repository.git('show', `${BRANCH}:src/deep/a.ts`)).toBe('changed');
    expect(repository.git('cat-file', 'commit', BRANCH)).toMatch(/\n\nSay why\n\nAt length$/);
    expect(log('%an <%ae> %cn %aI %cI').split('\n')[0]).toBe(
      'issuewright[bot] <bot@example.test> issuewright[bot] 2026-01-02T03:04:05+00:00 2026-01-02T03:04:05+00:00',
    );
    expect(repository.git('rev-parse', `${BRANCH}^`)).toBe(repository.head());
    expect(repository.git('fsck', '--full', '--strict')).toBe('');
  });

  it('is not made if nothing changed, even after a write of the same content', async () => {
    await workspace.files.write('README.md', text('Sample\n'));
    expect(await commit()).toBeUndefined();
    expect(repository.git('branch', '--list', BRANCH)).toBe('');
  });

  it('keeps modes and links, and sees a file that only changed its mode', async () => {
    await workspace.files.write('bin/run.sh', text('#!/bin/sh\nexit 0\n'));
    await byCommand(workspace, (tree) => {
      chmodSync(join(tree, 'src/deep/b.ts'), 0o755);
      rmSync(join(tree, 'link'));
      symlinkSync('src/deep/a.ts', join(tree, 'link'));
    });
    expect((await commit())?.files).toEqual([
      { path: 'bin/run.sh', status: 'modified' },
      { path: 'link', status: 'modified' },
      { path: 'src/deep/b.ts', status: 'modified' },
    ]);
    const modes = repository.git('ls-tree', '-r', BRANCH, 'bin/run.sh', 'link', 'src/deep/b.ts');
    expect(modes.split('\n').map((line) => line.slice(0, 6))).toEqual([
      '100755',
      '120000',
      '100755',
    ]);
    expect(repository.git('show', `${BRANCH}:link`)).toBe('src/deep/a.ts');
  });

  it('sees deletions, a file that became a directory, and a directory that became a file', async () => {
    await byCommand(workspace, (tree) => {
      rmSync(join(tree, 'README.md'));
      mkdirSync(join(tree, 'README.md'));
      writeFileSync(join(tree, 'README.md', 'inner'), 'x');
      rmSync(join(tree, 'src'), { recursive: true });
      writeFileSync(join(tree, 'src'), 'now a file');
    });
    await commit();
    expect(repository.git('ls-tree', '-r', '--name-only', BRANCH, 'README.md', 'src')).toBe(
      'README.md/inner\nsrc',
    );
    expect(repository.git('fsck', '--full', '--strict')).toBe('');
  });

  it('can empty the repository', async () => {
    await byCommand(workspace, (tree) => {
      for (const name of readdirSync(tree)) rmSync(join(tree, name), { recursive: true });
    });
    await commit();
    expect(repository.git('ls-tree', '-r', BRANCH)).toBe('');
  });

  it('leaves out new files that are ignored, and takes changes of tracked ones', async () => {
    await workspace.files.write('dist/made.js', text('x'));
    await workspace.files.write('debug.log', text('x'));
    expect(await commit()).toBeUndefined();
    await workspace.files.write('tracked.log', text('changed\n'));
    expect((await commit())?.files).toEqual([{ path: 'tracked.log', status: 'modified' }]);
  });

  it('leaves repositories inside the work tree untouched, tracked files around which one was made too', async () => {
    for (const directory of ['nested', 'src']) {
      mkdirSync(join(tree, directory), { recursive: true });
      nativeGit(join(tree, directory), 'init', '-q');
      writeFileSync(join(tree, directory, 'file'), 'x');
    }
    mkdirSync(join(tree, '.git'));
    await workspace.files.write('other.txt', text('x'));
    expect((await commit())?.files).toEqual([{ path: 'other.txt', status: 'added' }]);
  });

  it('uploads only what is new, even when the base branch has moved on', async () => {
    repository.commit({ 'large.bin': 'x'.repeat(100), 'README.md': 'Moved on\n' });
    server.bytesReceived = 0;
    await workspace.files.write('src/deep/a.ts', text('changed\n'));
    await commit();
    expect(server.bytesReceived).toBeLessThan(1200);
  });

  it('is followed by another on top of it', async () => {
    await workspace.files.write('a.txt', text('1'));
    const first = await commit('One');
    await workspace.files.write('a.txt', text('2'));
    const second = await commit('Two');
    expect(log('%H %s').split('\n').slice(0, 2)).toEqual([
      `${second?.sha} Two`,
      `${first?.sha} One`,
    ]);
    expect(second?.files).toEqual([{ path: 'a.txt', status: 'modified' }]);
  });
});

describe('a repeated commit', () => {
  it('of the same base, files, message and time is the same, and is not pushed again', async () => {
    await workspace.files.write('a.txt', text('1'));
    await workspace.files.write('src/deep/a.ts', text('changed\n'));
    const changes = await workspace.drain();
    const first = await commit();
    await workspace.close();
    await openAgain({ changes });
    server.requests.length = 0;
    expect(await commit()).toEqual(first);
    expect(server.requests.some((request) => request.startsWith('POST'))).toBe(false);
  });

  it('continues from a commit that is not on the default branch', async () => {
    await workspace.files.write('a.txt', text('1'));
    const first = await commit();
    await workspace.close();
    await openAgain({ baseCommit: first!.sha });
    expect(Buffer.from(await workspace.files.read('a.txt')).toString()).toBe('1');
    await workspace.files.write('b.txt', text('2'));
    const second = await commit();
    expect(repository.git('rev-parse', `${second!.sha}^`)).toBe(first!.sha);
  });
});

describe('a workspace opened again', () => {
  it('is as it was left, whatever was written', async () => {
    const path = fc.constantFrom('README.md', 'bin/run.sh', 'new/x', 'new/y/z', 'src/deep/a.ts');
    const write = fc.tuple(path, fc.string({ unit: 'binary', maxLength: 40 }));
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 8 }), fc.nat(8), async (writes, drainAt) => {
        const first = await open(server, repository);
        const changes = [];
        for (const [index, [target, content]] of writes.entries()) {
          await first.files.write(target, text(content));
          if (index === drainAt) changes.push(...(await first.drain()));
        }
        changes.push(...(await first.drain()));
        const again = await open(server, repository, { changes });
        const paths = await filesBelow(first.files);
        expect(await filesBelow(again.files)).toEqual(paths);
        for (const each of paths)
          expect(await again.files.read(each)).toEqual(await first.files.read(each));
        await Promise.all([first.close(), again.close()]);
      }),
      { numRuns: 6 },
    );
  });
});

describe('submodules', () => {
  it('stay recorded as they are', async () => {
    nativeGit(
      repository.checkout,
      'update-index',
      '--add',
      '--cacheinfo',
      `160000,${repository.head()},vendor/module`,
    );
    nativeGit(repository.checkout, 'commit', '-q', '-m', 'Add a submodule');
    nativeGit(repository.checkout, 'push', '-q', 'origin', 'main');
    await workspace.close();
    await openAgain();
    await workspace.files.write('vendor/other.txt', text('x'));
    expect((await commit())?.files).toEqual([{ path: 'vendor/other.txt', status: 'added' }]);
    for (const path of ['vendor/module', 'vendor/module/a.txt'])
      await expect(workspace.files.write(path, text('x'))).rejects.toThrow('another repository');
    await expect(
      workspace.files.rename([{ from: 'README.md', to: 'vendor/module/README.md' }]),
    ).rejects.toThrow('in the submodule "vendor/module"');
    expect(repository.git('ls-tree', BRANCH, 'vendor/module')).toMatch(/^160000 commit/);
  });
});
