// Forks, and pull requests from them.
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { checkFacts } from '../src/github/git/check-facts.ts';
import type { Repository } from '../src/github/state.ts';
import type { Playground } from './support.ts';
import { asInstallation, git, mintToken, remote, startPlayground, withToken } from './support.ts';

let playground: Playground;
let base: Repository;
let fork: Repository;
let count = 0;
beforeAll(async () => {
  playground = await startPlayground({ events: ['pull_request', 'fork'] });
});
afterAll(() => playground.close());
beforeEach(async () => {
  count += 1;
  base = await playground.github.createRepository({
    owner: 'example',
    name: `base-${count}`,
    files: { 'README.md': 'Words\n' },
    collaborators: { maintainer: 'admin' },
  });
  fork = await stranger().fork(base);
});

const stranger = () => playground.github.as('stranger');
const api = () => asInstallation(playground.github).rest;
const as = (login: string) => withToken(playground.github, `user_${login}`).rest;
const at = () => ({ owner: 'example', repo: base.name });

async function propose(more: object = {}) {
  const files = { 'new.txt': '1\n' };
  const sha = await stranger().push(fork, { branch: 'mine', files, message: 'Mine' });
  const wanted = { title: 'Mine', head: 'stranger:mine', base: 'main', ...more };
  const { data } = await as('stranger').pulls.create({ ...at(), ...wanted });
  return { sha, data };
}

/** Pushes a commit to a branch of the fork with native git. */
async function pushTo(branch: string, token: string) {
  const clone = await mkdtemp(path.join(playground.directory, 'clone-'));
  const url = remote(playground.github, token).replace('example/words', fork.fullName);
  await git(clone, 'clone', '-q', url, '.');
  await git(clone, 'checkout', '-q', branch).catch(() =>
    git(clone, 'checkout', '-q', '-b', branch),
  );
  await writeFile(path.join(clone, 'pushed.txt'), 'pushed\n');
  await git(clone, 'add', '.');
  await git(clone, 'commit', '-q', '--allow-empty', '-m', 'Pushed');
  await git(clone, 'push', 'origin', branch);
  return git(clone, 'rev-parse', 'HEAD');
}

describe('a fork', () => {
  it('has the branches of its base, another owner, and no App', async () => {
    const { data } = await as('helper').repos.createFork(at());
    expect(data).toMatchObject({
      full_name: `helper/${base.name}`,
      fork: true,
      owner: { login: 'helper' },
      parent: { full_name: base.fullName },
    });
    const made = playground.github.repository('helper', base.name);
    expect(await made.git.head('main')).toBe(await base.git.head('main'));
    expect(made.installationId).toBeUndefined();
    const forks = await api().repos.listForks(at());
    expect(forks.data.map(({ full_name }) => full_name)).toEqual([fork.fullName, made.fullName]);
    expect((await api().repos.get(at())).data).toMatchObject({ fork: false, forks_count: 2 });
    expect((await as('helper').repos.createFork(at())).data.id).toBe(data.id);
  });

  it('cannot be made by an App without the permission', async () => {
    await expect(api().repos.createFork(at())).rejects.toMatchObject({ status: 403 });
  });
});

