import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keepFrom, reliefNeeded } from '../../../src/agent/relief.ts';
import type { Message } from '../../../src/contracts/model.ts';

const user = (text = 'go on'): Message => ({ role: 'user', text });
const says = (...ids: string[]): Message => ({
  role: 'assistant',
  text: 'I look.',
  calls: ids.map((id) => ({ id, tool: 'read_file', arguments: {} })),
  native: null,
});
const results = (...ids: string[]): Message => ({
  role: 'results',
  results: ids.map((id) => ({ id, tool: 'read_file', ok: true, output: 'text' })),
});

const kept = (messages: readonly Message[], max: number): number[] => {
  const from = keepFrom(messages, max);
  return [0, ...[...messages.keys()].filter((index) => index >= from)];
};

describe('a conversation that is cut', () => {
  it('keeps its first message and the newest ones: the worked example', () => {
    const messages = [user(), says('id1'), results('id1'), says('id2'), results('id2'), says()];
    expect(kept(messages, 4)).toEqual([0, 3, 4, 5]);
  });

  it('keeps so many as AGENT_MAX_MESSAGES says, and about half if that is many', () => {
    const cut = (count: number, maxMessages: number): number | undefined => {
      const messages = [user(), ...Array.from({ length: count - 1 }, () => says())];
      const size = { messages: count, tokens: 0 };
      const conversation = { messages, size, sinceCompaction: count, contextWindow: undefined };
      return reliefNeeded(conversation, { compaction: undefined, maxMessages })?.keepFrom;
    };
    expect(cut(6, 6)).toBeUndefined();
    expect(cut(6, 4)).toBe(3);
    expect(cut(11, 10)).toBe(2);
    expect(cut(13, 12)).toBe(4);
    expect(cut(41, 40)).toBe(22);
  });

  it('keeps one more rather than part a result from its call', () => {
    const messages = [user(), says('id1'), results('id1'), says('id2'), results('id2'), says()];
    expect(kept(messages, 3)).toEqual([0, 3, 4, 5]);
  });

  it('does so too if all calls have the same id', () => {
    const messages = [user(), says('a'), results('a'), says('a'), results('a'), says()];
    expect(kept(messages, 5)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('stays complete if it is short enough', () => {
    expect(kept([user(), says('a'), results('a')], 3)).toEqual([0, 1, 2]);
  });

  const Turn = fc.oneof(
    fc.constant<(n: number) => Message[]>(() => [user()]),
    fc.integer({ min: 0, max: 3 }).map((calls) => (n: number): Message[] => {
      const ids = Array.from({ length: calls }, (_none, at) => `${n}-${at}`);
      return calls === 0 ? [says()] : [says(...ids), results(...ids)];
    }),
  );

  it('never holds a result whose call is gone, whatever its length', () => {
    const conversation = fc.array(Turn).map((turns) => [user(), ...turns.flatMap((t, n) => t(n))]);
    fc.assert(
      fc.property(conversation, fc.integer({ min: 1, max: 20 }), (messages, max) => {
        const from = keepFrom(messages, max);
        const rest = [messages[0], ...messages.slice(from)];
        const asked = rest.flatMap((m) =>
          m?.role === 'assistant' ? m.calls.map(({ id }) => id) : [],
        );
        const told = rest.flatMap((m) =>
          m?.role === 'results' ? m.results.map(({ id }) => id) : [],
        );
        expect(told.filter((id) => !asked.includes(id))).toEqual([]);
        expect(from).toBeGreaterThanOrEqual(1);
        // One turn more than asked for, at most.
        expect(messages.length - from).toBeLessThanOrEqual(max);
      }),
    );
  });
});
