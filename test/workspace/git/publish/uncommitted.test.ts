import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkspaceFiles } from '../../../../src/workspace/files/files.ts';
import { startGitServer } from '../../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../../support/git-server.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { openScene } from '../../command-scene.ts';
import { AT, BRANCH, text } from '../../support.ts';

describe('a write that keeps earlier ones out of commits says so', () => {
  it('if it is a .gitignore, written, edited or moved there', async () => {
    const root = temporaryDirectory();
    const files = new WorkspaceFiles(root);
    await files.write('src/notes.txt', text('x'));
    await files.write('src/a.ts', text('x'));
    const uncommitted = 'No commit includes "src/notes.txt": .gitignore ignores it.';
    expect(await files.write('.gitignore', text('*.txt'))).toMatchObject({ uncommitted });
    // Once is enough.
    expect(await files.write('.gitignore', text('*.txt\n'))).toEqual({ replaced: true });
    await files.write('rules', text('*.ts'));
    expect(await files.rename([{ from: 'rules', to: 'src/.gitignore' }])).toMatchObject({
      uncommitted: 'No commit includes "src/a.ts": .gitignore ignores it.',
    });
  });

  it('if it makes a repository of a directory', async () => {
    const files = new WorkspaceFiles(temporaryDirectory());
    expect(await files.write('x/HEAD', text('ref: refs/heads/main'))).toEqual({ replaced: false });
    expect(await files.write('x/objects/a', text('x'))).toEqual({ replaced: false });
    expect((await files.write('x/refs/b', text('x'))).uncommitted).toBe(
      'No commit includes "x/refs/b": it is in "x", a git repository of its own, and the same is true of 2 more.',
    );
  });

  it('but not of what is deleted since', async () => {
    const files = new WorkspaceFiles(temporaryDirectory());
    await files.write('a.txt', text('x'));
    await files.delete('a.txt');
    expect(await files.write('.gitignore', text('*.txt'))).toEqual({ replaced: false });
  });
});

describe('in a clone', () => {
  let server: GitServer;
  let repository: TestRepository;
  beforeAll(async () => {
    server = await startGitServer();
    repository = server.createRepository('octo/left', { 'a.ts': 'a\n', '.gitignore': 'dist\n' });
  });
  afterAll(() => server.close());

  it('a command that keeps earlier writes out of commits is reported', async () => {
    const { workspace, at, command, keep } = await openScene(server, repository);
    await workspace.files.write('notes.txt', text('x'));
    await keep();
    const done = await command(() => writeFileSync(at('.gitignore'), '*.txt\n'));
    expect(done.uncommitted).toBe('No commit includes "notes.txt": .gitignore ignores it.');
    expect((await command(() => writeFileSync(at('a.ts'), 'b\n'))).uncommitted).toBeUndefined();
    await workspace.close();
  });

  it('what was committed stays tracked, whatever ignores it later', async () => {
    const { workspace, keep } = await openScene(server, repository);
    await workspace.files.write('deep/notes.txt', text('x'));
    await workspace.git.commit({ message: 'Add notes', at: AT });
    expect(await workspace.files.write('.gitignore', text('deep\n'))).toEqual({ replaced: true });
    expect(await workspace.files.write('deep/notes.txt', text('y'))).toEqual({ replaced: true });
    await workspace.git.commit({ message: 'Change notes', at: AT });
    expect(repository.git('show', `${BRANCH}:deep/notes.txt`)).toBe('y');
    await keep();
    await workspace.close();
  });

  it('what a commit deleted is tracked no longer', async () => {
    const { workspace } = await openScene(server, repository, { branch: () => 'deleted' });
    await workspace.files.write('.gitignore', text('a.ts\n'));
    await workspace.files.delete('a.ts');
    expect(await workspace.files.write('a.ts', text('b'))).toEqual({ replaced: false });
    await workspace.files.delete('a.ts');
    await workspace.git.commit({ message: 'Delete it', at: AT });
    const written = await workspace.files.write('a.ts', text('c'));
    expect(written).toMatchObject({
      uncommitted: expect.stringContaining('.gitignore ignores it'),
    });
    await workspace.close();
  });
});

describe('below a submodule', () => {
  let server: GitServer;
  let repository: TestRepository;
  beforeAll(async () => {
    server = await startGitServer();
    repository = server.createRepository('octo/around', { 'a.ts': 'a\n' });
    const link = `160000,${repository.head()},Vendor/Module`;
    const git = (...args: string[]): void =>
      void execFileSync('git', ['-c', 'user.name=m', '-c', 'user.email=m@example.test', ...args], {
        cwd: repository.checkout,
      });
    git('update-index', '--add', '--cacheinfo', link);
    git('commit', '-q', '-m', 'Add a submodule');
    git('push', '-q', 'origin', 'main');
  });
  afterAll(() => server.close());

  it.each(['vendor/module/x', 'VENDOR/MODULE', 'Vendor/Module./x', 'Vendor/Mod\u200dule/x'])(
    'nothing is written in another spelling: %j',
    async (path) => {
      const { workspace } = await openScene(server, repository);
      await expect(workspace.files.write(path, text('x'))).rejects.toThrow(
        'in the submodule "Vendor/Module"',
      );
      await workspace.close();
    },
  );

  it('what a command writes, changes or deletes is reported, and undone with the rest', async () => {
    const { workspace, at, command, takeBack } = await openScene(server, repository);
    const made = at('Vendor/Module/made');
    const submodules = ['Vendor/Module/made'];
    expect((await command(() => writeFileSync(made, 'x'))).leftOut).toMatchObject({ submodules });
    expect((await command(() => {})).leftOut).toMatchObject({ submodules: [] });
    expect((await command(() => writeFileSync(made, 'xy'))).leftOut).toMatchObject({ submodules });
    await takeBack(() => {
      mkdirSync(at('Vendor/Module/deep'));
      writeFileSync(at('Vendor/Module/deep/other'), 'x');
    });
    expect(() => readFileSync(join(at('Vendor/Module'), 'deep/other'))).toThrow(/ENOENT/);
    await workspace.close();
  });

  it('that is checked out too', async () => {
    const { workspace, at, command, takeBack } = await openScene(server, repository);
    const checkOut = (): void => {
      mkdirSync(at('Vendor/Module/.git'), { recursive: true });
      writeFileSync(at('Vendor/Module/file'), 'x');
    };
    await takeBack(checkOut);
    expect(readdirSync(at('Vendor/Module'))).toEqual([]);
    await takeBack(() => rmSync(at('Vendor'), { recursive: true }));
    expect(readdirSync(at('Vendor/Module'))).toEqual([]);
    await takeBack(() => {
      rmSync(at('Vendor'), { recursive: true });
      symlinkSync('/tmp', at('Vendor'));
    });
    expect(readdirSync(at('Vendor/Module'))).toEqual([]);
    await command(checkOut, { isSetup: true });
    const changed = await command(() => writeFileSync(at('Vendor/Module/file'), 'changed'));
    expect(changed.leftOut).toMatchObject({ submodules: ['Vendor/Module/file'], repositories: [] });
    await workspace.close();
  });
});
