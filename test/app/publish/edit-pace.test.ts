import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { editIntervalMs } from '../../../src/app/publish/due.ts';
import {
  FULL_WRITE_BUDGET,
  type WriteBudget,
  type WriteRank,
} from '../../../src/lib/write-budget.ts';
import { MemoryWriteBudget } from '../../support/fakes/memory-write-budget.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const { minute, hour } = FULL_WRITE_BUDGET;

interface Left {
  readonly minute?: number;
  readonly hour?: number;
  readonly busy?: number;
}

const left = ({ busy = 1, ...rooms }: Left = {}): WriteBudget => ({
  minute: { ...minute, left: rooms.minute ?? minute.left },
  hour: { ...hour, left: rooms.hour ?? hour.left },
  pausedMs: 0,
  busy,
});

describe('the time between two edits of a status', () => {
  it.each([
    ['one session with a full budget: twenty seconds', left(), 20],
    ['forty sessions with a full budget', left({ busy: 40 }), 139.3],
    ['one session with half of the hour used up', left({ hour: 245 }), 20.8],
    ['two sessions with half of the hour used up', left({ hour: 245, busy: 2 }), 41.6],
    ['twelve sessions with half of the hour used up', left({ hour: 245, busy: 12 }), 249.5],
    ['one session with nothing left', left({ hour: 0 }), 146.8],
    ['ten sessions with only the minute used up', left({ minute: 0, busy: 10 }), 153.7],
  ])('is this long for %s', (_what, state, seconds) => {
    expect(Math.round(editIntervalMs(state) / 100) / 10).toBe(seconds);
  });

  const budgets = fc.record({
    minute: fc.nat(78),
    hour: fc.nat(490),
    busy: fc.nat(200),
  });

  it('grows with the number of sessions and as the budget shrinks, and is never endless', () => {
    fc.assert(
      fc.property(
        budgets,
        fc.nat(20),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (now, more, part) => {
          const interval = editIntervalMs(left(now));
          expect(interval).toBeLessThanOrEqual(Math.max(1, now.busy) * 150 * SECOND);
          expect(editIntervalMs(left({ ...now, busy: now.busy + more }))).toBeGreaterThanOrEqual(
            interval,
          );
          const less = { ...now, minute: now.minute * part, hour: now.hour * part };
          expect(editIntervalMs(left(less))).toBeGreaterThanOrEqual(interval);
        },
      ),
    );
  });
});

interface Load {
  readonly sessions: number;
  /** Writes that people wait for: at the beginning, and a second after that. */
  readonly burst: number;
  readonly perSecond: number;
  readonly seed: number;
}

const TICK = 1_000;

/** Two hours in which every session always has news. */
function simulate({ sessions, burst, perSecond, seed }: Load) {
  let now = 0;
  const budget = new MemoryWriteBudget(() => now);
  const random = randomFrom(seed);
  const sent: number[] = [];
  const waits: number[] = [];
  const gaps: number[] = [];
  const edited = Array.from({ length: sessions }, () => 0);
  const pending: number[] = Array.from({ length: burst }, () => 0);
  const send = (rank: WriteRank): boolean => {
    if (budget.takeNow(rank) > 0) return false;
    sent.push(now);
    return true;
  };
  for (; now < 2 * HOUR; now += TICK) {
    if (random() < (perSecond * TICK) / SECOND) pending.push(now);
    while (pending.length > 0 && send('awaited')) waits.push(now - (pending.shift() ?? 0));
    let interval = editIntervalMs(budget.leftNow(sessions));
    for (const [at, last] of edited.entries()) {
      if (now - last < interval || !send('later')) continue;
      gaps.push(now - last);
      edited[at] = now;
      interval = editIntervalMs(budget.leftNow(sessions));
    }
  }
  gaps.push(...edited.map((last) => now - last));
  return { sent, waits, gaps, pending };
}

/** The most of them that came within so many milliseconds. */
function mostWithin(times: readonly number[], span: number): number {
  let from = 0;
  let most = 0;
  for (const [to, time] of times.entries()) {
    while (time - (times[from] ?? time) >= span) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

describe('sessions that always have news', () => {
  const anyLoad = fc.record({
    sessions: fc.integer({ min: 1, max: 40 }),
    burst: fc.nat(120),
    perSecond: fc.double({ min: 0, max: 0.5, noNaN: true }),
    seed: fc.nat(),
  });

  it('never exceed what GitHub allows in any minute or hour, whatever else people want', () => {
    fc.assert(
      fc.property(anyLoad, (load) => {
        const { sent } = simulate(load);
        expect(mostWithin(sent, MINUTE)).toBeLessThanOrEqual(80);
        expect(mostWithin(sent, HOUR)).toBeLessThanOrEqual(500);
      }),
      { numRuns: 15 },
    );
  });

  const usualLoad = fc.record({
    sessions: fc.integer({ min: 1, max: 40 }),
    burst: fc.nat(30),
    perSecond: fc.double({ min: 0, max: 0.025, noNaN: true }),
    seed: fc.nat(),
  });

  /** One session alone uses nearly all of the hour that live edits may use. */
  const NEAR_ITS_SHARE = {
    sessions: 1,
    burst: 13,
    perSecond: 0.02425212459638715,
    seed: 812_365_543,
  };

  /** With an earlier pace, these waited for up to four minutes longer than they may. */
  const WAITED_LONG = [
    { sessions: 2, burst: 11, perSecond: 0.02455398300662637, seed: 1_122_955_006 },
    { sessions: 10, burst: 28, perSecond: 0.024999999999999977, seed: 1_434_684_739 },
    { sessions: 6, burst: 24, perSecond: 0.024999999999999963, seed: 536_652_360 },
  ];

  it('delay nothing that people wait for, and are all shown in turn', () => {
    fc.assert(
      fc.property(usualLoad, (load) => {
        const { waits, pending, gaps } = simulate(load);
        expect(pending).toEqual([]);
        expect(Math.max(0, ...waits)).toBe(0);
        expect(Math.max(...gaps)).toBeLessThanOrEqual(MINUTE + load.sessions * 20 * SECOND);
      }),
      { numRuns: 19, examples: [NEAR_ITS_SHARE, ...WAITED_LONG].map((load) => [load]) },
    );
  });

  it('stop first when people need nearly the whole budget: nobody waits for longer than a minute', () => {
    const { gaps, waits } = simulate({ sessions: 5, burst: 120, perSecond: 0.08, seed: 7 });
    expect(Math.max(...waits)).toBeLessThanOrEqual(MINUTE);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(HOUR);
  });
});
