import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TryLater } from '../../../src/lib/errors.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const HOUR = 3_600_000;

describe('a run that is deferred until a time', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  const finish = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);

  /** A session whose run was deferred for an hour at its first request. */
  async function deferred(title: string) {
    const { requests } = service.model;
    service.model.says(new TryLater('rate limit', { retryAfterMs: HOUR }));
    const session = await service.start(title);
    await session.advance();
    const before = requests.length;
    return { ...session, asked: () => requests.length - before };
  }

  it('waits until then', async () => {
    const session = await deferred('Wait');
    const wakeAt = (await session.row())?.wakeAt?.getTime() ?? 0;
    expect(Math.abs(wakeAt - Date.now() - HOUR)).toBeLessThan(60_000);
    await session.advance();
    expect(session.asked()).toBe(0);
  });

  it('is neither woken nor ended by comments from anyone', async () => {
    const session = await deferred('Comment');
    const before = await session.row();
    for (let n = 0; n < 9; n++) {
      await session.comment('stranger', `Me too (${n}).`);
      await session.advance();
    }
    await session.comment('maintainer', 'How is it going?');
    await session.advance();
    expect(session.asked()).toBe(0);
    const entries = await session.journal();
    expect(entriesOf(entries, 'rejected')).toHaveLength(9);
    expect(entriesOf(entries, 'run_resumed')).toEqual([]);
    expect(entriesOf(entries, 'run_ended')).toEqual([]);
    expect(await session.row()).toMatchObject({ state: 'working', claim: null });
    expect((await session.row())?.wakeAt).toEqual(before?.wakeAt);
  });

  it('resumes at its time, with the comments of people with permission', async () => {
    const session = await deferred('Go on');
    await session.comment('stranger', 'Me too.');
    await session.comment('maintainer', 'Mind the docs.');
    await session.advance();
    service.letPass(HOUR);
    service.model.says(finish);
    await session.advance();
    const told = JSON.stringify(service.model.requests.at(-1)?.messages);
    expect(told).toContain('Mind the docs.');
    expect(told).not.toContain('Me too.');
    const [end] = entriesOf(await session.journal(), 'run_ended');
    expect(end).toMatchObject({ end: { kind: 'finished' } });
    expect((await session.row())?.wakeAt).toBeNull();
  });

  it.each([
    ['BUDGET_REPOSITORY_DAY', 'repositoryDay', 'for this repository'],
    ['BUDGET_PERSON_DAY', 'personDay', 'for the requests of one person'],
    ['BUDGET_DAY', 'serviceDay', 'for the whole service'],
  ])('waits for midnight UTC once %s is spent, before it begins', async (setting, scope, words) => {
    const session = await service.start(`Spend ${setting}`);
    const dollars = { run: undefined, issue: undefined, [scope]: 0 };
    const limits = { turns: 20, minutes: 600, outputTokens: 1_000, runTokens: undefined, dollars };
    await session.advance({ limits });
    expect((await session.journal()).map(({ type }) => type)).not.toContain('run_prepared');
    const day = 24 * HOUR;
    const until = new Date((Math.floor(Date.now() / day) + 1) * day).toISOString();
    expect((await session.journal()).at(-1)).toMatchObject({
      type: 'run_deferred',
      until,
      cause: 'limit',
      reason: expect.stringMatching(
        new RegExp(
          `^The limit of \\$0\\.00 per day ${words} was reached.*the operator can raise \`${setting}\``,
        ),
      ),
    });
    const before = (await session.row())?.lastSeq ?? 0;
    await session.comment('maintainer', '/issuewright retry');
    await session.advance({ limits });
    const since = (await session.journal()).filter(({ seq }) => seq > before);
    expect(since.map(({ type }) => type)).not.toContain('run_resumed');
    service.model.says(finish);
    await session.advance({ limits: { ...limits, dollars: { ...dollars, [scope]: 100 } } });
    const [end] = entriesOf(await session.journal(), 'run_ended');
    expect(end).toMatchObject({ end: { kind: 'finished' } });
  });

  it('ends at once when the issue is closed', async () => {
    const session = await deferred('Close');
    await session.closeIssue();
    await session.advance();
    expect(session.asked()).toBe(0);
    const [end] = entriesOf(await session.journal(), 'run_ended');
    expect(end).toMatchObject({ end: { kind: 'stopped' } });
  });
});
