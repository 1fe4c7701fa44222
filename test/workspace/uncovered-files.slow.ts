import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { nativeGit, startGitServer } from '../support/git-server.ts';
import type { GitServer, TestRepository } from '../support/git-server.ts';
import { openScene } from './command-scene.ts';
import { type open, text } from './support.ts';

let server: GitServer;
let repository: TestRepository;
let base = '';
let count = 0;

beforeAll(async () => {
  server = await startGitServer();
  repository = server.createRepository('octo/sample', {
    'README.md': 'Sample\n',
    'src/a.ts': 'a\n',
    '.gitignore': 'dist/\nnotes\n',
  });
  base = repository.head();
});
afterAll(async () => server.close());

function scene(options: Parameters<typeof open>[2] = {}) {
  count += 1;
  const branch = `issuewright/uncovered-${count}`;
  return openScene(server, repository, { baseCommit: base, branch: () => branch, ...options });
}

/** A commit of everything: its files, and what is named as left out. */
async function committed({ git }: Workspace) {
  const done = await git.commit({ message: 'Ignore less', at: new Date(0) });
  return { files: done?.files.map(({ path }) => path), withheld: done?.withheld?.toSorted() };
}

const changed = async ({ git }: Workspace) => (await git.changes()).map(({ path }) => path);

const TO_COMMIT =
  'which commits could not include until now. They still do not: to commit it, write or rename it, or run the command that makes it again.';

describe('what a command made at ignored paths, and a tool uncovers', () => {
  const build = (at: (path: string) => string) => () => {
    mkdirSync(at('dist'));
    for (const path of ['dist/a.js', 'dist/b.js', 'notes']) writeFileSync(at(path), 'made\n');
  };

  it('is named by the tool and by the commit, and is in neither the commit nor the changes', async () => {
    const { workspace, at, command, keep } = await scene();
    await command(build(at));
    const written = await workspace.files.write('.gitignore', text('notes\n'));
    expect(written.uncovered).toBe(`This uncovers "dist/a.js" and 1 more, ${TO_COMMIT}`);
    expect(await keep()).toEqual(['.gitignore']);
    expect(await changed(workspace)).toEqual(['.gitignore']);
    // Once is enough.
    expect((await workspace.files.write('.gitignore', text('notes'))).uncovered).toBeUndefined();
    expect((await workspace.files.delete('.gitignore')).uncovered).toContain('"notes"');
    await keep();
    expect(await committed(workspace)).toEqual({
      files: ['.gitignore'],
      withheld: ['dist/a.js', 'dist/b.js', 'notes'],
    });
    expect(await changed(workspace)).toEqual([]);
    await workspace.close();
  });

  it('is committed once a tool writes or moves it, or a command makes it again', async () => {
    const { workspace, at, command, keep } = await scene();
    await command(build(at));
    await workspace.files.rename([{ from: '.gitignore', to: 'rules' }]);
    await keep();
    await workspace.files.write('notes', text('made\n'));
    await workspace.files.rename([{ from: 'dist/a.js', to: 'a.js' }]);
    await keep();
    const again = await command(() => writeFileSync(at('dist/b.js'), 'made\n'));
    expect(again.drained).toEqual(['dist/b.js']);
    expect(await committed(workspace)).toEqual({
      files: ['.gitignore', 'a.js', 'dist/b.js', 'notes', 'rules'],
      withheld: undefined,
    });
    await workspace.close();
  });

  it('is left out whether or not tools may write it', async () => {
    const paths = { deny: ['.env'], readOnly: ['AGENTS.md', '.github/issuewright.yml'] };
    const { workspace, at, keep, command } = await scene({ paths });
    await workspace.files.write('.gitignore', text('AGENTS.md\n.github/\n.env\nCODEOWNERS\nx\n'));
    await keep();
    const made = ['.env', '.github/issuewright.yml', 'AGENTS.md', 'CODEOWNERS', 'x'];
    await command(() => {
      mkdirSync(at('.github'));
      for (const path of made) writeFileSync(at(path), 'evil\n');
    });
    await workspace.files.write('.gitignore', text('dist/\n'));
    await keep();
    const done = await workspace.git.commit({ message: 'Ignore less', at: new Date(0) });
    expect(done?.files.map(({ path }) => path)).toEqual(['.gitignore']);
    expect(done?.withheld?.toSorted()).toEqual(made);
    expect(nativeGit(repository.directory, 'ls-tree', '-r', '--name-only', done?.sha ?? '')).toBe(
      '.gitignore\nREADME.md\nsrc/a.ts',
    );
    await workspace.close();
  });

  it('is the same in a workspace that is opened again', async () => {
    const { workspace, at, command } = await scene();
    const stored = [];
    await command(build(at));
    await workspace.files.write('notes', text('mine\n'));
    await workspace.files.write('.gitignore', text(''));
    stored.push(...(await workspace.drain()));
    const found = await workspace.git.changes();
    await workspace.close();
    const other = await scene({ changes: stored });
    expect(await other.workspace.git.changes()).toEqual(found);
    await other.workspace.close();
  });
});

