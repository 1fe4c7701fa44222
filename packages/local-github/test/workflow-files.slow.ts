// Which workflow files an App without the permission for them may bring to a branch: GitHub compares contents.
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Playground } from './support.ts';
import { asInstallation, git, mintToken, remote, startPlayground } from './support.ts';

const CI = '.github/workflows/ci.yml';
const REFUSED =
  /\[remote rejected\].*\(refusing to allow a GitHub App to create or update workflow `\.github\/workflows\/ci\.yml` without `workflows` permission\)/;
const NOT_ACCESSIBLE = {
  status: 403,
  response: {
    headers: { 'x-accepted-github-permissions': 'contents=write,workflows=write' },
    data: { message: 'Resource not accessible by integration' },
  },
};

let playground: Playground;
let count = 0;
beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground.close());

/** A repository with a workflow file, the App's clone of it, and a commit there that changes no workflow file. */
async function scene() {
  count += 1;
  const { github } = playground;
  const place = { owner: 'example', name: `flow-${count}` };
  const files = { 'README.md': 'Words\n', [CI]: 'version: 1\n' };
  const repository = await github.createRepository({
    ...place,
    files,
    collaborators: { maintainer: 'admin' },
  });
  const clone = await mkdtemp(path.join(playground.directory, 'clone-'));
  const url = remote(github, await mintToken(github)).replace('words', place.name);
  await git(clone, 'clone', '-q', url, '.');
  const commit = async (file: string, text: string): Promise<string> => {
    await mkdir(path.dirname(path.join(clone, file)), { recursive: true });
    await writeFile(path.join(clone, file), text);
    await git(clone, 'add', '.');
    await git(clone, 'commit', '-q', '-m', `Write ${file}`);
    return git(clone, 'rev-parse', 'HEAD');
  };
  const work = await commit('work.txt', 'Work\n');
  const push = (branch: string) => git(clone, 'push', 'origin', `HEAD:refs/heads/${branch}`);
  const change = (text: string | null, branch = 'main') =>
    github
      .as('maintainer')
      .push(repository, { branch, files: { [CI]: text }, message: 'Change CI' });
  const at = { owner: 'example', repo: place.name };
  return { repository, at, clone, work, commit, push, change, api: asInstallation(github).rest };
}

describe('a branch of an App without the permission for workflow files', () => {
  it('may be new with the workflow files that another branch has', async () => {
    const { push, repository, work } = await scene();
    await push('work');
    expect(await repository.git.head('work')).toBe(work);
  });

  it('may not be new with older ones than any branch has, although its commits change none', async () => {
    const { push, change, api, at, work, repository } = await scene();
    await change('version: 2\n');
    await expect(push('work')).rejects.toThrow(REFUSED);
    await change('version: 1\n', 'release');
    await push('work');
    // Commits that GitHub has already, as those of the API are.
    await change('version: 3\n', 'release');
    await repository.git.deleteRef('refs/heads/work');
    const ref = 'refs/heads/work';
    await expect(api.git.createRef({ ...at, ref, sha: work })).rejects.toMatchObject(
      NOT_ACCESSIBLE,
    );
  });

  it('may not be new with a workflow file that was deleted elsewhere', async () => {
    const { push, change } = await scene();
    await change(null);
    await expect(push('work')).rejects.toThrow(REFUSED);
  });

  it('keeps those that it has, and loses some, whatever happens elsewhere', async () => {
    const { push, change, commit, clone, repository } = await scene();
    await push('work');
    await change('version: 2\n');
    await commit('more.txt', 'More\n');
    await push('work');
    await git(clone, 'rm', '-q', CI);
    await git(clone, 'commit', '-q', '-m', 'Without CI');
    await push('work');
    expect(await git(repository.git.directory, 'ls-tree', '-r', '--name-only', 'work')).toBe(
      'README.md\nmore.txt\nwork.txt',
    );
  });

  it('gets those of a merge with what another branch has now, but not with what it had', async () => {
    const { push, change, clone, api, at, repository } = await scene();
    await push('work');
    await change('version: 2\n');
    await git(clone, 'fetch', '-q');
    await git(clone, 'merge', '-q', '--no-edit', 'origin/main');
    await change('version: 3\n');
    await expect(push('work')).rejects.toThrow(REFUSED);
    await git(clone, 'pull', '-q', '--no-rebase', '--no-edit', 'origin', 'main');
    await push('work');
    await change('version: 4\n');
    const merged = await api.repos.merge({ ...at, base: 'work', head: 'main' });
    expect(await repository.git.head('work')).toBe(merged.data.sha);
  });

  it('gets no merge that makes another workflow file of two', async () => {
    const { change, api, at, repository } = await scene();
    const one = 'line\n'.repeat(9);
    await change(one);
    await repository.git.setRef('refs/heads/other', (await repository.git.head('main')) ?? '');
    await change(`first\n${one}`);
    await change(`${one}last\n`, 'other');
    await expect(api.repos.merge({ ...at, base: 'other', head: 'main' })).rejects.toMatchObject({
      status: 403,
      response: { data: { message: expect.stringMatching(/^refusing to allow a GitHub App/) } },
    });
  });

  it('gets none through a tree that names one, although another branch has it', async () => {
    const { change, api, at, repository } = await scene();
    await change('version: 2\n', 'release');
    const { list } = await repository.git.entries((await repository.git.head('release')) ?? '', CI);
    const entry = { path: CI, mode: '100644', type: 'blob', sha: list[0]?.sha ?? '' } as const;
    await expect(api.git.createTree({ ...at, tree: [entry] })).rejects.toMatchObject({
      status: 403,
    });
  });
});
