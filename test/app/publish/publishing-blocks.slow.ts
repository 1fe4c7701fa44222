// What GitHub denies is retried at growing intervals, and shown in the meantime.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  Archived,
  Forbidden,
  NotFound,
  NotInstalled,
  Suspended,
} from '../../../src/github/errors.ts';
import { blockedUntil, PublishingBlocks } from '../../../src/app/publish/publish.ts';
import { TellPerson } from '../../../src/lib/errors.ts';
import type { Session } from '../../../src/session/session.ts';
import { newPrivateKey } from '../../../packages/local-github/src/private-key.ts';
import { json } from '../../agent/support.ts';
import { PRIVATE_KEY } from '../../support/private-key.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const NOW = Date.parse('2030-01-15T12:00:00Z');

type Unpublished = NonNullable<Session['waiting']['publishingBlock']>;
const since = (ageMs: number, more: Partial<Unpublished> = {}): Unpublished => ({
  reason: 'no',
  keys: ['status'],
  since: new Date(NOW - ageMs).toISOString(),
  until: new Date(NOW).toISOString(),
  ...more,
});

function waitAfter(error: Error, unpublished?: Unpublished): number | null {
  const blocks = new PublishingBlocks({ publishingBlock: unpublished });
  blocks.add('status', error);
  const until = blocks.outcome(NOW)?.until ?? null;
  return until === null ? null : Date.parse(until) - NOW;
}

describe('a publication that GitHub denies', () => {
  const forbidden = new Forbidden('no', 403);

  it.each([
    ['the first time', undefined, 10 * SECOND],
    ['after a minute', since(60 * SECOND), 60 * SECOND],
    ['after half a day', since(12 * HOUR), HOUR],
    ['after more than a day', since(25 * HOUR), null],
  ])('%s waits as long again as it has waited, at most an hour', (_when, unpublished, wait) => {
    expect(waitAfter(forbidden, unpublished)).toBe(wait);
  });

  it('is given up after an hour if its target is gone', () => {
    expect(waitAfter(new NotFound('no', 404), since(HOUR / 2))).toBe(HOUR / 2);
    expect(waitAfter(new NotFound('no', 404), since(HOUR + 1))).toBeNull();
  });

  it('waits for an hour if the App is suspended', () => {
    expect(waitAfter(new Suspended('no'))).toBe(HOUR);
  });

  it('is blocked until then, and nothing else is', () => {
    const unpublished = since(0, { until: new Date(NOW + SECOND).toISOString() });
    expect(blockedUntil({ publishingBlock: unpublished }, 'status', NOW)).toEqual(
      new Date(NOW + SECOND),
    );
    expect(blockedUntil({ publishingBlock: unpublished }, 'status', NOW + SECOND)).toBeUndefined();
    expect(blockedUntil({ publishingBlock: unpublished }, 'pull-request:2', NOW)).toBeUndefined();
    const all = since(0, { keys: ['*'], until: null });
    expect(blockedUntil({ publishingBlock: all }, 'status', NOW)?.getTime()).toBeGreaterThan(NOW);
  });

  it.each([
    ['an archived repository', new Archived('no', 403)],
    ['an installation that is gone', new NotInstalled('no')],
    ['a suspended installation', new Suspended('no')],
  ])('blocks everything in %s', (_of, error) => {
    const blocks = new PublishingBlocks({ publishingBlock: undefined });
    expect(blocks.add('reaction:issue', new TellPerson('no'))).toBe('continue');
    expect(blocks.add('status', error)).toBe('stop');
    expect(blocks.outcome(NOW)?.keys).toContain('*');
  });

  it('blocks everything once, also if a wait ended during the pass', () => {
    const waiting = new PublishingBlocks({
      publishingBlock: since(0, { keys: ['*'], until: null }),
    });
    expect(waiting.isBlocked('admission')).toBe(true);
    waiting.add('status', new Archived('no', 403));
    expect(waiting.outcome(NOW)?.keys).toEqual(['*']);
  });

  it('blocks everything once there are too many to list: none is forgotten', () => {
    const blocks = new PublishingBlocks({ publishingBlock: undefined });
    for (let n = 0; n < 60; n += 1) blocks.add(`reaction:comment:${n}`, forbidden);
    expect(blocks.outcome(NOW)?.keys).toEqual(['*']);
  });

  it('is unblocked once GitHub denies nothing any more', () => {
    expect(new PublishingBlocks({ publishingBlock: since(SECOND) }).outcome(NOW)).toBeNull();
    expect(new PublishingBlocks({ publishingBlock: undefined }).outcome(NOW)).toBeUndefined();
    const blocked = new PublishingBlocks({ publishingBlock: since(0, { until: null }) });
    expect(blocked.isBlocked('status')).toBe(true);
    expect(blocked.outcome(NOW)).toBeUndefined();
  });

  it('stays blocked if the pass ended before it was tried', () => {
    const unpublished = since(SECOND, { keys: ['status'] });
    const incomplete = new PublishingBlocks({ publishingBlock: unpublished });
    incomplete.markIncomplete();
    expect(incomplete.outcome(NOW)).toBeUndefined();
    incomplete.add('reaction:issue', forbidden);
    expect(incomplete.outcome(NOW)?.keys).toEqual(['reaction:issue', 'status']);
  });

  it('is not mistaken for a fault of ours', () => {
    const fault = new Error('a fault');
    expect(() => new PublishingBlocks({ publishingBlock: undefined }).add('status', fault)).toThrow(
      fault,
    );
  });
});