describe('what a tool wrote at an ignored path, and a command changes', () => {
  const write = async ({ workspace, keep }: Awaited<ReturnType<typeof scene>>) => {
    await workspace.files.write('notes', text('by a tool\n'));
    await keep();
  };

  it('is as the command left it: for a commit, and in a workspace that is opened again', async () => {
    const one = await scene();
    await write(one);
    const { workspace, at, command, keep } = one;
    const done = await command(() => writeFileSync(at('notes'), 'by a command\n'));
    expect(done).toMatchObject({ changed: ['notes'], drained: ['notes'] });
    expect(done.uncommitted).toContain('No commit includes "notes"');
    expect((await command(() => utimesSync(at('notes'), 0, 0))).changed).toEqual([]);
    await workspace.files.write('.gitignore', text('dist/\n'));
    await keep();
    const found = await workspace.git.diff('');
    const again = await scene({ changes: await one.read() });
    expect(await again.workspace.git.diff('')).toEqual(found);
    expect(await committed(workspace)).toEqual({ files: ['.gitignore', 'notes'] });
    await Promise.all([workspace.close(), again.workspace.close()]);
  });

  it.each<[string, (path: string) => void]>([
    ['nothing', () => {}],
    ['a directory', (path) => mkdirSync(path)],
    ['a pipe', (path) => void execFileSync('mkfifo', [path])],
  ])('is gone if a command makes %s of it', async (_what, make) => {
    const one = await scene();
    await write(one);
    const { workspace, at, command } = one;
    const done = await command(() => {
      rmSync(at('notes'));
      make(at('notes'));
    });
    expect(done.drained).toEqual(['notes']);
    expect(await one.read()).toMatchObject([{ path: 'notes', content: null }]);
    await workspace.close();
  });

  it('is there again if a command makes it, and the repository has it', async () => {
    const one = await scene();
    const { workspace, at, command, keep } = one;
    await workspace.files.delete('src/a.ts');
    await keep();
    await command(() => mkdirSync(at('src/.git'), { recursive: true }));
    const made = await command(() => writeFileSync(at('src/a.ts'), 'hidden\n'));
    expect(made.drained).toEqual(['src/a.ts']);
    await command(() => rmSync(at('src/.git'), { recursive: true }));
    const found = await workspace.git.diff('');
    const again = await scene({ changes: await one.read() });
    expect(await again.workspace.git.diff('')).toEqual(found);
    await Promise.all([workspace.close(), again.workspace.close()]);
  });

  it('counts for what a command may change, and is restored with it', async () => {
    const one = await scene();
    await write(one);
    const { workspace, at, text: read, command } = one;
    const done = await command(() => writeFileSync(at('notes'), Buffer.alloc(33 * 1024 * 1024)));
    expect(done.excess).toContain('more than 32 MiB');
    expect(read('notes')).toBe('by a tool\n');
    await workspace.close();
  });
});

