// Workers whose clocks differ from the database's, or are set while they work.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TryLater } from '../../../src/lib/errors.ts';
import { json } from '../../agent/support.ts';
import { settableClock } from '../../support/wall-clock.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const HOUR = 3_600_000;
const dollars = { run: undefined, issue: undefined, repositoryDay: undefined };
const LIMITS = { turns: 20, minutes: 60, outputTokens: 1_000, runTokens: undefined, dollars };
const looks = json(['list_directory', {}]);
const finish = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);

describe('a worker', () => {
  let service: Service;
  const clock = settableClock();
  beforeAll(async () => {
    service = await openService();
  });
  beforeEach(() => clock.set(0));
  afterAll(async () => {
    clock.restore();
    await service.close();
  });

  it.each([
    ['an hour ahead', HOUR],
    ['an hour behind', -HOUR],
    ['a day ahead', 24 * HOUR],
  ])('whose clock is %s does a run that has a limit of 60 minutes', async (what, ms) => {
    const session = await service.start(`Work ${what}`);
    clock.set(ms);
    service.model.says(looks, looks, finish);
    await session.advance({ limits: LIMITS });
    const [end] = entriesOf(await session.journal(), 'run_ended');
    expect(end).toMatchObject({ end: { kind: 'finished' } });
  });

  it.each([2 * HOUR, -2 * HOUR])('whose clock jumps by %i ms in a run continues', async (ms) => {
    const session = await service.start(`Jump ${ms}`);
    const jumps = async (): Promise<string> => {
      clock.jump(ms);
      return json(['read_file', { path: 'README.md' }]);
    };
    service.model.says(looks, jumps, looks, finish);
    await session.advance({ limits: LIMITS });
    const [end] = entriesOf(await session.journal(), 'run_ended');
    expect(end).toMatchObject({ end: { kind: 'finished' } });
  });

  it('that is two hours ahead defers a run by the time of the database', async () => {
    const session = await service.start('Defer');
    clock.set(2 * HOUR);
    service.model.says(new TryLater('rate limit', { retryAfterMs: HOUR }));
    await session.advance({ limits: LIMITS });
    const [deferred] = entriesOf(await session.journal(), 'run_deferred');
    const waits = Date.parse(deferred?.until ?? '') - Date.parse(deferred?.at ?? '');
    expect(Math.round(waits / 60_000)).toBe(60);
    const before = service.model.requests.length;
    await session.advance({ limits: LIMITS });
    expect(service.model.requests).toHaveLength(before);
  });
});
