import { afterEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { pino } from 'pino';
import { gitHubByToken } from '../../src/github/by-token.ts';
import type { SharedLimits } from '../../src/github/requests/request-policy.ts';
import { WaitEnded, WriteBudgetExhausted } from '../../src/github/errors.ts';
import { TryLater } from '../../src/lib/errors.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import type { Writer, WriteRank } from '../../src/lib/write-budget.ts';
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

/** Answers these waits, one after the other, and records its calls. */
function budget(...waits: readonly number[]) {
  const left = [...waits];
  const told: (number | WriteRank | 'made')[] = [];
  const limits: SharedLimits = {
    requestPause: async () => 0,
    takeWrite: async (_installation, rank) => {
      told.push(rank);
      const waitMs = left.shift() ?? 0;
      return waitMs === 0 ? { write: 'one' } : { waitMs };
    },
    writeMade: async () => void told.push('made'),
    pauseRequests: async (_installation, ms) => void told.push(ms),
  };
  return { told, limits };
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
    const { told, limits } = budget();
    await repository({ limits }).comment(COMMENT);
    expect(told).toEqual(['later', 'made']);
  });

  it('lets a write wait in place for a moment', async () => {
    lists();
    const scope = api().post(`${REPO}/issues/1/comments`).reply(201, comment(7, 'hello'));
    api().patch(`${REPO}/issues/comments/7`).reply(200, comment(7, 'hello'));
    const { told, limits } = budget(5, 5, 0);
    await repository({ limits }).comment(COMMENT);
    expect(scope.isDone()).toBe(true);
    expect(told.slice(0, 3)).toEqual(['later', 'later', 'later']);
  });

  it('sends nothing if it allows no write soon, and says when to retry', async () => {
    lists();
    const scope = api().post(`${REPO}/issues/1/comments`).reply(201, comment(7, 'hello'));
    const { limits } = budget(30 * SECOND);
    const written = repository({ limits }).comment(COMMENT);
    await expect(written).rejects.toMatchObject({ retryAfterMs: 30 * SECOND });
    await expect(written).rejects.toBeInstanceOf(TryLater);
    expect(scope.isDone()).toBe(false);
  });

  it('learns how long GitHub wants the installation to wait', async () => {
    lists();
    const message = 'You have exceeded a secondary rate limit.';
    api().post(`${REPO}/issues/1/comments`).reply(403, { message }, { 'retry-after': '90' });
    const { told, limits } = budget();
    await expect(repository({ limits }).comment(COMMENT)).rejects.toBeInstanceOf(TryLater);
    expect(told).toEqual(['later', 90 * SECOND, 'made']);
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
    const { told, limits } = budget();
    const github = repository({ limits });
    expect(await github.triggerOf(1, { label: 'agent' })).toMatchObject({ editedBy: [] });
    expect(told).toEqual([]);
    api().get(`${REPO}/pulls/5`).reply(200, { draft: true, state: 'open', node_id: 'PR_5' });
    api().post('/graphql').reply(200, { data: {} });
    await github.markReady(5);
    expect(told).toEqual(['later', 'made']);
  });
});

describe('a write for which there is no room', () => {
  const write = (limits: SharedLimits, writer: Partial<Writer> = {}) => {
    lists();
    const asked = { rank: 'awaited', patienceMs: () => 500, ...writer } as const;
    return github({ limits }).repository(INSTALLATION, REPOSITORY, asked).comment(COMMENT);
  };

  it('fails with the time to retry if that is later than the writer has patience', async () => {
    const { limits, told } = budget(5, 501);
    const error = await write(limits).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WriteBudgetExhausted);
    const message = expect.stringContaining('CONTENT_LIMITS');
    expect(error).toMatchObject({ retryAfterMs: 501, message });
    expect(told).toEqual(['awaited', 'awaited']);
  });

  it('is not waited for by a run that was stopped', async () => {
    const { limits } = budget(60_000);
    const written = write(limits, { patienceMs: () => Infinity, signal: AbortSignal.abort() });
    await expect(written).rejects.toBeInstanceOf(WaitEnded);
  });
});

describe('a limit of GitHub that a run by hand reaches', () => {
  it('is heeded by all its requests, which fail with the time to retry', async () => {
    const facts = { id: 1, owner: { login: 'example' }, name: 'words', default_branch: 'main' };
    api().get(REPO).reply(200, facts);
    const byToken = gitHubByToken({
      token: 'a-token',
      enterprise: undefined,
      isOfWorkflow: false,
      signal: new AbortController().signal,
      log: pino({ level: 'silent' }),
      redactor: createRedactor(),
    });
    const github = await byToken.repository(REPOSITORY, { login: 'octo', id: 9 }, 'read');
    const used = {
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil(Date.now() / SECOND) + 1_800),
    };
    const message = 'API rate limit exceeded for user ID 9.';
    const asked = api().get(`${REPO}/issues/1`).reply(403, { message }, used);
    for (let time = 0; time < 2; time += 1) {
      const error = await github.issueState(1).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TryLater);
      expect((error as TryLater).retryAfterMs).toBeGreaterThan(1_700 * SECOND);
    }
    expect(asked.isDone()).toBe(true);
  });
});
