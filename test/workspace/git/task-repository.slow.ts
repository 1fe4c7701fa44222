// Repositories that hold single commits, made from one that is served over HTTP with real git.
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { TaskRepositories } from '../../../src/workspace/git/folder/task-repository.ts';
import type { FolderRepository } from '../../../src/workspace/git/folder/folder.ts';
import { nativeGit, startGitServer, type GitServer } from '../../support/git-server.ts';

let server: GitServer;
let repositories: TaskRepositories;
beforeEach(async () => {
  server = await startGitServer();
  repositories = await TaskRepositories.open('answers', new AbortController().signal);
});
afterEach(async () => {
  await repositories.close();
  await server.close();
});

/** A base commit with a past, and a branch that solves something with a test. */
async function fetched() {
  const remote = server.createRepository('answers', { 'src/a.txt': 'past\n' });
  const past = remote.head();
  const base = remote.commit({ 'src/a.txt': 'base\n', 'test/old.sh': 'true\n' });
  const head = remote.commit({ 'src/a.txt': 'solution\n', 'test/new.sh': 'false\n' }, 'fix');
  const credentials = () => Promise.resolve(server.token);
  const from = { remoteUrl: remote.url, credentials, maxBytes: 10_000_000 };
  await repositories.fetch([base, head], from);
  return { remote, past, base, head };
}

const objectsIn = ({ place }: FolderRepository): string =>
  nativeGit(place.gitdir, 'cat-file', '--batch-all-objects', '--batch-check');

it('gives an agent one commit, with nothing before it and nothing of the solution', async () => {
  const { remote, past, base, head } = await fetched();
  const alone = await repositories.alone(base);
  const objects = objectsIn(alone);
  expect(objects).toContain(base);
  expect(await alone.branches()).toEqual(['main']);
  expect(await alone.log('main', undefined, 10)).toHaveLength(1);
  for (const later of [head, past, `${head}^{tree}`, `${head}:src/a.txt`, `${past}:src/a.txt`])
    expect(objects).not.toContain(remote.git('rev-parse', later));
});

it('puts files of one commit over another, also where a file is in the place of a directory', async () => {
  const { base, head } = await fetched();
  const tests = (await repositories.difference(base, head)).filter(({ path }) =>
    path.startsWith('test'),
  );
  expect(tests.map(({ path }) => path)).toEqual(['test/new.sh']);
  const { all } = repositories;
  const read = (commit: string, path: string) => all.readFile(commit, path);
  const [script] = tests;
  const moved = await repositories.withFiles(base, [
    { path: 'test/old.sh', content: undefined },
    { path: 'test', content: script!.content },
  ]);
  const judged = await repositories.withFiles(moved, tests);
  expect(await read(judged, 'test/new.sh')).toBe('false\n');
  expect(await read(judged, 'src/a.txt')).toBe('base\n');
  expect(await read(judged, 'test/old.sh')).toBeUndefined();
  expect(await repositories.difference(base, judged)).toEqual([
    ...tests,
    { path: 'test/old.sh', content: undefined },
  ]);
});
