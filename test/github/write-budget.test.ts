import { afterEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { pino } from 'pino';
import { gitHubByToken } from '../../src/github/by-token.ts';
import type { LongWait } from '../../src/github/requests/limits.ts';
import type { RequestLimiter } from '../../src/github/requests/write-room.ts';
import { WaitEnded, WriteBudgetExhausted } from '../../src/github/errors.ts';
import { TryLater } from '../../src/lib/errors.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import {
  api,
  comment,
  github,
  INSTALLATION,
  knowsItself,
  mintsTokens,
  REPO,
  repository,
  REPOSITORY,
} from './support.ts';

const COMMENT = { issue: 1, session: '5', key: 'status', body: ['hello'] };
const PERSON = { login: 'maintainer', id: 9, type: 'User' };
const SECOND = 1_000;

/** Returns these waits, one after the other, and records its calls. */
function budget(...waits: readonly number[]) {
  const left = [...waits];
  const told: (number | 'take' | 'made')[] = [];
  const limiter: RequestLimiter = {
    patienceMs: () => 500,
    reserve: () => Promise.resolve(left.shift() ?? 0),
    release: () => Promise.resolve(),
    spend: () => Promise.resolve({ waitMs: 0, pausedMs: 0 }),
    take: () => {
      told.push('take');
      const waitMs = left.shift() ?? 0;
      const made = (): Promise<void> => Promise.resolve(void told.push('made'));
      return Promise.resolve(waitMs === 0 ? { made } : { waitMs });
    },
    pause: (ms) => {
      told.push(ms);
      return Promise.resolve();
    },
  };
  return { told, of: () => limiter, limiter };
}

function lists(): void {
  mintsTokens();
  knowsItself();
  api().get(`${REPO}/issues/1/comments?per_page=100&page=1`).reply(200, []);
}

afterEach(() => nock.cleanAll());

describe('the write budget', () => {
  it('is taken from once for each write, and not for reads or tokens', async () => {
    lists();
    api().post(`${REPO}/issues/1/comments`).reply(201, comment(7, 'hello'));
    const { told, of } = budget();
    await repository({ requestLimiter: of }).comment(COMMENT);
    expect(told).toEqual(['take', 'made']);
  });

  it('lets a write wait in place for a moment', async () => {
    lists();
    const scope = api().post(`${REPO}/issues/1/comments`).reply(201, comment(7, 'hello'));
    api().patch(`${REPO}/issues/comments/7`).reply(200, comment(7, 'hello'));
    const { told, of } = budget(5, 5, 0);
    await repository({ requestLimiter: of }).comment(COMMENT);
    expect(scope.isDone()).toBe(true);
    expect(told.slice(0, 3)).toEqual(['take', 'take', 'take']);
  });

  it('sends nothing if it allows no write soon, and says when to retry', async () => {
    lists();
    const scope = api().post(`${REPO}/issues/1/comments`).reply(201, comment(7, 'hello'));
    const { of } = budget(30 * SECOND);
    const written = repository({ requestLimiter: of }).comment(COMMENT);
    await expect(written).rejects.toMatchObject({ retryAfterMs: 30 * SECOND });
    await expect(written).rejects.toBeInstanceOf(TryLater);
    expect(scope.isDone()).toBe(false);
  });

  it('learns how long GitHub wants the installation to wait', async () => {
    lists();
    const message = 'You have exceeded a secondary rate limit.';
    api().post(`${REPO}/issues/1/comments`).reply(403, { message }, { 'retry-after': '90' });
    const { told, of } = budget();
    await expect(repository({ requestLimiter: of }).comment(COMMENT)).rejects.toBeInstanceOf(
      TryLater,
    );
    expect(told).toEqual(['take', 90 * SECOND, 'made']);
  });

  it('is used up by GraphQL mutations, and not by queries', async () => {
    mintsTokens();
    const label = { event: 'labeled', actor: PERSON, created_at: '2030-01-15T14:00:00Z' };
    api()
      .get(`${REPO}/issues/1/events?per_page=100&page=1`)
      .reply(200, [{ ...label, label: { name: 'agent' } }]);
    const issue = { lastEditedAt: null, editor: null };
    api()
      .post('/graphql')
      .reply(200, { data: { repository: { issue } } });
    const { told, of } = budget();
    const github = repository({ requestLimiter: of });
    expect(await github.triggerOf(1, { label: 'agent' })).toMatchObject({ editedBy: [] });
    expect(told).toEqual([]);
    api().get(`${REPO}/pulls/5`).reply(200, { draft: true, state: 'open', node_id: 'PR_5' });
    api().post('/graphql').reply(200, { data: {} });
    await github.markReady(5);
    expect(told).toEqual(['take', 'made']);
  });
});

