import { describe, expect, it } from '@jest/globals';
import { RunMeasurement } from '../../src/app/by-hand/evaluation/attempt.ts';
import type { Entry, NewEntry } from '../../src/session/entry.ts';

const usage = { input: 100, cached: 40, written: 0, output: 10, reasoning: 0 };
const PAID = { usage, cost: 0.5, durationMs: 0 };
const COMMAND = { command: 'make', exitCode: 2, ended: 'exited', durationMs: 0 } as const;

const at = (entries: readonly unknown[]): Entry[] =>
  entries.map((entry, index) => ({ ...(entry as NewEntry), seq: index + 1, at: '' }) as Entry);

const reply = (calls: number, more: object = {}) => ({
  type: 'reply',
  calls: Array.from({ length: calls }, () => ({ tool: 'x', arguments: {} })),
  ...PAID,
  ...more,
});
const finished = (ok: boolean, ...effects: object[]) => ({ type: 'call_finished', ok, effects });

describe('the measures of an attempt', () => {
  it('count replies, calls, tokens and dollars, those of a review too', () => {
    const measuring = new RunMeasurement();
    const review = { type: 'self_review', change: '', findings: [], ...PAID };
    measuring.hear(at([reply(2), reply(1), finished(true, review)]));
    measuring.hear(at([{ type: 'compacted', upTo: 1, summary: 'short', ...PAID }]));
    expect(measuring.measures).toMatchObject({
      turns: 2,
      replies: 4,
      calls: 3,
      failedCalls: 0,
      input: 400,
      cached: 160,
      output: 40,
      dollars: 2,
      isPartial: false,
    });
  });

  it.each([
    ['a call that did nothing', finished(false), 1],
    ['a command that ran and failed', finished(false, { type: 'command', ...COMMAND }), 0],
    ['tests that ran and failed', finished(false, { type: 'tests', ...COMMAND }), 0],
    ['a call that succeeded', finished(true), 0],
  ])('count %s', (_, entry, failedCalls) => {
    const measuring = new RunMeasurement();
    measuring.hear(at([entry]));
    expect(measuring.measures.failedCalls).toBe(failedCalls);
  });

  it('leave out the time of the model and of commands', () => {
    const measuring = new RunMeasurement();
    const command = finished(true, { type: 'command', ...COMMAND, durationMs: 200_000 });
    measuring.hear(at([reply(1, { durationMs: 100_000 }), command]));
    const { harnessSeconds, startSeconds } = measuring.measures;
    expect(Math.round(harnessSeconds / 10)).toBe(-30);
    expect(Math.round(startSeconds / 10)).toBe(-10);
  });

  it('say if a price is not known', () => {
    const measuring = new RunMeasurement();
    measuring.hear(at([reply(0, { cost: null })]));
    expect(measuring.measures).toMatchObject({ dollars: 0, isPartial: true });
  });
});
