import { afterEach, describe, expect, it } from '@jest/globals';
import type { components } from '@octokit/openapi-types';
import nock from 'nock';
import { Forbidden, NotInstalled, Suspended, Unauthorized } from '../../src/github/errors.ts';
import {
  WEBHOOK_PERMISSION,
  WORKFLOW_PERMISSION,
  OPTIONAL_PERMISSIONS,
  PERMISSIONS,
  PURPOSES,
} from '../../src/github/access/permissions.ts';
import { createTokens } from '../../src/github/access/tokens.ts';
import { Octokit } from '../../src/github/requests/octokit.ts';
import { applyRequestPolicy } from '../../src/github/requests/request-policy.ts';
import { TryLater } from '../../src/lib/errors.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import { api, github, INSTALLATION, mintsTokens, REPOSITORY, TOKEN } from './support.ts';

const MINT = `/app/installations/${INSTALLATION}/access_tokens`;
const repository = (id = REPOSITORY.id) => github().repository(INSTALLATION, { ...REPOSITORY, id });

afterEach(() => nock.cleanAll());

describe('an installation token', () => {
  it.each([
    ['read', { contents: 'read', metadata: 'read' }],
    ['write', { contents: 'write', metadata: 'read' }],
  ] as const)(
    'for git to %s has that permission, for one repository',
    async (access, permissions) => {
      const asked = mintsTokens();
      await expect(repository().gitToken(access)).resolves.toBe(`${TOKEN}1`);
      expect(asked).toEqual([{ repository_ids: [77], permissions }]);
    },
  );

  it("for the settings of an account reads one repository's files, and nothing else", async () => {
    const asked = mintsTokens();
    api()
      .get('/repos/example/.github/contents')
      .reply(200, [{ name: 'a.yml' }]);
    api().get('/repos/example/.github/contents/a.yml').reply(200, { type: 'file', content: '' });
    await expect(repository().ownersFile('a.yml')).resolves.toBe('');
    const permissions = { contents: 'read', metadata: 'read' };
    expect(asked).toEqual([{ repositories: ['.github'], permissions }]);
  });

  it('is kept for its purpose and repository, and asked for once by many at once', async () => {
    const asked = mintsTokens();
    const one = github();
    const first = one.repository(INSTALLATION, REPOSITORY);
    const again = one.repository(INSTALLATION, REPOSITORY);
    const other = one.repository(INSTALLATION, { ...REPOSITORY, id: 78 });
    await Promise.all([first.gitToken('read'), again.gitToken('read'), first.gitToken('read')]);
    expect(asked).toHaveLength(1);
    await Promise.all([first.gitToken('write'), other.gitToken('read')]);
    expect(asked).toHaveLength(3);
  });

  it('is replaced five minutes before it expires, once for many at once', async () => {
    const asked = mintsTokens();
    let now = Date.now();
    const redactor = createRedactor();
    const octokit = new Octokit();
    applyRequestPolicy(octokit, { redactor });
    const tokens = createTokens({ appOctokit: async () => octokit, redactor, now: () => now });
    const get = () =>
      tokens.get({ installation: INSTALLATION, repository: REPOSITORY, purpose: 'git-read' });
    await expect(get()).resolves.toBe(`${TOKEN}1`);
    now += 54 * 60_000;
    await expect(get()).resolves.toBe(`${TOKEN}1`);
    now += 2 * 60_000;
    nock.cleanAll();
    api()
      .post(MINT)
      .reply(201, { token: `${TOKEN}fresh`, expires_at: new Date(now + 3_600_000).toISOString() });
    await expect(Promise.all([get(), get(), get()])).resolves.toEqual(
      [1, 2, 3].map(() => `${TOKEN}fresh`),
    );
    expect(asked).toHaveLength(1);
    expect(redactor.redact(`as ${TOKEN}fresh.`)).toBe('as [redacted].');
  });

  it('is minted again after a failure, which is not kept', async () => {
    api().post(MINT).times(4).reply(503);
    const words = repository();
    await expect(words.gitToken('read')).rejects.toBeInstanceOf(TryLater);
    mintsTokens();
    await expect(words.gitToken('read')).resolves.toBe(`${TOKEN}1`);
  });

  it('is requested again if GitHub does not accept the App for a moment', async () => {
    api().post(MINT).reply(401, { message: 'Bad credentials' });
    mintsTokens();
    await expect(repository().gitToken('read')).resolves.toBe(`${TOKEN}1`);
  });

  it('is requested again if the response was lost: a second one does no harm', async () => {
    api().post(MINT).reply(201, '{"token":', { 'content-type': 'application/json' });
    mintsTokens();
    await expect(repository().gitToken('read')).resolves.toBe(`${TOKEN}1`);
  });

  it.each([
    [
      'a removed installation',
      404,
      'Not Found',
      NotInstalled,
      /An account owner can install it again/,
    ],
    [
      'another repository',
      422,
      'There is at least one repository that does not exist',
      NotInstalled,
      /not installed on example\/words/,
    ],
    [
      'wrong credentials',
      401,
      'A JSON web token could not be decoded',
      Unauthorized,
      /private key/,
    ],
  ])('is denied with an explanation for %s', async (_what, status, message, kind, words) => {
    // What GitHub did not accept is sent once more.
    const times = status === 401 ? 2 : 1;
    api().post(MINT).times(times).reply(status, { message });
    const error = await repository()
      .gitToken('write')
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect(String(error)).toMatch(words);
  });

  it('of a suspended installation is retried later: GitHub reports when the suspension ends', async () => {
    api().post(MINT).reply(403, { message: 'This installation has been suspended' });
    const error = await repository()
      .gitToken('write')
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Suspended);
    expect(error).toMatchObject({ retryAfterMs: 3_600_000 });
    expect(String(error)).toMatch(/suspended.* An account owner can unsuspend it/);
  });
});

