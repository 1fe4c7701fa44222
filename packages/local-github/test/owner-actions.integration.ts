// What owners do on GitHub: rename, transfer, lock, archive, suspend.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Repository } from '../src/github/state.ts';
import type { Playground } from './support.ts';
import { asApp, mintToken, startPlayground, withToken } from './support.ts';

let playground: Playground;
let repository: Repository;
let count = 0;
beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground.close());
beforeEach(async () => {
  count += 1;
  repository = await newRepository(`words-${count}`);
});

const newRepository = (name: string): Promise<Repository> =>
  playground.github.createRepository({
    owner: 'example',
    name,
    files: { 'README.md': '# Words' },
    collaborators: { maintainer: 'admin' },
  });
const maintainer = () => playground.github.as('maintainer');
const open = () => maintainer().openIssue(repository, { title: 'A title', body: 'Text' });
const at = () => ({ owner: 'example', repo: repository.name });

/** An answer as it came: nothing is followed. */
async function ask(method: string, path: string, body?: object) {
  const token = await mintToken(playground.github);
  const answer = await fetch(`${playground.github.url}${path}`, {
    method,
    redirect: 'manual',
    headers: { authorization: `token ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, location: answer.headers.get('location'), answer };
}

describe('a repository that was renamed', () => {
  it('redirects by its id, a read by 301 and a write by 307', async () => {
    const { number } = open();
    const before = repository.name;
    maintainer().rename(repository, `renamed-${count}`);
    const old = `/api/v3/repos/example/${before}`;
    const read = await ask('GET', `${old}/issues/${number}`);
    const byId = `/api/v3/repositories/${repository.id}/issues/${number}`;
    expect([read.status, read.location]).toEqual([301, `${playground.github.url}${byId}`]);
    expect((await ask('GET', byId)).status).toBe(200);
    const write = await ask('POST', `${old}/issues/${number}/labels`, { labels: ['a'] });
    expect([write.status, write.location]).toEqual([307, `${playground.github.url}${byId}/labels`]);
    expect((await ask('GET', `/api/v3/repos/example/renamed-${count}`)).status).toBe(200);
    const git = await ask('GET', `/example/${before}.git/info/refs?service=git-upload-pack`);
    expect(git.location).toMatch(new RegExp(`/example/renamed-${count}.git/info/refs\\?service=`));
  });
});

describe('an issue that was transferred', () => {
  it('is announced in both places, keeps its comments, and redirects', async () => {
    const issue = open();
    maintainer().label({ repository, number: issue.number }, 'kept', 'left');
    const { id } = maintainer().comment({ repository, number: issue.number }, 'A thought');
    const other = await newRepository(`other-${count}`);
    maintainer().label(
      { repository: other, number: maintainer().openIssue(other, { title: 'First' }).number },
      'kept',
    );
    maintainer().assign({ repository, number: issue.number }, 'maintainer');
    const moved = maintainer().transfer({ repository, number: issue.number }, other);
    expect(moved.assignees.map(({ login }) => login)).toEqual(['maintainer']);
    expect(moved).toMatchObject({ number: 2, title: 'A title', labels: [{ name: 'kept' }] });
    expect(other.comments).toMatchObject([{ id, issueNumber: 2 }]);
    const read = await ask('GET', `/api/v3/repos/example/${repository.name}/issues/1`);
    expect([read.status, read.location]).toEqual([
      301,
      `${playground.github.url}/api/v3/repositories/${other.id}/issues/2`,
    ]);
    await playground.github.waitFor(
      () => playground.received.some(({ payload }) => payload['action'] === 'transferred'),
      { what: 'the event' },
    );
    const told = playground.received.find(({ payload }) => payload['action'] === 'transferred');
    expect(told?.payload).toMatchObject({
      issue: { number: 1 },
      changes: { new_issue: { number: 2 }, new_repository: { id: other.id } },
    });
    expect(open().number).toBe(2);
  });
});

describe('a conversation that is locked', () => {
  it('is closed to the App, and open to people with write access', async () => {
    const { number } = open();
    maintainer().lock({ repository, number });
    const issue = `/api/v3/repos/example/${repository.name}/issues/${number}`;
    const comment = await ask('POST', `${issue}/comments`, { body: 'Hello' });
    expect(await comment.answer.json()).toMatchObject({
      status: '403',
      message: 'Unable to create comment because issue is locked.',
    });
    expect((await ask('POST', `${issue}/reactions`, { content: 'eyes' })).status).toBe(403);
    expect(() => playground.github.as('stranger').comment({ repository, number }, 'x')).toThrow(
      'locked',
    );
    expect(maintainer().comment({ repository, number }, 'x').body).toBe('x');
  });
});

describe('a repository that is archived', () => {
  it('can be read, and neither written nor pushed to', async () => {
    const { number } = open();
    maintainer().archive(repository);
    const issue = `/api/v3/repos/example/${repository.name}/issues/${number}`;
    expect((await ask('GET', issue)).status).toBe(200);
    expect((await ask('POST', `${issue}/comments`, { body: 'x' })).status).toBe(403);
    const git = `/example/${repository.name}.git/info/refs?service=`;
    expect((await ask('GET', `${git}git-upload-pack`)).status).toBe(200);
    const push = await ask('GET', `${git}git-receive-pack`);
    expect([push.status, await push.answer.text()]).toEqual([
      403,
      'This repository was archived so it is read-only.\n',
    ]);
  });
});

describe('an installation', () => {
  it('has what its owner accepted, and GitHub names what a request would need', async () => {
    const { github } = playground;
    const { number } = open();
    github.installations.grant(1, { metadata: 'read', issues: 'read' });
    await expect(mintToken(github, { permissions: { issues: 'write' } })).rejects.toThrow(
      'The permissions requested are not granted to this installation.',
    );
    const client = withToken(github, await mintToken(github));
    await expect(
      client.rest.issues.createComment({ ...at(), issue_number: number, body: 'x' }),
    ).rejects.toMatchObject({
      status: 403,
      response: { headers: { 'x-accepted-github-permissions': 'issues=write' } },
    });
    const { data } = await asApp(github).rest.apps.getInstallation({ installation_id: 1 });
    expect(data.permissions).toEqual({ metadata: 'read', issues: 'read' });
    github.installations.acceptPermissions(1);
    await expect(mintToken(github, { permissions: { issues: 'write' } })).resolves.toBeDefined();
  });

  it('gets events about itself, and no others while it is suspended', async () => {
    const { github, received } = playground;
    const told = () =>
      received.map(({ event, payload }) => `${event}.${String(payload['action'])}`);
    github.installations.suspend(1);
    open();
    github.installations.unsuspend(1);
    github.installations.remove(repository);
    github.installations.add(repository, 1);
    await github.waitFor(() => told().includes('installation_repositories.added'), {
      what: 'the events',
    });
    expect(told().slice(told().indexOf('installation.suspend'))).toEqual([
      'installation.suspend',
      'installation.unsuspend',
      'installation_repositories.removed',
      'installation_repositories.added',
    ]);
  });

  it('that is removed is not found, and its tokens are dead', async () => {
    const { github } = playground;
    const token = await mintToken(github);
    github.installations.uninstall(1);
    await expect(mintToken(github)).rejects.toMatchObject({ status: 404 });
    await expect(withToken(github, token).rest.repos.get(at())).rejects.toMatchObject({
      status: 401,
    });
  });

  it('is made again under another number, as the event says', async () => {
    const { github, received } = playground;
    github.installations.uninstall(1);
    await expect(mintToken(github)).rejects.toMatchObject({ status: 404 });
    github.installations.install([repository], 31);
    const created = () =>
      received.find(
        ({ event, payload }) => event === 'installation' && payload['action'] === 'created',
      );
    await github.waitFor(() => created() !== undefined, { what: 'the event' });
    expect(created()).toMatchObject({
      event: 'installation',
      payload: { installation: { id: 31 }, repositories: [{ id: repository.id }] },
    });
    expect(() => github.installations.install([repository], 31)).toThrow('a number of its own');
  });
});