describe('room for several writes', () => {
  it('is waited for in place, and asked for again when it is time', async () => {
    const { of } = budget(5, 5);
    await expect(repository({ requestLimiter: of }).room.reserve(3)).resolves.toBeUndefined();
    await expect(repository({ requestLimiter: of }).room.grantedIn(3)).resolves.toBe(0);
  });

  it('is not waited for longer than the writer has patience', async () => {
    const { of } = budget(400, 400);
    const room = repository({ requestLimiter: of }).room.reserve(3);
    await expect(room).rejects.toBeInstanceOf(WriteBudgetExhausted);
    const message = expect.stringContaining('CONTENT_LIMITS');
    await expect(room).rejects.toMatchObject({ retryAfterMs: 400, message });
  });

  it('is not waited for by a run that was stopped', async () => {
    const { limiter } = budget(60_000);
    const stop = new AbortController();
    const waiting = { ...limiter, patienceMs: () => Infinity, signal: stop.signal };
    const room = repository({ requestLimiter: () => waiting }).room.reserve(3);
    stop.abort(new Error('stopped'));
    await expect(room).rejects.toBeInstanceOf(WaitEnded);
  });
});

describe('the requests of an hour, when few are left', () => {
  const few = {
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': '1',
    'x-ratelimit-reset': String(Math.ceil(Date.now() / SECOND) + 1_800),
    'x-ratelimit-resource': 'core',
  };

  it('are waited for in place for about a minute, unless whoever waits is stopped', async () => {
    mintsTokens();
    const state = { state: 'open', labels: [] };
    const scope = api().get(`${REPO}/issues/1`).twice().reply(200, state, few);
    api().get(`${REPO}/issues/1`).reply(200, state, few);
    const app = github();
    const read = (signal?: AbortSignal) => {
      const writer = { holder: 'run', rank: 'work', patienceMs: () => 0, signal } as const;
      return app.repository(INSTALLATION, REPOSITORY, writer).issueState(1);
    };
    for (let sent = 0; sent < 2; sent += 1) await read();
    expect(scope.isDone()).toBe(true);
    // In sixty seconds, and the next one a minute after that.
    await expect(read(AbortSignal.abort())).rejects.toBeInstanceOf(WaitEnded);
    const error = await read().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TryLater);
    expect((error as TryLater).retryAfterMs).toBeGreaterThan(110 * SECOND);
    expect((error as TryLater).retryAfterMs).toBeLessThanOrEqual(120 * SECOND);
  });

  it('are waited for in place by a run by hand, however long that is', async () => {
    const state = { state: 'open', labels: [] };
    const facts = { id: 1, owner: { login: 'example' }, name: 'words', default_branch: 'main' };
    const person = { login: 'octo', id: 9 };
    api().get(REPO).reply(200, facts, few);
    api().get(`${REPO}/issues/1`).reply(200, state, few);
    const stop = new AbortController();
    const told: LongWait[] = [];
    const byToken = gitHubByToken({
      token: 'a-token',
      enterprise: undefined,
      isOfWorkflow: false,
      signal: stop.signal,
      onLongWait: (wait) => {
        told.push(wait);
        // Stopped once it waits.
        queueMicrotask(() => stop.abort());
      },
      log: pino({ level: 'silent' }),
      redactor: createRedactor(),
    });
    const github = await byToken.repository(REPOSITORY, person, 'read');
    const read = () => github.until(AbortSignal.abort()).issueState(1);
    expect(await read()).toBeDefined();
    // In one minute and in two. Whoever was stopped before does not wait.
    for (let waiting = 0; waiting < 2; waiting += 1)
      await expect(read()).rejects.toThrow("the wait for GitHub's limits was ended");
    expect(told).toEqual([]);
    const began = Date.now();
    await expect(github.issueState(1)).rejects.toBeInstanceOf(WaitEnded);
    const reason = 'nearly all requests that GitHub allows in an hour are used up';
    const limitedUntil = new Date(Number(few['x-ratelimit-reset']) * SECOND);
    expect(told).toEqual([{ reason, limitedUntil, until: expect.any(Date) }]);
    const waitMs = (told[0]?.until.getTime() ?? 0) - began;
    expect(waitMs).toBeGreaterThan(170 * SECOND);
    expect(waitMs).toBeLessThanOrEqual(180 * SECOND);
  });
});
