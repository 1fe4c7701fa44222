import { describe, expect, it } from '@jest/globals';
import { ContextOverflow } from '../../../src/agent/model-errors.ts';
import type { ModelRequest } from '../../../src/contracts/model.ts';
import type { ReliefSettings } from '../../../src/contracts/entries.ts';
import type { Notice } from '../../../src/agent/agent-run.ts';
import { historyOf, native, react, run, USAGE, type Entry, type Line } from '../support.ts';

const turns = (count: number, reply: object = {}): Line[] => [
  ...Array.from({ length: count }, (_none, n) => ({
    ...native(['note', { text: `${n}` }]),
    ...reply,
  })),
  native(['end', {}]),
];
const relief = (compaction: Partial<ReliefSettings['compaction']>): ReliefSettings => ({
  compaction: { messages: undefined, share: undefined, keepRecent: 4, ...compaction },
  maxMessages: 1000,
});
const OFF: ReliefSettings = { compaction: undefined, maxMessages: 1000 };
const endless = <T>(line: () => T): T[] => Array.from({ length: 200 }, line);
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
    const { end, journal, requests } = await run({ ...setup, relief: relief({ messages: 12 }) });
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
      relief: relief({ messages: 20 }),
    });
    const [asked] = requests.filter(asksForSummary);
    expect(asked?.tools).toEqual([]);
    expect(asked?.messages).toHaveLength(1);
    expect(compactions(journal)).toMatchObject([{ cost: 0.25, usage: USAGE, summary: 'Notes.' }]);
    expect(history.used.dollars).toBeCloseTo(0.25 + 0.12);
  });

  it('comes when a share of the context window is used', async () => {
    const lines = turns(8, { usage: { ...USAGE, input: 900 } });
    const setup = { ...options, lines, summary: 'Notes.', relief: relief({ share: 0.75 }) };
    expect(compactions((await run({ ...setup, contextWindow: 1000 })).journal)).not.toEqual([]);
    expect(compactions((await run({ ...setup, contextWindow: 9000 })).journal)).toEqual([]);
  });

  it('does not happen in every turn if what is kept exceeds the threshold by itself', async () => {
    const lines = turns(12, { usage: { ...USAGE, input: 900 } });
    const setup = { ...options, lines, summary: 'Notes.', relief: relief({ share: 0.2 }) };
    const { journal } = await run({ ...setup, contextWindow: 4000 });
    expect(compactions(journal)).not.toEqual([]);
    expect(compactions(journal).length).toBeLessThanOrEqual(4);
  });

  it('keeps the prefix of every request but the one behind it', async () => {
    const setup = { ...options, lines: turns(30), summary: 'Notes.' };
    const { requests, journal } = await run({ ...setup, relief: relief({ messages: 20 }) });
    const changed = prefixes(requests).filter((same) => !same);
    expect(changed).toHaveLength(compactions(journal).length);
  });

  it('survives a crash at any point, and the conversation is what it would have been', async () => {
    const setup = { ...options, summary: 'Notes.', relief: relief({ messages: 8 }) };
    const lines = turns(9);
    const whole = await run({ ...setup, lines });
    for (let crashAfter = 1; crashAfter < whole.journal.length; crashAfter++) {
      const { journal } = await run({ ...setup, lines, crashAfter });
      const { end } = await run({ ...setup, lines, journal });
      expect(end).toEqual({ kind: 'finished' });
      const resumed = historyOf(journal, 'native').messages;
      expect(resumed).toEqual(historyOf(whole.journal, 'native').messages);
    }
  });

  it('comes as well when the server says that the conversation is too long', async () => {
    const [one, two, three, four, ...rest] = turns(6);
    const lines = [one, two, three, four, new ContextOverflow('too long'), ...rest];
    const setup = { ...options, lines: lines.filter((line) => line !== undefined) };
    const { end, journal } = await run({ ...setup, summary: 'Notes.', relief: relief({}) });
    expect(end).toEqual({ kind: 'finished' });
    expect(compactions(journal)[0]).toMatchObject({ upTo: 7, summary: 'Notes.' });
  });

  it('drops what it cannot have summarised', async () => {
    const setup = { ...options, lines: turns(12), relief: relief({ messages: 12 }) };
    for (const summary of ['', { stop: 'filtered' as const }, new ContextOverflow('too long')]) {
      const { end, journal } = await run({ ...setup, summary });
      expect(end).toEqual({ kind: 'finished' });
      expect(compactions(journal)[0]).toMatchObject({ summary: null });
    }
  });

  it('leaves only the task if the server allows less than usual', async () => {
    const lines = [native(['note', {}]), new ContextOverflow('too long'), native(['end', {}])];
    const { end, requests } = await run({ ...options, lines, relief: OFF });
    expect(end).toEqual({ kind: 'finished' });
    expect(requests.map(({ messages }) => messages.length)).toEqual([1, 3, 2]);
  });

  it('ends with an explanation if even the task alone is too long', async () => {
    const lines = Array.from({ length: 5 }, () => new ContextOverflow('too long'));
    const failing = run({ ...options, lines, summary: 'Notes.', relief: relief({}) });
    await expect(failing).rejects.toThrow(/exceeds the context window/);
  });

  it.each([
    ['dropped', OFF],
    ['summarised', relief({ share: 0.75 })],
  ])(
    'ends with an explanation if nothing more can be %s, and it is still too long',
    async (_how, how) => {
      const journal: Entry[] = [];
      const lines = [...turns(3).slice(0, 3), ...endless(() => new ContextOverflow('too long'))];
      const failing = run({ ...options, lines, journal, summary: 'Notes.', relief: how });
      await expect(failing).rejects.toThrow(/exceeds the context window/);
      expect(compactions(journal).length).toBeGreaterThan(0);
      expect(compactions(journal).length).toBeLessThanOrEqual(3);
    },
  );

  it('keeps of a summary neither the thinking nor more than a request has room for', async () => {
    const summary = `<think>${'Hm. '.repeat(250)}</think>\n## Goal\n${'x'.repeat(3_000_000)}`;
    const setup = { ...options, lines: turns(12), summary, relief: relief({ messages: 12 }) };
    const [first] = compactions((await run(setup)).journal);
    expect(first?.summary).toMatch(/^## Goal\nx/);
    expect(first?.summary?.length).toBeLessThanOrEqual(24_000);
  });

  it('repeats a notice that has left with it, and none that has stayed', async () => {
    const setup = { ...options, lines: turns(12), summary: 'Notes.' };
    const told = async (notices: () => readonly Notice[]): Promise<number[]> => {
      const { journal } = await run({
        ...setup,
        news: () => ({ notices: notices() }),
        relief: relief({ messages: 12 }),
      });
      return journal.flatMap(({ type, seq }) => (type === 'notice' ? [seq] : []));
    };
    const notice = { topic: 'style', text: 'Use tabs.' };
    let asked = 0;
    expect(await told(() => [notice])).toHaveLength(3);
    expect(await told(() => (asked++ < 5 ? [] : [notice]))).toHaveLength(2);
  });
});

