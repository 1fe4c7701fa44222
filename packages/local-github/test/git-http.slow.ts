import { execFile } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Playground } from './support.ts';
import { git, mintToken, remote, startPlayground } from './support.ts';

let playground: Playground;
let clone: string;
beforeAll(async () => {
  playground = await startPlayground();
  clone = await mkdtemp(path.join(playground.directory, 'clone-'));
  const token = await mintToken(playground.github);
  await git(clone, 'clone', '-q', remote(playground.github, token), '.');
});
afterAll(() => playground.close());

const repository = () => playground.github.repository('example', 'words');

async function commit(file: string, text: string): Promise<string> {
  await mkdir(path.dirname(path.join(clone, file)), { recursive: true });
  await writeFile(path.join(clone, file), text);
  await git(clone, 'add', '.');
  await git(clone, 'commit', '-q', '-m', `Write ${file}`);
  return git(clone, 'rev-parse', 'HEAD');
}

const push = (branch: string, ...flags: string[]) =>
  git(clone, 'push', ...flags, 'origin', `HEAD:refs/heads/${branch}`);

describe('native git over HTTP', () => {
  it('clones, pushes, and a push to the head of a pull request is a synchronize event', async () => {
    const { github } = playground;
    await git(clone, 'checkout', '-q', '-b', 'two');
    const first = await commit('two.js', 'export const two = 2;\n');
    await push('two');
    expect(await repository().git.head('two')).toBe(first);
    const pull = await github
      .as('maintainer')
      .openPull(repository(), { title: 'Two', head: 'two', base: 'main' });
    const second = await commit('two.js', 'export const two = 1 + 1;\n');
    await push('two');
    const delivery = await github.waitFor(
      () => github.deliveries.find((one) => one.action === 'synchronize' && one.status === 202),
      { what: 'the synchronize event' },
    );
    expect(delivery.payload).toMatchObject({
      before: first,
      after: second,
      number: pull.number,
      pull_request: { head: { sha: second }, commits: 2 },
      sender: { login: 'issuewright[bot]', type: 'Bot' },
    });
    expect(github.usedPermissions).toContain('contents:write');
  });

  it('merges what has diverged, and says so when it cannot', async () => {
    const { github } = playground;
    const maintainer = github.as('maintainer');
    await maintainer.push(repository(), {
      branch: 'main',
      files: { 'other.js': 'other\n' },
      message: 'Other',
    });
    const sha = await maintainer.merge({ repository: repository(), number: 1 });
    const bare = repository().git.directory;
    expect(await git(bare, 'show', `${sha}:two.js`)).toBe('export const two = 1 + 1;');
    expect(await git(bare, 'show', `${sha}:other.js`)).toBe('other');
    expect((await git(bare, 'rev-list', '--parents', '-1', sha)).split(' ')).toHaveLength(3);
    expect(await git(bare, 'log', '-1', '--format=%an %s', sha)).toBe(
      'maintainer Merge pull request #1 from example/two',
    );
    await maintainer.push(repository(), {
      branch: 'clash',
      files: { 'README.md': 'One\n' },
      message: 'One',
    });
    await maintainer.push(repository(), {
      branch: 'main',
      files: { 'README.md': 'Another\n' },
      message: 'Another',
    });
    const clash = { title: 'Clash', head: 'clash', base: 'main' };
    const { number } = await maintainer.openPull(repository(), clash);
    await expect(maintainer.merge({ repository: repository(), number })).rejects.toThrow(
      'Pull Request is not mergeable',
    );
  });

  it('fetches one reachable commit by its SHA', async () => {
    const directory = await mkdtemp(path.join(playground.directory, 'shallow-'));
    await git(directory, 'init', '-q');
    const first = await git(repository().git.directory, 'rev-list', '--max-parents=0', 'main');
    const url = remote(playground.github, await mintToken(playground.github));
    await git(directory, 'fetch', '-q', '--depth=1', url, first);
    expect(await git(directory, 'rev-parse', 'FETCH_HEAD')).toBe(first);
  });

  it('asks for a token, and rejects a wrong one and one that may only read', async () => {
    const { github } = playground;
    const bare = `${github.url}/example/words.git`;
    const answer = await fetch(`${bare}/info/refs?service=git-upload-pack`);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      'Basic realm="GitHub"',
    ]);
    await expect(git(clone, 'ls-remote', remote(github, 'ghs_wrong'))).rejects.toThrow(
      /Authentication failed|could not read Username/,
    );
    const readOnly = await mintToken(github, { permissions: { contents: 'read' } });
    const url = remote(github, readOnly);
    expect(await git(clone, 'ls-remote', url, 'refs/heads/main')).toContain('refs/heads/main');
    await expect(git(clone, 'push', url, 'HEAD:refs/heads/three')).rejects.toThrow(/403/);
    await expect(git(clone, 'ls-remote', url.replace('words', 'nothing'))).rejects.toThrow(
      /not found/,
    );
  });

  it('declines a push in words that git shows', async () => {
    const { github } = playground;
    await github.faults.rejectPush('Commits must be signed.');
    await expect(push('denied')).rejects.toThrow(/remote: Commits must be signed\./);
    await github.faults.rejectPush(undefined);
    await push('denied');
    expect(await repository().git.head('denied')).toBeDefined();
  });

  it("declines an App's workflow file", async () => {
    await commit('.github/workflows/ci.yml', 'on: push\n');
    await expect(push('ci')).rejects.toThrow(
      /\[remote rejected\] HEAD -> ci \(refusing to allow a GitHub App to create or update workflow `\.github\/workflows\/ci\.yml` without `workflows` permission\)/,
    );
    const url = remote(playground.github, 'user_maintainer');
    await git(clone, 'push', '-q', url, 'HEAD:refs/heads/ci');
    expect(await repository().git.head('ci')).toBeDefined();
  });

  it('closes the pull request of a branch that a push deletes', async () => {
    const { github } = playground;
    const wanted = { title: 'Workflow', head: 'ci', base: 'main' };
    const pull = await github.as('maintainer').openPull(repository(), wanted);
    await git(clone, 'push', '-q', 'origin', '--delete', 'ci');
    expect(pull.state).toBe('closed');
  });

  it('is answered in full, although the first client went away before git had answered', async () => {
    const { github, directory } = playground;
    const files = { 'README.md': 'Left\n' };
    const name = { owner: 'example', name: 'left' };
    const other = await github.createRepository({ ...name, files, collaborators: {} });
    const token = await mintToken(github);
    // Git waits here while it reads its settings.
    const settings = path.join(directory, 'settings');
    await promisify(execFile)('mkfifo', [settings]);
    await appendFile(path.join(other.git.directory, 'config'), `[include]\n\tpath = ${settings}\n`);
    const asked = http.get(`${github.url}/example/left.git/info/refs?service=git-upload-pack`, {
      auth: `x-access-token:${token}`,
      headers: { 'git-protocol': 'version=2' },
    });
    const hasLeft = new Promise((resolve) => asked.on('error', resolve));
    const gate = await open(settings, 'w');
    asked.destroy();
    await hasLeft;
    // The server has heard of that before it answers this.
    await fetch(github.url);
    await rm(settings);
    await writeFile(settings, '');
    await gate.close();
    const url = remote(github, token).replace('words', 'left');
    expect(await git(clone, 'ls-remote', url)).toContain('refs/heads/main');
  });
});

describe('the answer to a push', () => {
  it('can be lost after the push took effect', async () => {
    const { github } = playground;
    const hold = github.faults.hold({ method: 'POST', path: /git-receive-pack$/ });
    await git(clone, 'reset', '-q', '--hard', 'HEAD~1');
    const sha = await commit('lost.js', 'lost\n');
    const pushed = push('lost');
    await hold.applied;
    expect(await repository().git.head('lost')).toBe(sha);
    hold.drop();
    // git's HTTP library may send the push again by itself: the response then says that the branch exists.
    await expect(pushed).rejects.toThrow('Command failed');
    expect(await repository().git.head('lost')).toBe(sha);
  });
});
