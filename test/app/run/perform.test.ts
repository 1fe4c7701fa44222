import { expect, it } from '@jest/globals';
import { record } from '../../../src/app/run/perform.ts';
import type { NewAgentEntry } from '../../../src/contracts/entries.ts';
import type { StoredChange } from '../../../src/contracts/files.ts';
import type { NewEntry } from '../../../src/session/entry.ts';

const CALL: NewAgentEntry = {
  type: 'call_finished',
  reply: 1,
  index: 0,
  ok: true,
  output: '',
  effects: [],
  halt: null,
};
const WRITTEN: StoredChange = { path: 'a.js', mode: '100644', content: null };
const README: StoredChange = { ...WRITTEN, path: 'README.md' };
const GUIDE: StoredChange = { ...WRITTEN, path: 'docs/a/guide.rst' };
const PROMPT: StoredChange = { ...WRITTEN, path: 'src/prompt.md' };
const MADE: StoredChange = { ...WRITTEN, path: 'built.js', madeByCommand: true };

it.each([
  [[], {}],
  [[WRITTEN], { changedFiles: 1 }],
  [[MADE], { changedFiles: 1, leftOutFiles: 1 }],
  [[WRITTEN, MADE], { changedFiles: 2, leftOutFiles: 1 }],
  [[README, GUIDE, PROMPT, WRITTEN], { changedFiles: 4, documents: 2 }],
  [[{ ...README, madeByCommand: true } as const], { changedFiles: 1, leftOutFiles: 1 }],
])(
  'a call is journaled with how many files it changed, commits leave out, and are documents: %j',
  async (changes, counts) => {
    const journal: NewEntry[] = [];
    const append = async (entry: NewEntry) => {
      journal.push(entry);
      return { ...entry, seq: 1, at: '2030-01-15T14:03:00Z' };
    };
    async function* steps() {
      yield CALL;
    }
    const tracker = { append } as unknown as Parameters<typeof record>[0];
    await record(tracker, steps() as never, { drain: async () => changes });
    expect(journal).toEqual([{ ...CALL, ...counts }]);
  },
);
