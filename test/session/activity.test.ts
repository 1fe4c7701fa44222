import { describe, expect, it } from '@jest/globals';
import type { NewEntry } from '../../src/session/entry.ts';
import { headline } from '../../src/session/texts/headline.ts';
import { Journal } from '../support/journal.ts';

describe('what a session is doing', () => {
  const began: NewEntry = { type: 'call_started', reply: 1, index: 0, title: 'Run the tests' };
  const did = (title?: string): NewEntry => ({
    type: 'call_finished',
    reply: 1,
    index: 0,
    ok: true,
    output: '',
    effects: [],
    halt: null,
    ...(title === undefined ? {} : { title }),
  });
  const wrote = did('Write a.ts');
  const CALL = { id: 'x', tool: 'write_file', arguments: {} };
  const replied = (calls: number, fault: string | null = null): NewEntry => ({
    type: 'reply',
    protocol: 'json',
    text: '',
    thought: '',
    calls: Array.from({ length: calls }, () => CALL),
    answer: null,
    fault,
    stop: 'end',
    native: null,
    usage: { input: 1, cached: 0, written: 0, output: 1, reasoning: 0 },
    cost: null,
    durationMs: 1,
  });
  const MODEL = 'Waiting for the model since 14:03 UTC';
  const doing = (...entries: NewEntry[]): string => {
    const journal = new Journal().start().run();
    for (const entry of entries) journal.add(entry);
    return headline(journal.session).reason;
  };

  it.each([
    ['the model before its first reply', [], MODEL],
    ['the call that runs', [replied(2), began], 'Run the tests'],
    ['the last call until the next one of the reply', [replied(2), began, did()], 'Run the tests'],
    ['the model after all calls', [replied(1), began, did()], `${MODEL}. Last step: Run the tests`],
    ['the model after quick calls', [replied(1), wrote], `${MODEL}. Last step: Write a.ts`],
    ['the model after an unreadable reply', [replied(1, 'no JSON')], MODEL],
    [
      'the model after news',
      [replied(1), wrote, { type: 'notice', topic: 't', text: 'x' }],
      `${MODEL}. Last step: Write a.ts`,
    ],
    [
      'the last call until the first one of the next reply',
      [replied(1), wrote, replied(1)],
      'Write a.ts',
    ],
    [
      'the model after an interruption',
      [replied(1), wrote, { type: 'run_resumed', run: 1 }],
      `${MODEL}. Last step: Write a.ts`,
    ],
    [
      'the work after an interruption in a call',
      [replied(1), began, { type: 'run_resumed', run: 1 }],
      'Resuming the work',
    ],
  ] satisfies [string, NewEntry[], string][])('is %s', (_what, entries, words) => {
    expect(doing(...entries)).toBe(words);
  });
});
