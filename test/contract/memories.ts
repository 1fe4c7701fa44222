import { expect, it } from '@jest/globals';
import type { Memories } from '../../src/contracts/memory.ts';
import { TellModel } from '../../src/lib/errors.ts';

const AT = new Date('2030-01-15T14:03:00Z');
const LATER = new Date('2030-01-15T14:04:00Z');

const search = async (memories: Memories, query: string, limit: number) =>
  (await memories.search(query, limit, new AbortController().signal)).memories;

/** What every `Memories` keeps, beginning with none: those of a store, and the fake of the tools' tests. */
export function memoriesContract(open: () => Promise<Memories>): void {
  it('finds what was remembered, and nothing for other words', async () => {
    const memories = await open();
    const stored = await memories.remember('The grammar is built by hand.', AT);
    expect(stored).toEqual({ number: 1, isKnown: false, dropped: 0, isRedacted: false });
    expect(await search(memories, 'how is the grammar built', 5)).toMatchObject([
      { number: 1, text: 'The grammar is built by hand.', fromStrangers: false },
    ]);
    expect(await search(memories, 'zebra', 5)).toEqual([]);
  });

  it('remembers a repeated call once, and the same text of another call too', async () => {
    const memories = await open();
    await memories.remember('Tests need the grammar.', AT);
    expect(await memories.remember('Tests need the grammar.', AT)).toMatchObject({ isKnown: true });
    const again = await memories.remember('Tests need the grammar.', LATER);
    expect(again).toMatchObject({ number: 1, isKnown: true });
    expect(await search(memories, 'grammar', 5)).toHaveLength(1);
  });

  it('finds no more than it is asked for', async () => {
    const memories = await open();
    for (const [at, what] of ['one', 'two', 'three'].entries())
      await memories.remember(`The grammar, part ${what}.`, new Date(at));
    expect(await search(memories, 'grammar', 2)).toHaveLength(2);
  });

  it('stores what people can see, and asks for words if there is nothing', async () => {
    const memories = await open();
    await memories.remember('The gram\u200Bmar\u202E is\0 new.\r\n', AT);
    expect((await search(memories, 'grammar', 1))[0]?.text).toBe('The grammar is new.');
    await expect(memories.remember('\u200B\u2060\u{E0041}', LATER)).rejects.toThrow(TellModel);
  });
}