describe('an installation that lacks a permission', () => {
  const NOT_GRANTED = 'The permissions requested are not granted to this installation.';
  const lacks = (permissions: Record<string, string>): void => {
    api().post(MINT).reply(422, { message: NOT_GRANTED });
    api()
      .get(`/app/installations/${INSTALLATION}`)
      .reply(200, { permissions, html_url: 'https://github.com/settings/installations/9' });
  };

  it('is reported by name, with where its owner accepts it, if git needs it', async () => {
    lacks({ contents: 'read', issues: 'write', metadata: 'read' });
    const error = await repository()
      .gitToken('write')
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Forbidden);
    expect(String(error)).toMatch(
      /lacks the permission `contents: write`\. An account owner must approve the pending permission request in .*\(https:\/\/github.com\/settings\/installations\/9\)/,
    );
  });

  it('gets a token for what it may do, and soon another: it may have been accepted', async () => {
    let now = Date.now();
    const redactor = createRedactor();
    const octokit = new Octokit();
    applyRequestPolicy(octokit, { redactor });
    const tokens = createTokens({ appOctokit: async () => octokit, redactor, now: () => now });
    const get = () =>
      tokens.get({ installation: INSTALLATION, repository: REPOSITORY, purpose: 'api' });
    lacks({ contents: 'read', issues: 'write', metadata: 'read' });
    const asked = mintsTokens();
    await expect(Promise.all([get(), get()])).resolves.toEqual([`${TOKEN}1`, `${TOKEN}1`]);
    expect(asked).toMatchObject([
      { permissions: { contents: 'read', issues: 'write', metadata: 'read' } },
    ]);
    now += 60_000;
    await expect(get()).resolves.toBe(`${TOKEN}2`);
    expect(asked[1]).toMatchObject({ permissions: { pull_requests: 'write' } });
    now += 60_000;
    await expect(get()).resolves.toBe(`${TOKEN}2`);
    tokens.forget(INSTALLATION);
    await expect(get()).resolves.toBe(`${TOKEN}3`);
  });
});