describe('what a command hides', () => {
  it('is as it was for all that is known, however much it is', async () => {
    const { workspace, at, command } = await scene();
    const all = Array.from({ length: 5_001 }, (_none, number) => `modules/${number}.js`);
    const setup = (): void => {
      mkdirSync(at('modules'));
      for (const path of all) writeFileSync(at(path), '');
    };
    await command(setup, { isSetup: true });
    const done = await command(() => writeFileSync(at('.gitignore'), 'modules/\n'));
    expect(done).toMatchObject({ drained: ['.gitignore'], excess: undefined });
    const back = await command(() => writeFileSync(at('.gitignore'), 'dist/\n'));
    expect(back).toMatchObject({ drained: ['.gitignore'], excess: undefined });
    expect(await changed(workspace)).toEqual(['.gitignore']);
    await workspace.close();
  });
});

describe('what a repository hid, and a tool uncovers', () => {
  it('is left out until it is written: the repository, and what changed in it', async () => {
    const { workspace, at, command, keep } = await scene();
    await command(() => {
      nativeGit(at('src'), 'init', '-q', '--bare', '.');
      execFileSync('rm', ['-r', at('src/hooks'), at('src/info')]);
      writeFileSync(at('src/a.ts'), 'hidden change\n');
    });
    expect((await workspace.files.delete('src/HEAD')).uncovered).toMatch(/^This uncovers "src\//);
    await workspace.files.write('new.ts', text('new\n'));
    await keep();
    expect((await committed(workspace)).files).toEqual(['new.ts']);
    await workspace.files.write('src/a.ts', text('mine\n'));
    await keep();
    expect(await changed(workspace)).toEqual(['src/a.ts']);
    await workspace.close();
  });
});

describe('what setup made at ignored paths', () => {
  const setup = (at: (path: string) => string) => () => {
    mkdirSync(at('dist/deep'), { recursive: true });
    for (const path of ['dist/deep/a', 'notes']) writeFileSync(at(path), 'by setup\n');
  };

  it('stays out of commits if a command uncovers it, which is told', async () => {
    const { workspace, at, command } = await scene();
    await command(setup(at), { isSetup: true });
    const done = await command(() => {
      writeFileSync(at('.gitignore'), '');
      writeFileSync(at('dist/made-now'), 'x');
    });
    expect(done).toMatchObject({
      changed: ['.gitignore', 'dist/made-now'],
      leftOut: { uncovered: ['dist/deep/a', 'notes'] },
    });
    expect(await committed(workspace)).toEqual({
      files: ['.gitignore', 'dist/made-now'],
      withheld: ['dist/deep/a', 'notes'],
    });
    await workspace.close();
  });

  it('stays out if the command deletes the rules, or the repository that hid it', async () => {
    const { workspace, at, command } = await scene();
    await command(
      () => {
        setup(at)();
        mkdirSync(at('made/.git'), { recursive: true });
        writeFileSync(at('made/file'), 'by setup\n');
      },
      { isSetup: true },
    );
    const gone = await command(() => rmSync(at('.gitignore')));
    expect(gone.leftOut.uncovered).toEqual(['dist/deep/a', 'notes']);
    const freed = await command(() => rmSync(at('made/.git'), { recursive: true }));
    expect(freed).toMatchObject({ changed: [], leftOut: { uncovered: ['made/file'] } });
    await workspace.close();
  });

  it('is committed, and not called left out, if a tool wrote it', async () => {
    const { workspace, at, command, keep } = await scene();
    await workspace.files.write('dist/deep/a', text('by a tool\n'));
    await workspace.files.write('notes', text('by a tool\n'));
    await keep();
    await command(() => writeFileSync(at('notes'), 'by a command, unseen\n'));
    await command(() => writeFileSync(at('dist/b'), 'by a command, unseen\n'));
    const done = await command(() => rmSync(at('.gitignore')));
    expect(done.leftOut.uncovered).toEqual(['dist/b']);
    expect(await committed(workspace)).toEqual({
      files: ['.gitignore', 'dist/deep/a', 'notes'],
      withheld: ['dist/b'],
    });
    await workspace.close();
  });

  it('is committed if a command moves it to where nothing ignores it', async () => {
    const { workspace, at, command } = await scene();
    await command(setup(at), { isSetup: true });
    const done = await command(() => renameSync(at('dist/deep'), at('docs')));
    expect(done).toMatchObject({ changed: ['docs/a'], leftOut: { uncovered: [] } });
    await workspace.close();
  });
});