describe('a repository that stays archived', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  it('is asked some thirty times in a day and no more, until someone does something', async () => {
    const { github, repository } = service;
    const session = await service.start('Greet');
    github.as('maintainer').archive(repository);
    const before = github.requests.length;
    const writes = () =>
      github.requests
        .slice(before)
        .filter(({ method, path }) => method !== 'GET' && path.includes('/repos/'));
    await session.publish();
    for (let next = await session.row(); next?.publishAt; next = await session.row()) {
      service.letPass(next.publishAt.getTime() - Date.now());
      await session.publish();
    }
    expect(writes().length).toBeGreaterThan(20);
    expect(writes().length).toBeLessThan(45);
    const blocked = entriesOf(await session.journal(), 'publishing_blocked');
    expect(blocked.at(-1)?.block).toMatchObject({ keys: ['*'], until: null });
    const asked = writes().length;
    await session.publish();
    expect(writes()).toHaveLength(asked);
    github.as('maintainer').archive(repository, false);
    await session.comment('maintainer', '/issuewright status');
    await session.publish();
    const bodies = repository.comments.map(({ body }) => body);
    expect(bodies.some((body) => body.includes(':status -->'))).toBe(true);
    expect((await session.row())?.publishAt).toBeNull();
  });
});

describe('a session without write budget', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({}, { isLimited: true });
  });
  afterAll(() => service.close());

  it('does not retry each time what GitHub denied before', async () => {
    const { github } = service;
    const session = await service.start('Deny and wait');
    const end = [
      github.faults.failNext({
        path: /\/reactions$/,
        method: 'POST',
        status: 403,
        body: { message: 'This issue is locked.' },
        times: 99,
      }),
      github.faults.failNext({
        path: /\/comments$/,
        method: 'POST',
        status: 500,
        body: { message: 'Try again' },
        times: 99,
      }),
    ];
    const before = github.requests.length;
    for (let n = 0; n < 3; n += 1) await session.publish();
    const reactions = github.requests
      .slice(before)
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/reactions'));
    expect(reactions).toHaveLength(1);
    const blocked = entriesOf(await session.journal(), 'publishing_blocked');
    expect(blocked).toMatchObject([{ block: { keys: ['reaction:issue'] } }]);
    for (const stop of end) stop();
  });

  it('makes no look-ups on GitHub', async () => {
    const session = await service.start('Wait for the budget');
    service.model.says(json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]));
    await session.advance();
    const begun = Date.now();
    await service.store.pauseRequests(1, 60 * SECOND);
    const before = service.github.requests.length;
    await session.publish();
    expect(service.github.requests.slice(before)).toEqual([]);
    const publishAt = (await session.row())?.publishAt?.getTime();
    expect(publishAt).toBeGreaterThan(begun + 50 * SECOND);
  });
});

