// GraphQL names a bot as a person could be named: with the login of its App, without `[bot]`.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LocalGitHub } from '../../packages/local-github/src/index.ts';
import type { GitHubRepository } from '../../src/github/repository.ts';
import { openLocalApp } from './local-app.ts';
import { github } from './support.ts';

describe('what a bot did', () => {
  let opened: Awaited<ReturnType<typeof openLocalApp>>;
  let local: LocalGitHub;
  let repository: ReturnType<LocalGitHub['repository']>;
  let words: GitHubRepository;
  beforeAll(async () => {
    // The last has the login that GraphQL leaves of the App's.
    opened = await openLocalApp('maintainer', 'issuewright');
    local = opened.local;
    repository = await local.createRepository({
      owner: 'example',
      name: 'words',
      files: { 'README.md': '# Words\n' },
      collaborators: { maintainer: 'maintain', issuewright: 'admin' },
    });
    const app = github({ enterprise: { host: new URL(local.url).host, protocol: 'http' } });
    words = app.repository(1, { id: repository.id, owner: 'example', name: 'words' });
  });
  afterAll(() => opened.close());

  const asBot = async (method: string, path: string, body: object): Promise<void> => {
    const permissions = { issues: 'write', pull_requests: 'write', contents: 'read' } as const;
    const token = local.installations.token(1, permissions);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const url = `${local.url}/api/v3/repos/example/words/${path}`;
    const { ok } = await fetch(url, { method, headers, body: JSON.stringify(body) });
    expect(ok).toBe(true);
  };

  it('to the text of an issue is not taken for what the person of that login did', async () => {
    const maintainer = local.as('maintainer');
    const { number } = maintainer.openIssue(repository, { title: 'Words', body: 'Short' });
    maintainer.label({ repository, number }, 'agent');
    await asBot('PATCH', `issues/${number}`, { body: 'Something else' });
    expect(await words.triggerOf(number, { label: 'agent' })).toMatchObject({
      by: { login: 'maintainer' },
      editedBy: ['issuewright[bot]'],
    });
    const person = local.as('issuewright');
    await person.change({ repository, number }, { body: 'And again' });
    expect(await words.triggerOf(number, { label: 'agent' })).toMatchObject({
      editedBy: ['issuewright'],
    });
  });

  it('as the author of a pull request is not taken for what the person of that login did', async () => {
    const maintainer = local.as('maintainer');
    const { number } = maintainer.openIssue(repository, { title: 'Words', body: '' });
    const push = { branch: 'words', files: { 'words.txt': 'more\n' }, message: 'Add words' };
    await maintainer.push(repository, push);
    const pull = { title: 'Words', body: `Closes #${number}`, head: 'words', base: 'main' };
    await asBot('POST', 'pulls', pull);
    expect(await words.relatedWork(number)).toMatchObject({
      pulls: [{ author: 'issuewright[bot]', closes: true }],
    });
  });
});
