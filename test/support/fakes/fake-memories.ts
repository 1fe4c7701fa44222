import type { Memories, Memory } from '../../../src/contracts/memory.ts';
import { TellModel } from '../../../src/lib/errors.ts';
import { withoutInvisible } from '../../../src/lib/text/invisible.ts';

export interface FakeMemories extends Memories {
  /** What earlier sessions stored. */
  add(memory: Partial<Memory> & Pick<Memory, 'text'>): void;
}

const words = (text: string): readonly string[] => text.toLowerCase().match(/[a-z]{3,}/g) ?? [];

/** The memories of a repository, searched by whole words. */
export function fakeMemories(): FakeMemories {
  const all: (Memory & { readonly call?: string })[] = [];
  const add = (memory: Partial<Memory> & { readonly text: string; readonly call?: string }) => {
    const number = all.length + 1;
    const own = { number, session: 's', issue: 7, at: '2030-01-15T14:03:00Z' };
    all.push({ ...own, fromStrangers: false, ...memory });
    return number;
  };
  return {
    add,
    remember: async (given, at) => {
      const text = withoutInvisible(given).trim();
      if (text === '') throw new TellModel('Nothing in this text is visible: write it in words.');
      const call = `${at.getTime()} ${given}`;
      const known = all.find((one) => one.call === call || one.text === text);
      const number = known?.number ?? add({ text, call });
      return { number, isKnown: known !== undefined, dropped: 0, isRedacted: false };
    },
    search: async (query, limit) => {
      const asked = new Set(words(query));
      const found = all.filter(({ text }) => words(text).some((word) => asked.has(word)));
      return { memories: found.slice(0, limit), effects: [] };
    },
  };
}