describe('the optional permissions', () => {
  const source = (now: () => number) => {
    const redactor = createRedactor();
    const octokit = new Octokit();
    applyRequestPolicy(octokit, { redactor });
    return createTokens({ appOctokit: async () => octokit, redactor, now });
  };
  const grants = (permissions: Record<string, string>): void => {
    api()
      .get(`/app/installations/${INSTALLATION}`)
      .reply(200, { permissions, html_url: 'https://github.com/settings/installations/9' });
  };
  const of = { installation: INSTALLATION, repository: REPOSITORY, purpose: 'checks' } as const;

  it('are in tokens of their own, which have those that are granted', async () => {
    const tokens = source(() => Date.now());
    grants({ ...PERMISSIONS, checks: 'read', actions: 'read' });
    const asked = mintsTokens();
    await expect(tokens.get(of)).resolves.toBe(`${TOKEN}1`);
    expect(asked).toEqual([
      {
        repository_ids: [77],
        permissions: { checks: 'read', actions: 'read', metadata: 'read' },
      },
    ]);
  });

  it('that an installation lacks are named, with who can grant them', async () => {
    const tokens = source(() => Date.now());
    grants({ ...PERMISSIONS, checks: 'read' });
    await expect(tokens.lacking(INSTALLATION, { checks: 'read' })).resolves.toBeUndefined();
    await expect(
      tokens.lacking(INSTALLATION, { checks: 'write', statuses: 'read' }),
    ).resolves.toMatch(
      /lacks the permissions `checks: write`, `statuses: read`\. An account owner .*\(https:\/\/github.com\/settings\/installations\/9\)/,
    );
  });

  it('are asked for once a minute, and again once the owner accepted some', async () => {
    let now = Date.now();
    const tokens = source(() => now);
    const lacking = () => tokens.lacking(INSTALLATION, { actions: 'read' });
    grants(PERMISSIONS);
    await expect(Promise.all([lacking(), lacking()])).resolves.not.toContain(undefined);
    tokens.forget(INSTALLATION);
    grants({ ...PERMISSIONS, actions: 'read' });
    await expect(lacking()).resolves.toBeUndefined();
    now += 61_000;
    grants(PERMISSIONS);
    await expect(lacking()).resolves.toMatch(/`actions: read`/);
  });
});

describe('the permissions of the App', () => {
  it('are these, in the names of GitHub', () => {
    const permissions: components['schemas']['app-permissions'] = {
      ...PERMISSIONS,
      ...OPTIONAL_PERMISSIONS,
    };
    expect(permissions).toEqual({
      contents: 'write',
      issues: 'write',
      pull_requests: 'write',
      metadata: 'read',
      checks: 'write',
      statuses: 'read',
      actions: 'read',
    });
  });

  it('are enough for every purpose, and none is for nothing', () => {
    const needed = new Map<string, string>();
    for (const purpose of Object.values(PURPOSES))
      for (const [name, level] of Object.entries(purpose))
        if (needed.get(name) !== 'write') needed.set(name, level);
    expect(Object.fromEntries(needed)).toEqual({
      ...PERMISSIONS,
      ...OPTIONAL_PERMISSIONS,
      ...WORKFLOW_PERMISSION,
      ...WEBHOOK_PERMISSION,
    });
  });
});

describe('who the App is', () => {
  const app = { id: 4242, slug: 'issuewright', name: 'Issuewright' };

  it('is asked once', async () => {
    api().get('/app').reply(200, app);
    api().get('/users/issuewright%5Bbot%5D').reply(200, { id: 808 });
    const one = github();
    expect(one.knownIdentity()).toBeUndefined();
    const identity = {
      appId: 4242,
      slug: 'issuewright',
      login: 'issuewright[bot]',
      id: 808,
      name: 'Issuewright',
      email: '808+issuewright[bot]@users.noreply.github.com',
    };
    await expect(Promise.all([one.identity(), one.identity()])).resolves.toEqual([
      identity,
      identity,
    ]);
    await expect(one.identity()).resolves.toEqual(identity);
    expect(one.knownIdentity()).toEqual(identity);
  });

  it('uses the id of the App if its account is not shown', async () => {
    const enterprise = { host: 'git.example.com:8443', protocol: 'https' };
    const server = nock('https://git.example.com:8443');
    server.get('/api/v3/app').reply(200, app);
    server.get('/api/v3/users/issuewright%5Bbot%5D').reply(404, { message: 'Not Found' });
    const one = github({ enterprise });
    await expect(one.identity()).resolves.toMatchObject({
      id: 4242,
      email: '4242+issuewright[bot]@users.noreply.git.example.com',
    });
    expect(one.repository(INSTALLATION, REPOSITORY).gitUrl).toBe(
      'https://git.example.com:8443/example/words.git',
    );
  });

  it('is a question of the settings if GitHub knows no such App', async () => {
    api().get('/app').reply(404, { message: 'Integration not found' });
    await expect(github().identity()).rejects.toThrow(/no App with the ID in APP_ID.*deleted/);
  });

  it('is asked again after a failure', async () => {
    api().get('/app').times(4).reply(502);
    const one = github();
    await expect(one.identity()).rejects.toBeInstanceOf(TryLater);
    api().get('/app').reply(200, app);
    api().get('/users/issuewright%5Bbot%5D').reply(200, { id: 808 });
    await expect(one.identity()).resolves.toMatchObject({ id: 808 });
  });
});
