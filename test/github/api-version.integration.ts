// The version of GitHub's API that requests are made for, on servers that know it and on one that does not.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { LocalGitHub } from '../../packages/local-github/src/index.ts';
import { gitHubByToken } from '../../src/github/by-token.ts';
import { appFromManifest } from '../../src/github/set-up/app-set-up.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import { openLocalServer } from './local-app.ts';
import { github } from './support.ts';

const log = pino({ level: 'silent' });
const redactor = createRedactor([]);

async function open(apiVersions?: readonly string[]) {
  const { local, ...server } = await openLocalServer({ apiVersions }, ['maintainer']);
  const repository = await local.createRepository({
    owner: 'example',
    name: 'words',
    files: { 'README.md': '# Words\n' },
    collaborators: { maintainer: 'admin' },
  });
  const enterprise = { host: new URL(local.url).host, protocol: 'http' as const };
  const app = github({ enterprise });
  const words = app.repository(1, { id: repository.id, owner: 'example', name: 'words' });
  return { local, repository, enterprise, app, words, close: () => server.close() };
}
type Opened = Awaited<ReturnType<typeof open>>;

/** The status and the version of each request that `work` made. */
async function requestsOf(local: LocalGitHub, work: () => Promise<unknown>) {
  const from = local.requests.length;
  await work();
  return local.requests.slice(from).map(({ status, apiVersion }) => ({ status, apiVersion }));
}

describe('a request of the product', () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  it('says its version, whoever makes it and whatever it is for', async () => {
    const { local, repository, enterprise, app, words } = opened;
    const person = { enterprise, signal: new AbortController().signal, log, redactor };
    const byToken = gitHubByToken({ ...person, token: 'user_maintainer', isOfWorkflow: false });
    const signIn = app.userAuthorization({ clientId: 'Iv1.none', clientSecret: 'none' });
    const { number } = local.as('maintainer').openIssue(repository, { title: 'Words', body: '' });
    const made = await requestsOf(local, async () => {
      await app.identity();
      await app.installations.list();
      await words.comment({ issue: number, session: '1', key: 'status', body: ['working'] });
      await words.triggerOf(number, { label: 'issuewright' });
      await byToken.owner();
      await signIn.access('user_maintainer').catch(() => {});
      await appFromManifest({ enterprise, code: 'none', log, redactor }).catch(() => {});
    });
    expect(made.length).toBeGreaterThan(7);
    expect(new Set(made.map(({ apiVersion }) => apiVersion))).toEqual(new Set(['2022-11-28']));
  });

  it('is denied by GitHub if it asks for a version that there is not', async () => {
    const answer = await fetch(`${opened.local.url}/api/v3/repos/example/words`, {
      headers: { authorization: 'Bearer user_maintainer', 'x-github-api-version': 'v3' },
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      message: 'Bad Request',
      errors: expect.stringMatching(/"v3", is not a supported version.*"2022-11-28"/),
    });
  });
});

describe('a server that knows no versions', () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open([]);
  });
  afterAll(() => opened.close());

  it('is asked once more without one, and never with one again', async () => {
    const { local, app, words } = opened;
    const first = await requestsOf(local, () => app.identity());
    expect(first.slice(0, 2)).toEqual([
      { status: 400, apiVersion: '2022-11-28' },
      { status: 200, apiVersion: undefined },
    ]);
    const others = await requestsOf(local, () => words.readFile('README.md'));
    expect(others.every(({ apiVersion }) => apiVersion === undefined)).toBe(true);
    expect(others.some(({ status }) => status === 400)).toBe(false);
  });
});

describe('a server that answers 400 for another reason', () => {
  it('gets the version with the next request', async () => {
    const opened = await open();
    const { local, words } = opened;
    const mend = local.faults.failNext({
      method: 'GET',
      path: /permission$/,
      status: 400,
      times: 2,
    });
    await expect(words.permissionOf('maintainer')).rejects.toThrow();
    mend();
    const next = await requestsOf(local, () => words.permissionOf('maintainer'));
    expect(next).toEqual([{ status: 200, apiVersion: '2022-11-28' }]);
    await opened.close();
  });
});
