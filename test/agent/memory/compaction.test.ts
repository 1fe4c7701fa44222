import { describe, expect, it } from '@jest/globals';
import { ContextOverflow, type ModelRequest } from '../../../src/agent/model.ts';
import type { Memory } from '../../../src/agent/memory/settings.ts';
import { historyOf, native, run, USAGE, type Entry, type Line } from '../support.ts';

const turns = (count: number, reply: object = {}): Line[] => [
  ...Array.from({ length: count }, (_none, n) => ({
    ...native(['note', { text: `${n}` }]),
    ...reply,
  })),
  native(['end', {}]),
];
const memory = (compaction: Partial<Memory['compaction']>): Memory => ({
  compaction: { messages: undefined, share: undefined, keepRecent: 4, ...compaction },
  maxMessages: 1000,
});
const options = { protocol: 'native', limits: { turns: 100 } } as const;
const compactions = (journal: readonly Entry[]) =>
  journal.flatMap((entry) => (entry.type === 'compacted' ? [entry] : []));
const asksForSummary = ({ cacheKey }: ModelRequest): boolean => cacheKey.endsWith(':summary');

/** Whether each request begins with all that the one before it held. */
function prefixes(requests: readonly ModelRequest[]): boolean[] {
  const asked = requests.filter((request) => !asksForSummary(request));
  return asked.slice(1).map((request, index) => {
    const before = asked[index]?.messages ?? [];
    return JSON.stringify(request.messages.slice(0, before.length)) === JSON.stringify(before);
  });
}

describe('compaction', () => {
  it('puts a summary in the place of older messages, between the first and the newest', async () => {
    const setup = { ...options, lines: turns(12), summary: '## Goal\nFix the bug.' };
    const { end, journal, requests } = await run({ ...setup, memory: memory({ messages: 12 }) });
    expect(end).toEqual({ kind: 'finished' });
    expect(compactions(journal)).not.toEqual([]);
    const index = requests.findIndex(asksForSummary);
    const [first, summary, ...recent] = requests[index + 1]?.messages ?? [];
    expect(first).toEqual({ role: 'user', text: 'Fix the bug.' });
    expect(summary).toMatchObject({ role: 'user', text: expect.stringContaining('## Goal') });
    expect(recent.map(({ role }) => role)).toEqual([
      'assistant',
      'results',
      'assistant',
      'results',
    ]);
  });

  it('asks for the summary without tools, and counts what it costs', async () => {
    const summary = { text: 'Notes.', cost: 0.25 };
    const setup = { ...options, lines: turns(12, { cost: 0.01 }), summary };
    const { journal, requests, history } = await run({
      ...setup,
      memory: memory({ messages: 20 }),
    });
    const [asked] = requests.filter(asksForSummary);
    expect(asked?.tools).toEqual([]);
    expect(asked?.messages).toHaveLength(1);
    expect(compactions(journal)).toMatchObject([{ cost: 0.25, usage: USAGE, summary: 'Notes.' }]);
    expect(history.used.dollars).toBeCloseTo(0.25 + 0.12);
  });

  it('comes when a share of the context window is used', async () => {
    const lines = turns(8, { usage: { ...USAGE, input: 900 } });
    const setup = { ...options, lines, summary: 'Notes.', memory: memory({ share: 0.75 }) };
    expect(compactions((await run({ ...setup, contextWindow: 1000 })).journal)).not.toEqual([]);
    expect(compactions((await run({ ...setup, contextWindow: 9000 })).journal)).toEqual([]);
  });

  it('comes not in every turn where what stays is above the threshold by itself', async () => {
    const lines = turns(12, { usage: { ...USAGE, input: 900 } });
    const setup = { ...options, lines, summary: 'Notes.', memory: memory({ share: 0.5 }) };
    const { journal } = await run({ ...setup, contextWindow: 1000 });
    expect(compactions(journal).length).toBeLessThanOrEqual(4);
  });

  it('keeps the prefix of every request but the one behind it', async () => {
    const setup = { ...options, lines: turns(30), summary: 'Notes.' };
    const { requests, journal } = await run({ ...setup, memory: memory({ messages: 20 }) });
    const changed = prefixes(requests).filter((same) => !same);
    expect(changed).toHaveLength(compactions(journal).length);
  });

  it('survives a crash at any point, and the conversation stands as it would have', async () => {
    const setup = { ...options, summary: 'Notes.', memory: memory({ messages: 8 }) };
    const lines = turns(9);
    const whole = await run({ ...setup, lines });
    for (let crashAfter = 1; crashAfter < whole.journal.length; crashAfter++) {
      const { journal } = await run({ ...setup, lines, crashAfter });
      const { end } = await run({ ...setup, lines, journal });
      expect(end).toEqual({ kind: 'finished' });
      const stands = historyOf(journal, 'native').messages;
      expect(stands).toEqual(historyOf(whole.journal, 'native').messages);
    }
  });

  it('comes as well when the server says that the conversation is too long', async () => {
    const [one, two, three, four, ...rest] = turns(6);
    const lines = [one, two, three, four, new ContextOverflow('too long'), ...rest];
    const setup = { ...options, lines: lines.filter((line) => line !== undefined) };
    const { end, journal } = await run({ ...setup, summary: 'Notes.', memory: memory({}) });
    expect(end).toEqual({ kind: 'finished' });
    expect(compactions(journal)).toHaveLength(1);
  });

  it('drops what it cannot have summarised', async () => {
    const setup = { ...options, lines: turns(12), memory: memory({ messages: 12 }) };
    for (const summary of ['', { stop: 'refused' as const }, new ContextOverflow('too long')]) {
      const { end, journal } = await run({ ...setup, summary });
      expect(end).toEqual({ kind: 'finished' });
      expect(compactions(journal)[0]).toMatchObject({ summary: null });
    }
  });

  it('ends in words when even the task alone is too long', async () => {
    const lines = Array.from({ length: 5 }, () => new ContextOverflow('too long'));
    const failing = run({ ...options, lines, summary: 'Notes.', memory: memory({}) });
    await expect(failing).rejects.toThrow(/longer than it can/);
  });
});

describe('without compaction', () => {
  it('older messages are dropped to half at once, the first one stays, and prefixes change rarely', async () => {
    const off: Memory = { compaction: undefined, maxMessages: 20 };
    const { requests, journal } = await run({ ...options, lines: turns(40), memory: off });
    const longest = Math.max(...requests.map(({ messages }) => messages.length));
    expect(longest).toBeLessThanOrEqual(20);
    expect(
      requests.every(({ messages }) => JSON.stringify(messages[0]).includes('Fix the bug')),
    ).toBe(true);
    const changed = prefixes(requests).filter((same) => !same);
    expect(changed).toHaveLength(compactions(journal).length);
    expect(changed.length).toBeLessThanOrEqual(8);
  });
});
