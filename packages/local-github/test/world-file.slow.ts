// What the local GitHub has again after a restart.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { startLocalGitHub } from '../src/index.ts';
import type { LocalGitHub } from '../src/index.ts';
import { PRIVATE_KEY } from '../../../test/support/private-key.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

const started: LocalGitHub[] = [];
afterEach(async () => {
  for (const one of started.splice(0)) await one.close();
});

async function start(folder: string): Promise<LocalGitHub> {
  const app = { id: 1, slug: 'app', name: 'App', privateKeyPem: PRIVATE_KEY, webhookSecret: 'x' };
  const github = await startLocalGitHub({
    directory: path.join(folder, 'repositories'),
    worldFile: path.join(folder, 'world.json'),
    app,
    users: [{ login: 'maintainer' }, { login: 'stranger' }],
  });
  started.push(github);
  return github;
}

const stop = (github: LocalGitHub) => started.splice(started.indexOf(github), 1)[0]?.close();

/** A pull request from a fork with a resolved thread and a suggestion that was committed, and a ruleset. */
async function fill(github: LocalGitHub): Promise<void> {
  const repository = await github.createRepository({
    owner: 'example',
    name: 'words',
    files: { 'a.txt': 'a\n' },
    collaborators: { maintainer: 'admin' },
  });
  const [maintainer, stranger] = [github.as('maintainer'), github.as('stranger')];
  const rules = [{ type: 'deletion' as const }];
  maintainer.addRuleset(repository, { name: 'Rules', enforcement: 'active', rules });
  await maintainer.push(repository, { branch: 'two', files: { 'a.txt': 'b\n' }, message: 'b' });
  await maintainer.openPull(repository, { title: 'Two', head: 'two', base: 'main' });
  const pull = { repository, number: 1 };
  const body = '```suggestion\nc\n```';
  const { id } = await maintainer.remark(pull, { path: 'a.txt', line: 1, body });
  await stranger.replyTo(repository, id, 'Yes');
  await maintainer.commitSuggestion(repository, id);
  const fork = await stranger.fork(repository);
  await stranger.push(fork, { branch: 'mine', files: { 'm.txt': 'm\n' }, message: 'm' });
  await stranger.openPull(repository, { title: 'Mine', head: 'stranger:mine', base: 'main' });
}

/** All that the REST API says about it. */
async function everything(github: LocalGitHub): Promise<unknown[]> {
  const headers = { authorization: 'Bearer user_maintainer' };
  const of = '/api/v3/repos/example/words';
  const paths = [
    '',
    '/rulesets',
    '/rules/branches/main',
    '/forks',
    '/branches',
    '/pulls/1/comments',
    '/pulls/1/reviews',
    '/pulls/1/commits',
    '/pulls/2',
  ];
  const answers = paths.map((one) => fetch(github.url + of + one, { headers }));
  const bodies = (await Promise.all(answers)).map((answer) => answer.json());
  const text = JSON.stringify(await Promise.all(bodies)).replaceAll(github.url, 'URL');
  return JSON.parse(text);
}

it('a restart keeps threads, rulesets, forks and what GitHub signed', async () => {
  const folder = temporaryDirectory();
  const first = await start(folder);
  await fill(first);
  const before = await everything(first);
  expect(JSON.stringify(before)).toContain('"verified":true');
  await stop(first);
  expect(await everything(await start(folder))).toEqual(before);
});

it('the comments of an earlier version get a thread each', async () => {
  const folder = temporaryDirectory();
  const first = await start(folder);
  await fill(first);
  const commitSha = await first.repository('example', 'words').git.head('two');
  await stop(first);
  const file = path.join(folder, 'world.json');
  const world = JSON.parse(await readFile(file, 'utf8'));
  const [words] = world.repositories;
  delete words.reviewThreads;
  const place = { path: 'a.txt', line: 1, commitSha };
  for (const comment of words.reviewComments) {
    delete comment.threadId;
    Object.assign(comment, place);
  }
  await writeFile(file, JSON.stringify(world));
  const again = (await start(folder)).repository('example', 'words');
  expect(again.reviewThreads).toMatchObject([place, place]);
  expect(again.reviewComments.map(({ threadId }) => threadId)).toEqual(
    again.reviewThreads.map(({ id }) => id),
  );
});