describe('a pull request from a fork', () => {
  it('has its head in another repository, and its commits in both', async () => {
    const { sha, data } = await propose();
    expect(data).toMatchObject({
      head: {
        label: 'stranger:mine',
        ref: 'mine',
        sha,
        repo: { full_name: fork.fullName, fork: true },
      },
      base: { label: 'example:main', repo: { full_name: base.fullName } },
      maintainer_can_modify: true,
      commits: 1,
    });
    const commit = await api().repos.getCommit({ ...at(), ref: sha });
    expect(commit.data.sha).toBe(sha);
    const listed = await api().pulls.list({ ...at(), head: 'stranger:mine' });
    expect(listed.data).toHaveLength(1);
    const page = await fetch(`${playground.github.url}/${base.fullName}/pull/1`);
    expect(await page.text()).toContain('stranger:mine');
  });

  it('follows pushes to the fork, and is merged into the base', async () => {
    const { sha: before } = await propose();
    const after = await stranger().push(fork, {
      branch: 'mine',
      files: { b: '2\n' },
      message: 'b',
    });
    const { github } = playground;
    const delivery = await github.waitFor(
      () => github.deliveries.find(({ payload }) => payload['before'] === before),
      { what: 'the synchronize event' },
    );
    expect(delivery.payload).toMatchObject({
      action: 'synchronize',
      after,
      repository: { full_name: base.fullName },
      pull_request: { head: { sha: after, repo: { full_name: fork.fullName } } },
    });
    const { data } = await api().pulls.merge({ ...at(), pull_number: 1 });
    expect(await git(base.git.directory, 'log', '-1', '--format=%s', data.sha)).toBe(
      'Merge pull request #1 from stranger/mine',
    );
    expect(await git(base.git.directory, 'show', `${data.sha}:b`)).toBe('2');
  });

  it('needs a fork, a branch in it, and no role on the base', async () => {
    const open = (head: string, login = 'stranger') =>
      as(login).pulls.create({ ...at(), title: 'x', head, base: 'main' });
    const invalid = {
      status: 422,
      response: { data: { errors: [{ field: 'head', code: 'invalid' }] } },
    };
    await expect(open('stranger:nowhere')).rejects.toMatchObject(invalid);
    await expect(open('helper:mine', 'helper')).rejects.toMatchObject(invalid);
    await expect(open('main')).rejects.toMatchObject({ status: 403 });
  });

  it('cannot be pushed to by an App that is installed only on the base', async () => {
    await propose();
    const token = await mintToken(playground.github);
    await expect(pushTo('mine', token)).rejects.toThrow(
      /Permission to .* denied to issuewright\[bot\]|403/,
    );
    const where = { owner: 'stranger', repo: fork.name };
    const sha = (await fork.git.head('main')) ?? '';
    await expect(
      api().git.updateRef({ ...where, ref: 'heads/mine', sha, force: true }),
    ).rejects.toMatchObject({
      status: 403,
      response: { data: { message: 'Resource not accessible by integration' } },
    });
    await expect(api().pulls.updateBranch({ ...at(), pull_number: 1 })).rejects.toMatchObject({
      status: 403,
    });
  });

  it('can be pushed to by maintainers of the base while it allows that, and only its branch', async () => {
    await propose();
    const sha = await pushTo('mine', 'user_maintainer');
    expect(await fork.git.head('mine')).toBe(sha);
    expect((await api().pulls.get({ ...at(), pull_number: 1 })).data.head.sha).toBe(sha);
    await expect(pushTo('other', 'user_maintainer')).rejects.toThrow(/denied to maintainer/);
    const change = { ...at(), pull_number: 1, maintainer_can_modify: false };
    expect((await as('stranger').pulls.update(change)).data.maintainer_can_modify).toBe(false);
    await expect(pushTo('mine', 'user_maintainer')).rejects.toThrow(/denied to maintainer|403/);
  });

  it('is closed when its branch is deleted, and keeps its commits', async () => {
    const { sha } = await propose();
    await as('stranger').git.deleteRef({ owner: 'stranger', repo: fork.name, ref: 'heads/mine' });
    const { data } = await api().pulls.get({ ...at(), pull_number: 1 });
    expect(data).toMatchObject({ state: 'closed', head: { sha } });
  });

  it('stays open when its fork is deleted, with its commits and without a repository', async () => {
    const { sha } = await propose();
    stranger().deleteFork(fork);
    const { data } = await api().pulls.get({ ...at(), pull_number: 1 });
    expect(data).toMatchObject({
      state: 'open',
      head: { label: 'stranger:mine', sha, repo: null },
    });
  });

  it('is none of the pull requests of a branch of that name in the base', async () => {
    await propose();
    const files = { 'other.txt': '2\n' };
    const own = await playground.github
      .as('maintainer')
      .push(base, { branch: 'mine', files, message: 'Another' });
    expect(await checkFacts(base, own)).toMatchObject({ pulls: [], branches: ['mine'] });
  });
});