describe('without compaction', () => {
  it('older messages are dropped to half at once, the first one stays, and prefixes change rarely', async () => {
    const off: ReliefSettings = { compaction: undefined, maxMessages: 20 };
    const { requests, journal } = await run({ ...options, lines: turns(40), relief: off });
    const longest = Math.max(...requests.map(({ messages }) => messages.length));
    expect(longest).toBeLessThanOrEqual(20);
    expect(
      requests.every(({ messages }) => JSON.stringify(messages[0]).includes('Fix the bug')),
    ).toBe(true);
    const changed = prefixes(requests).filter((same) => !same);
    expect(changed).toHaveLength(compactions(journal).length);
    expect(changed.length).toBeLessThanOrEqual(8);
  });

  // ReAct tells calls that were made together one by one: each is two messages.
  const twelve = Array.from({ length: 12 }, (_none, n): [string, object] => [
    'note',
    { text: `${n}` },
  ]);
  const longTurn = [native(['note', {}]), native(...twelve)];
  const inReact = async (lines: readonly Line[], maxMessages: number) => {
    const { journal } = await run({ ...options, lines: [...longTurn, ''], crashAfter: 29 });
    expect(journal.at(-1)).toMatchObject({ type: 'call_finished', index: 11 });
    const off: ReliefSettings = { compaction: undefined, maxMessages };
    const all = [...longTurn, ...lines, 'All is done.'];
    return run({ ...options, lines: all, journal, protocol: 'react', relief: off });
  };

  it('a turn that is longer than all that may stay leaves once, and nothing leaves twice', async () => {
    const steps = Array.from({ length: 12 }, (_none, n) => react('note', { text: `step ${n}` }));
    const { end, journal } = await inReact(steps, 8);
    expect(end).toEqual({ kind: 'finished' });
    const left = compactions(journal).map(({ upTo }) => upTo);
    expect(left).toContain(29);
    expect(left).toEqual([...new Set(left)]);
  });

  it('a turn is dropped whole if the server needs only a part of it dropped', async () => {
    const overflows = [new ContextOverflow('too long'), new ContextOverflow('too long')];
    const { end, journal, requests } = await inReact(overflows, 1000);
    expect(end).toEqual({ kind: 'finished' });
    expect(compactions(journal).map(({ upTo }) => upTo)).toEqual([4, 29]);
    expect(requests.map(({ messages }) => messages.length)).toEqual([27, 26, 2]);
  });
});
