import { describe, expect, it } from '@jest/globals';
import { stopwatch } from '../../../src/app/run/spending.ts';
import type { Entry, NewEntry } from '../../../src/session/entry.ts';
import { fold } from '../../../src/session/fold/fold.ts';

const NOON = Date.parse('2030-01-01T12:00:00Z');
const at = (minute: number, entry: NewEntry): Entry => ({
  ...entry,
  seq: minute + 1,
  at: new Date(NOON + minute * 60_000).toISOString(),
});
const opened = at(-1, {
  type: 'opened',
  installation: 1,
  repository: { id: 1, owner: 'example', name: 'greeter' },
  issue: 1,
});
const started: NewEntry = { type: 'run_started', run: 1 };
const resumed: NewEntry = { type: 'run_resumed', run: 1 };
const taken: NewEntry = { type: 'input_read', upTo: 1, text: '' };
const published: NewEntry = { type: 'published', key: 'status', id: 1, url: '' };
const minutes = (now: number, ...entries: Entry[]): number =>
  stopwatch(
    fold([opened, ...entries]).progress,
    () => NOON + now * 60_000,
    () => 0,
  )() / 60_000;

describe('the time that a run was worked on', () => {
  it('runs on from the start', () => {
    expect(minutes(7, at(0, started), at(3, taken))).toBe(7);
  });

  it('leaves out what the service was down for', () => {
    expect(minutes(65, at(0, started), at(5, taken), at(60, resumed))).toBe(10);
  });

  it('counts nothing that happened while the run was deferred', () => {
    const entries = [at(0, started), at(5, taken), at(40, published), at(60, resumed)];
    expect(minutes(60, ...entries)).toBe(5);
  });

  it('does not change when the clock of the machine is set', () => {
    const { progress } = fold([opened, at(0, started), at(3, taken)]);
    let wall = NOON + 5 * 60_000;
    let counted = 1_000;
    const elapsed = stopwatch(
      progress,
      () => wall,
      () => counted,
    );
    for (const jump of [2, -2, 24]) {
      wall += jump * 3_600_000;
      counted += 60_000;
      expect(elapsed()).toBe(5 * 60_000 + counted - 1_000);
    }
  });

  it('is none while the machine is behind the database', () => {
    expect(minutes(-90, at(0, started))).toBe(0);
  });

  it('forgets the runs before', () => {
    expect(minutes(92, at(0, started), at(80, taken), at(90, { ...started, run: 2 }))).toBe(2);
  });
});