describe('a comment that cannot be judged now', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  const THOUGHT = { kind: 'comment', on: 'issue', body: 'A thought.' } as const;

  /** Denies the look-up until the returned function is called. */
  const deniesLookUp = () =>
    service.github.faults.failNext({
      path: /\/collaborators\/writer\/permission$/,
      status: 403,
      body: { message: 'Must have push access to view collaborator permission.' },
      times: 99,
    });

  it('does not delay what is due sooner', async () => {
    const session = await service.start('Judge later, write sooner');
    const end = [/\/collaborators\/writer\/permission$/, /\/reactions$/].map((path) =>
      service.github.faults.failNext({
        path,
        status: 403,
        body: { message: 'This issue is locked.' },
        times: 99,
      }),
    );
    await session.happens('writer', { ...THOUGHT, commentId: 2 });
    await session.publish();
    const wait = ((await session.row())?.publishAt?.getTime() ?? 0) - Date.now();
    expect(wait).toBeLessThan(15 * SECOND);
    for (const stop of end) stop();
  });

  it('does not keep a closed issue from stopping the session', async () => {
    const session = await service.start('Judge later, close now');
    service.model.says(json(['ask_question', { question: 'Which greeting?' }]));
    await session.advance();
    expect((await session.row())?.state).toBe('waiting(answer)');
    const restore = deniesLookUp();
    await session.happens('writer', { ...THOUGHT, commentId: 3 });
    await session.closeIssue();
    const begun = Date.now();
    await session.advance();
    const row = await session.row();
    expect(row).toMatchObject({ state: 'stopped', claim: null });
    expect(row?.wakeAt?.getTime()).toBeGreaterThan(begun + 50 * SECOND);
    restore();
  });

  it('is retried at most once an hour, and given up after a day, once the key of the App has long been revoked', async () => {
    const session = await service.start('Judge later, with another key');
    service.model.says(json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]));
    await session.advance();
    await session.publish();
    service.github.appOwner.replacePrivateKey(newPrivateKey());
    await session.happens('writer', { ...THOUGHT, commentId: 4 });
    service.letPass(3 * HOUR);
    await session.advance();
    const wait = ((await session.row())?.wakeAt?.getTime() ?? 0) - Date.now();
    expect(wait).toBeGreaterThan(59 * 60 * SECOND);
    service.letPass(22 * HOUR);
    await session.advance();
    expect(entriesOf(await session.journal(), 'rejected')).toMatchObject([
      { reason: 'unreachable' },
    ]);
    service.github.appOwner.replacePrivateKey(PRIVATE_KEY);
    service.resetClock();
  });

  it('is retried at growing intervals for a day, and delays nothing else', async () => {
    const session = await service.start('Judge later');
    await session.publish();
    const restore = deniesLookUp();
    await session.happens('writer', { ...THOUGHT, commentId: 1 });
    await session.comment('maintainer', '/issuewright status');
    service.model.says(json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]));
    await session.advance();
    expect((await session.row())?.state).toBe('done');
    const begun = Date.now();
    await session.publish();
    expect(entriesOf(await session.journal(), 'admitted')).toHaveLength(2);
    const publishAt = (await session.row())?.publishAt?.getTime();
    expect(publishAt).toBeGreaterThan(begun + 50 * SECOND);
    service.letPass(10 * 60 * SECOND);
    await session.publish();
    const later = ((await session.row())?.publishAt?.getTime() ?? 0) - Date.now();
    expect(later).toBeGreaterThan(9 * 60 * SECOND);
    service.letPass(25 * HOUR);
    await session.publish();
    expect(entriesOf(await session.journal(), 'rejected')).toMatchObject([
      { reason: 'unreachable' },
    ]);
    restore();
  });
});
