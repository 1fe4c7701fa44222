import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import nock from 'nock';
import {
  ResponseLost,
  Forbidden,
  NotFound,
  GitHubDenied,
  Unauthorized,
} from '../../src/github/errors.ts';
import { newPrivateKey } from '../../packages/local-github/src/private-key.ts';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';
import { onMeasured } from '../../src/lib/measurements.ts';
import { PRIVATE_KEY } from '../support/private-key.ts';
import {
  api,
  comment,
  knowsItself,
  logged,
  mintsTokens,
  REPO,
  repository,
  SECRET,
  TOKEN,
} from './support.ts';

const failed = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('it did not fail'),
    (error: unknown) => error as Error,
  );
const ISSUE = `${REPO}/issues/1`;
const read = () => repository().issueState(1);
const body = { issue: 1, session: '5', key: 'status', body: ['hello'] };

afterEach(() => {
  jest.restoreAllMocks();
  nock.cleanAll();
  logged.length = 0;
});

describe('a read', () => {
  it.each([
    ['a 502', () => api().get(ISSUE).reply(502, '<html>')],
    ['a 429 that names no time', () => api().get(ISSUE).reply(429, {}, { 'retry-after': '0' })],
    ['a reset connection', () => api().get(ISSUE).replyWithError(new Error('socket hang up'))],
    [
      'an answer that was cut',
      () => api().get(ISSUE).reply(200, '{"state', { 'content-type': 'application/json' }),
    ],
    [
      'an answer without a body',
      () => api().get(ISSUE).reply(200, '', { 'content-type': 'application/json' }),
    ],
    [
      'a page in place of JSON',
      () => api().get(ISSUE).reply(200, '<html>', { 'content-type': 'text/html' }),
    ],
  ])('is repeated after %s', async (_what, fails) => {
    mintsTokens();
    fails();
    fails();
    api().get(ISSUE).reply(200, { state: 'open', labels: [] });
    await expect(read()).resolves.toMatchObject({ isOpen: true });
  });

  it('is given up after three repeats, to be tried later', async () => {
    mintsTokens();
    const scope = api().get(ISSUE).times(4).reply(503, { message: 'Unavailable' });
    api().get(ISSUE).reply(200, { state: 'never asked' });
    await expect(failed(read())).resolves.toBeInstanceOf(TryLater);
    expect(scope.isDone()).toBe(true);
    expect(nock.pendingMocks()).toHaveLength(1);
  });
});

