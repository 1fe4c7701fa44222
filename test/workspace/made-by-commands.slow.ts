import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { filesNamedIn } from '../../src/workspace/command-changes.ts';
import { startGitServer } from '../support/git-server.ts';
import type { GitServer, TestRepository } from '../support/git-server.ts';
import { openScene } from './command-scene.ts';
import { AT, text } from './support.ts';

let server: GitServer;
let repository: TestRepository;
beforeAll(async () => {
  server = await startGitServer();
  repository = server.createRepository('octo/made', { 'a.ts': 'a\n', '.gitignore': 'dist/\n' });
});
afterAll(() => server.close());

let branches = 0;
const scene = (options: Parameters<typeof openScene>[2] = {}) => {
  const branch = `made-${(branches += 1)}`;
  return openScene(server, repository, { branch: () => branch, ...options });
};
const isNamed = filesNamedIn('python3 -m unittest', '');
const unnamed = { isNamed };
const commit = { message: 'Change a', at: AT };
const named = (paths: readonly { readonly path: string }[] = []) => paths.map(({ path }) => path);

it('what only commands made is left out of commits, and named; what git tracks is taken', async () => {
  const { workspace, at, command } = await scene();
  const { made } = await command(() => {
    mkdirSync(at('__pycache__'));
    writeFileSync(at('__pycache__/a.pyc'), 'x');
    writeFileSync(at('a.ts'), 'formatted\n');
  }, unnamed);
  expect(made).toEqual(['__pycache__/a.pyc']);
  expect(await workspace.git.changes()).toEqual([
    { path: '__pycache__/a.pyc', status: 'added', madeByCommand: true },
    { path: 'a.ts', status: 'modified' },
  ]);
  expect(named(await workspace.git.diff(''))).toEqual(['a.ts']);
  expect(named(await workspace.git.diff('__pycache__'))).toEqual(['__pycache__/a.pyc']);
  const done = await workspace.git.commit(commit);
  expect(named(done?.files)).toEqual(['a.ts']);
  expect(done).toMatchObject({ left: ['__pycache__/a.pyc'], made: ['__pycache__/a.pyc'] });
  expect(await workspace.git.commit(commit)).toBeUndefined();
  await workspace.git.includeMade(['__pycache__/a.pyc']);
  expect(named((await workspace.git.commit(commit))?.files)).toEqual(['__pycache__/a.pyc']);
  await command(() => writeFileSync(at('__pycache__/a.pyc'), 'y'), unnamed);
  expect(named((await workspace.git.commit(commit))?.files)).toEqual(['__pycache__/a.pyc']);
  await workspace.close();
});

it('what a tool wrote or moved, or the command names, is taken', async () => {
  const { workspace, at, command, keep } = await scene();
  await workspace.files.write('tool.ts', text('x'));
  await keep();
  await command(
    () => {
      for (const name of ['tool.ts', 'named.ts', 'moved.ts', 'gone.ts', 'left.ts'])
        writeFileSync(at(name), 'made');
    },
    { isNamed: filesNamedIn('touch named.ts', '') },
  );
  await workspace.files.rename([{ from: 'moved.ts', to: 'here.ts' }]);
  await workspace.files.delete('gone.ts');
  await keep();
  await command(() => writeFileSync(at('gone.ts'), 'again'), unnamed);
  const done = await workspace.git.commit(commit);
  expect(named(done?.files)).toEqual(['here.ts', 'named.ts', 'tool.ts']);
  expect(done?.made).toEqual(['gone.ts', 'left.ts']);
  await workspace.close();
});

it('what only commands made stays out when a command that names it deletes it, and makes it again', async () => {
  const { workspace, at, command } = await scene();
  const make = () => command(() => writeFileSync(at('built.js'), 'x'), unnamed);
  await make();
  const gone = await command(() => rmSync(at('built.js')), {
    isNamed: filesNamedIn('rm -f built.js', ''),
  });
  expect(gone).toMatchObject({ changed: ['built.js'] });
  expect(gone.made).toBeUndefined();
  expect(await make()).toMatchObject({ made: ['built.js'] });
  expect(await workspace.git.commit(commit)).toBeUndefined();
  await workspace.close();
});

it('survives a restart, and what a call named then does too', async () => {
  const first = await scene();
  await first.command(() => {
    for (const name of ['one.txt', 'two.txt']) writeFileSync(first.at(name), 'x');
  }, unnamed);
  await first.workspace.git.includeMade(['two.txt']);
  expect(await first.keep()).toEqual(['two.txt']);
  await first.workspace.close();
  const second = await scene({ changes: await first.read() });
  const done = await second.workspace.git.commit(commit);
  expect(named(done?.files)).toEqual(['two.txt']);
  expect(done?.made).toEqual(['one.txt']);
  await second.workspace.close();
});

it('a file that a command moved without naming it takes nothing along that git does not track', async () => {
  const { workspace, at, command } = await scene();
  await command(() => renameSync(at('a.ts'), at('b.ts')), unnamed);
  const done = await workspace.git.commit(commit);
  expect(done).toMatchObject({ files: [{ path: 'a.ts', status: 'deleted' }], made: ['b.ts'] });
  await workspace.close();
});
