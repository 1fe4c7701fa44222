import { describe, expect, it, jest } from '@jest/globals';
import { CallOutput } from '../../../src/app/run/call-output.ts';
import { conversationOf } from '../../../src/app/run/conversation.ts';
import type { Entry, NewEntry } from '../../../src/session/entry.ts';
import { Journal } from '../../support/journal.ts';

const PLACE = { reply: 7, index: 0 };

/** A journal in memory, with a clock that only moves when told. */
function scene({ fails = false } = {}) {
  jest.useFakeTimers();
  const entries: NewEntry[] = [];
  const append = async (entry: NewEntry): Promise<Entry> => {
    if (fails) throw new Error('the claim was lost');
    entries.push(entry);
    return { ...entry, seq: entries.length, at: '' };
  };
  const redact = (text: string): string => text.replaceAll('a-long-secret', '[redacted]');
  const output = new CallOutput({ append }, redact);
  return {
    output,
    hear: (text: string) => output.hear(PLACE, text),
    pass: (ms: number) => jest.advanceTimersByTimeAsync(ms),
    texts: () => entries.map((entry) => (entry.type === 'call_output' ? entry.text : entry.type)),
    entries,
    end: () => output.settle().finally(() => jest.useRealTimers()),
  };
}

describe('the output of a running call', () => {
  it('is journaled once a second at most, in whole lines', async () => {
    const { hear, pass, texts, entries, end } = scene();
    hear('one\n');
    hear('two\nthr');
    expect(texts()).toEqual([]);
    await pass(1000);
    expect(texts()).toEqual(['one\ntwo\n']);
    expect(entries[0]).toEqual({ type: 'call_output', ...PLACE, text: 'one\ntwo\n' });
    await pass(5000);
    expect(texts()).toHaveLength(1);
    hear('ee\n');
    await pass(999);
    expect(texts()).toHaveLength(1);
    await pass(1);
    expect(texts()).toEqual(['one\ntwo\n', 'three\n']);
    await end();
  });

  it('is not journaled if the call ends first: the result contains it', async () => {
    const { hear, pass, texts, output, end } = scene();
    hear('quick\n');
    await output.settle();
    await pass(10_000);
    expect(texts()).toEqual([]);
    await end();
  });

  it('never holds a secret that came in two pieces', async () => {
    const { hear, pass, texts, end } = scene();
    hear('key: a-long');
    await pass(3000);
    hear('-secret\n');
    await pass(3000);
    expect(texts().join('')).toBe('key: [redacted]\n');
    await end();
  });

  it('is bounded: in each entry, and in all of a call', async () => {
    const { hear, pass, texts, end } = scene();
    for (let second = 0; second < 100; second += 1) {
      for (let line = 0; line < 1000; line += 1) hear(`${'x'.repeat(50)}\n`);
      await pass(1000);
    }
    expect(Math.max(...texts().map(({ length }) => length))).toBeLessThan(8_500);
    expect(texts().join('').length).toBeLessThan(75_000);
    expect(texts()[0]).toMatch(/^… \(\d+ characters left out\)\n/);
    expect(texts().at(-1)).toContain('more output is not shown');
    await end();
  });

  it('reports a journal that rejects it when the call settles, and not before', async () => {
    const { hear, pass, output, end } = scene({ fails: true });
    hear('line\n');
    await pass(1000);
    hear('line\n');
    await pass(1000);
    await expect(output.settle()).rejects.toThrow('the claim was lost');
    await end();
  });
});

describe('the conversation', () => {
  it('has nothing of what a call put out while it ran', () => {
    const journal = new Journal()
      .start()
      .run()
      .turn({ calls: [{ tool: 'run_tests' }] });
    const reply = journal.entries.findLast(({ type }) => type === 'reply')?.seq ?? 0;
    const before = conversationOf(journal.entries).messages;
    journal.add({ type: 'call_output', reply, index: 0, text: 'ok 1\n' });
    const history = conversationOf(journal.entries);
    expect(history.messages).toEqual(before);
    expect(history.openCall).toMatchObject({ reply, index: 0 });
  });
});