describe('a rate limit', () => {
  const reset = Math.floor(Date.now() / 1000) + 120;
  it.each([
    ['a secondary one', 403, { 'retry-after': '90' }, 90_000, 90_000],
    [
      'a primary one',
      403,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${reset}` },
      60_000,
      120_000,
    ],
    ['too many requests', 429, { 'retry-after': '60' }, 60_000, 60_000],
    ['one that only its text reveals', 403, {}, 60_000, 60_000],
  ])('%s says when to come back', async (_what, status, headers, least, most) => {
    mintsTokens();
    api()
      .get(ISSUE)
      .reply(status, { message: 'You have exceeded a secondary rate limit.' }, headers);
    const error = await failed(read());
    expect(error).toBeInstanceOf(TryLater);
    expect((error as TryLater).retryAfterMs).toBeGreaterThanOrEqual(least);
    expect((error as TryLater).retryAfterMs).toBeLessThanOrEqual(most);
  });
});

describe('an error of GitHub is explained', () => {
  it.each([
    [403, 'Resource not accessible by integration', Forbidden, /permission/],
    [403, 'Repository was archived so is read-only.', Forbidden, /archived/],
    [403, 'Unable to create comment because issue is locked.', Forbidden, /locked/],
    [404, 'Not Found', NotFound, /deleted/],
    [410, 'This issue was deleted', NotFound, /deleted/],
    [413, 'Request Entity Too Large', GitHubDenied, /proxy.*client_max_body_size/],
    [422, 'Validation Failed', GitHubDenied, /Validation Failed/],
  ])('%d %s', async (status, message, kind, words) => {
    mintsTokens();
    knowsItself();
    api().get(`${REPO}/issues/1/comments?per_page=100&page=1`).reply(200, []);
    api().post(`${REPO}/issues/1/comments`).reply(status, { message });
    const error = await failed(repository().comment(body));
    expect(error).toBeInstanceOf(kind);
    expect(error).toBeInstanceOf(TellPerson);
    expect(error.message).toMatch(words);
  });

  it('holds no secret that GitHub sends back, in its stack neither', async () => {
    mintsTokens();
    api()
      .get(ISSUE)
      .reply(400, { message: `what is ${TOKEN}1 to me` });
    const error = await failed(read());
    expect(error.message).toContain('what is [redacted] to me');
    expect(`${error.stack}${logged.join('')}`).not.toContain(TOKEN);
  });
});

describe('a token', () => {
  it('that GitHub does not accept is replaced, once', async () => {
    const minted = mintsTokens();
    const expect401 = (token: string) =>
      api()
        .get(ISSUE)
        .matchHeader('authorization', `token ${token}`)
        .reply(401, { message: 'Bad credentials' });
    expect401(`${TOKEN}1`);
    api()
      .get(ISSUE)
      .matchHeader('authorization', `token ${TOKEN}2`)
      .reply(200, { state: 'open', labels: [] });
    await expect(read()).resolves.toMatchObject({ isOpen: true });
    expect(minted).toHaveLength(2);
  });

  it('that GitHub has just made and does not accept is tried again, then later', async () => {
    mintsTokens();
    const denial = { message: 'Bad credentials' };
    api().get(ISSUE).times(3).reply(401, denial);
    api().get(ISSUE).reply(200, { state: 'open', labels: [] });
    await expect(read()).resolves.toMatchObject({ isOpen: true });
    api().get(ISSUE).reply(401, denial).persist();
    const error = await failed(read());
    expect(error).toBeInstanceOf(TryLater);
    expect(error.message).toMatch(/401: Bad credentials.*accepted the same credentials before/);
  });
});

describe('the key of the App', () => {
  const MINT = '/app/installations/9/access_tokens';
  const MINUTE = 60_000;
  const denial = { message: 'A JSON web token could not be decoded' };
  const mints = (nth: number) =>
    api()
      .post(MINT)
      .reply(201, { token: `${TOKEN}${nth}`, expires_at: '2030-01-01T00:00:00Z' });
  const deniesKeys = () => api().post(MINT).reply(401, denial).persist();

  it('that never worked is wrong, which whoever watches the service is told', async () => {
    const heard: unknown[] = [];
    const stop = onMeasured('credentials', (answer) => heard.push(answer));
    deniesKeys();
    expect(await failed(repository().gitToken('read'))).toBeInstanceOf(Unauthorized);
    stop();
    expect(heard).toEqual([{ of: 'GitHub', answer: 'key_rejected' }]);
  });

  it('that worked before is tried again, then later', async () => {
    const one = repository();
    mints(1);
    const first = await one.gitToken('read');
    api().post(MINT).times(3).reply(401, denial);
    mints(2);
    expect(await one.gitToken('read', first)).toBe(`${TOKEN}2`);
    deniesKeys();
    const error = await failed(one.gitToken('read', `${TOKEN}2`));
    expect(error).toBeInstanceOf(TryLater);
    expect(error.message).toMatch(/Check APP_ID and the private key\. .* may be an outage/);
  });

  it('is wrong an hour after it last worked, or a token that was made with it', async () => {
    const one = repository();
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now);
    mints(1).persist();
    await one.gitToken('read');
    api().get(ISSUE).reply(200, { state: 'open', labels: [] });
    clock.mockReturnValue(now + 50 * MINUTE);
    await one.issueState(1);
    nock.cleanAll();
    deniesKeys();
    clock.mockReturnValue(now + 100 * MINUTE);
    expect(await failed(one.gitToken('read', `${TOKEN}1`))).toBeInstanceOf(TryLater);
    clock.mockReturnValue(now + 111 * MINUTE);
    expect(await failed(one.gitToken('read', `${TOKEN}1`))).toBeInstanceOf(Unauthorized);
  });

  it('that replaced one that worked is wrong, although a token of that one still works', async () => {
    const keys = { privateKey: PRIVATE_KEY, webhookSecrets: [SECRET] };
    const one = repository({ keys: () => keys });
    mints(1);
    await one.gitToken('read');
    mints(2);
    api().get(ISSUE).reply(200, { state: 'open', labels: [] });
    await one.issueState(1);
    keys.privateKey = newPrivateKey();
    deniesKeys();
    expect(await failed(one.gitToken('read', `${TOKEN}1`))).toBeInstanceOf(Unauthorized);
    api().get(ISSUE).reply(200, { state: 'open', labels: [] });
    await one.issueState(1);
    expect(await failed(one.gitToken('read', `${TOKEN}1`))).toBeInstanceOf(Unauthorized);
    api().get(ISSUE).reply(401, denial);
    expect(await failed(one.issueState(1))).toBeInstanceOf(Unauthorized);
  });
});

describe('a write', () => {
  it('is never repeated blindly', async () => {
    mintsTokens();
    knowsItself();
    api().get(`${REPO}/issues/1/comments?per_page=100&page=1`).twice().reply(200, []);
    const create = api().post(`${REPO}/issues/1/comments`).reply(502);
    api().post(`${REPO}/issues/1/comments`).reply(201, comment(2, ''));
    const error = await failed(repository().comment(body));
    expect(error).toBeInstanceOf(ResponseLost);
    expect(error).toBeInstanceOf(TryLater);
    expect(create.isDone()).toBe(true);
    expect(
      nock.pendingMocks().filter((mock) => mock.includes('POST') && mock.includes('comments')),
    ).toHaveLength(1);
  });

  it.each([
    [
      'reset',
      () => api().post(`${REPO}/issues/1/comments`).replyWithError(new Error('socket hang up')),
    ],
    [
      'cut',
      () =>
        api()
          .post(`${REPO}/issues/1/comments`)
          .reply(201, '{"id":', { 'content-type': 'application/json' }),
    ],
    ['empty', () => api().post(`${REPO}/issues/1/comments`).reply(201, '')],
    ['a 500', () => api().post(`${REPO}/issues/1/comments`).reply(500)],
  ])('whose answer was %s is looked up, and found', async (_what, fails) => {
    mintsTokens();
    knowsItself();
    const list = `${REPO}/issues/1/comments?per_page=100&page=1`;
    const landed = comment(31, 'hello\n\n<!-- issuewright:5:status -->');
    api().get(list).reply(200, []);
    fails();
    api().get(list).reply(200, [landed]);
    await expect(repository().comment(body)).resolves.toEqual({ id: 31, url: landed.html_url });
  });
});

describe('a server that says nothing', () => {
  it.each([
    ['not a byte', () => undefined],
    [
      'half an answer',
      (response: http.ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"state":');
      },
    ],
  ])('%s: the request ends with its deadline', async (_what, answer) => {
    const server = http.createServer((request, response) => {
      const isMint = request.url?.includes('access_tokens') === true;
      if (!isMint) return answer(response);
      response.writeHead(201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ token: TOKEN, expires_at: '2999-01-01T00:00:00Z' }));
      return undefined;
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const enterprise = { host, protocol: 'http' };
    const hung = repository({ enterprise, deadlineMs: 100 }).issueState(1);
    await expect(failed(hung)).resolves.toBeInstanceOf(ResponseLost);
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
});
