import { describe, expect, it } from '@jest/globals';
import { afterError, Parked, WorkIsOver } from '../../../src/app/run/run-end.ts';
import { NoRoom, Suspended } from '../../../src/github/errors.ts';
import { TellPerson, TryLater } from '../../../src/lib/errors.ts';

const live = new AbortController().signal;
const waitOf = (outcome: unknown): number =>
  outcome instanceof Parked ? (outcome.at?.getTime() ?? Number.NaN) - Date.now() : Number.NaN;

describe('an error in a run', () => {
  it('ends it in the words for the person', () => {
    const end = afterError(new TellPerson('Push refused.'), live, 0);
    expect(end).toEqual({ kind: 'failed', words: 'Push refused.' });
  });

  it('puts it aside for longer each time, then ends it', () => {
    const waits = [0, 1, 2, 3].map((resumed) =>
      waitOf(afterError(new TryLater('busy'), live, resumed)),
    );
    expect(waits.every((wait, index) => index === 0 || wait > (waits[index - 1] ?? 0))).toBe(true);
    expect(afterError(new TryLater('busy'), live, 8)).toMatchObject({
      kind: 'failed',
      words: expect.stringContaining('busy'),
    });
  });

  it('waits as long as it is asked to, and never shorter than its own pause', () => {
    expect(
      waitOf(afterError(new TryLater('x', { retryAfterMs: 3_600_000 }), live, 0)),
    ).toBeGreaterThan(3_500_000);
    expect(waitOf(afterError(new TryLater('x', { retryAfterMs: 1 }), live, 0))).toBeGreaterThan(
      10_000,
    );
  });

  it('says where it is no fault of the run', () => {
    expect(afterError(new NoRoom('no room'), live, 0)).toMatchObject({ on: 'room' });
    expect(afterError(new Suspended('suspended'), live, 0)).toMatchObject({ on: 'installation' });
    expect(afterError(new TryLater('busy'), live, 0)).toMatchObject({ on: undefined });
  });

  it('that nobody expected is tried again twice, and its message is not shown', () => {
    const error = new Error('connection to 10.0.0.7 broke');
    expect(afterError(error, live, 0)).toBeInstanceOf(Parked);
    expect(JSON.stringify(afterError(error, live, 0))).not.toContain('10.0.0.7');
    expect(JSON.stringify(afterError(error, live, 2))).not.toContain('10.0.0.7');
  });

  it('after a shutdown goes on at the next start; after the end of the work it stops', () => {
    const shutdown = AbortSignal.abort(new Error('stop'));
    expect(afterError(new Error('x'), shutdown, 0)).toMatchObject({ at: undefined });
    const over = AbortSignal.abort(new WorkIsOver('Closed.'));
    expect(afterError(new Error('x'), over, 0)).toEqual({ kind: 'stopped', words: 'Closed.' });
  });
});
