// What the model has not read yet, when there is no room for it.
import { describe, expect, it } from '@jest/globals';
import { ContextOverflow } from '../../../src/agent/model-errors.ts';
import type { ReliefSettings } from '../../../src/contracts/entries.ts';
import {
  historyOf,
  native,
  run,
  testToolbox,
  testTools,
  USAGE,
  type Entry,
  type Line,
} from '../support.ts';

const NO_USAGE = { ...USAGE, input: 0, output: 0 };
const RELIEF: ReliefSettings = {
  compaction: { messages: undefined, share: 0.75, keepRecent: 10 },
  maxMessages: 1000,
};
/** `note` answers with so many characters as its text says. */
const tools = testToolbox(
  testTools(({ text }) => Promise.resolve({ output: 'x'.repeat(Number(text)) })),
);
const notes = (...lengths: number[]): Line => ({
  ...native(...lengths.map((length): [string, object] => ['note', { text: String(length) }])),
  usage: NO_USAGE,
});
const setup = { tools, relief: RELIEF, protocol: 'native', summary: 'Notes.' } as const;
const outputs = (journal: readonly Entry[]): number[] =>
  journal.flatMap((entry) => (entry.type === 'call_finished' ? [entry.output.length] : []));
const compactions = (journal: readonly Entry[]) =>
  journal.flatMap((entry) => (entry.type === 'compacted' ? [entry] : []));
const end = native(['end', {}]);

describe('results in a small window', () => {
  it('share the room that is left, and say what is missing', async () => {
    const lines = [notes(2_000, 60_000, 60_000), end];
    const { journal, requests } = await run({ ...setup, lines, contextWindow: 16_000 });
    const [first = 0, second = 0, third = 0] = outputs(journal);
    expect(first).toBe(2_000);
    expect(second).toBeGreaterThan(14_000);
    expect(Math.abs(second - third)).toBeLessThan(200);
    expect((first + second + third) / 3).toBeLessThan(16_000);
    expect(JSON.stringify(requests[1])).toContain('Ask for it in smaller parts');
    expect(compactions(journal)).toEqual([]);
  });

  it('are whole if the window is not known', async () => {
    const { journal } = await run({ ...setup, lines: [notes(60_000), end] });
    expect(outputs(journal)[0]).toBe(60_000);
  });

  it('stay when older messages leave for them', async () => {
    const lines = [notes(15_000), notes(14_999), notes(14_998), notes(11_000), end];
    const { journal, requests } = await run({ ...setup, lines, contextWindow: 16_000 });
    expect(compactions(journal)).toMatchObject([{ summary: 'Notes.' }]);
    const last = requests.at(-1)?.messages ?? [];
    expect(JSON.stringify(last.slice(0, 2))).toContain('Notes.');
    expect(JSON.stringify(last.at(-1))).toContain('x'.repeat(11_000));
  });

  it('are cut after a rejection before they leave unread', async () => {
    const lines = [notes(30_000, 500), new ContextOverflow('too long', { window: 4_000 }), end];
    const { journal, requests } = await run({ ...setup, lines });
    const [cut, ...others] = compactions(journal);
    expect(cut).toMatchObject({ upTo: 0, window: 4_000 });
    expect(others.every(({ upTo }) => upTo === 0)).toBe(true);
    const results = requests.at(-1)?.messages.at(-1);
    if (results?.role !== 'results') throw new Error('no results');
    const [long = '', short = ''] = results.results.map(({ output }) => output);
    expect(long.length).toBeLessThan(12_000);
    expect(long).toContain('Ask for it in smaller parts');
    expect(short).toBe('x'.repeat(500));
  });

  it('are named if they leave unread, or were too long for the summary', async () => {
    const overflow = () => new ContextOverflow('too long');
    const lines = [notes(5_000), notes(700), ...Array.from({ length: 2 }, overflow), end];
    const { journal, requests } = await run({ ...setup, lines });
    const [first, second] = compactions(journal).filter(({ upTo }) => upTo > 0);
    expect(first?.notShown).toEqual(['note {"text":"5000"}']);
    expect(second?.notShown).toEqual(['note {"text":"700"}']);
    expect(JSON.stringify(requests.at(-1)?.messages)).toContain('note {\\"text\\":\\"700\\"}');
  });

  it('are cut the same after a crash', async () => {
    const lines = [notes(30_000), new ContextOverflow('too long', { window: 4_000 }), end];
    const { journal } = await run({ ...setup, lines });
    const at = journal.findLastIndex(({ type }) => type === 'compacted');
    const { requests } = await run({
      ...setup,
      lines: [notes(0), end],
      journal: journal.slice(0, at + 1),
    });
    expect(requests[0]?.messages).toEqual(historyOf(journal.slice(0, at + 1), 'native').messages);
    expect(JSON.stringify(requests[0]?.messages)).toContain('Ask for it in smaller parts');
  });

  it('leave room for the reply that the server accepts', async () => {
    const lines = [new ContextOverflow('too long', { window: 1_000 }), end];
    const { requests } = await run({ ...setup, lines, limits: { outputTokens: 32_000 } });
    expect(requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([32_000, 250]);
  });
});
