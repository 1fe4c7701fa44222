import { describe, expect, it } from '@jest/globals';
import type { OpenStore } from '../../src/store/open.ts';
import { ClaimLost } from '../../src/store/store.ts';
import type { StoredChange } from '../../src/contracts/files.ts';
import { inputTaken, newSession } from './store-world.ts';

/** What every store keeps of the files that calls changed. */
export function changesContract(store: () => OpenStore): void {
  describe('changes', () => {
    const file = (path: string, text: string): StoredChange => ({
      path,
      mode: '100644',
      content: Buffer.from(text),
    });

    it('are the last state of each path after an entry, ordered by path', async () => {
      const id = await newSession(store());
      const binary: StoredChange = {
        path: 'Z.bin',
        mode: '100755',
        content: Uint8Array.of(0, 255, 13, 10, 0),
      };
      const link: StoredChange = { path: 'link', mode: '120000', content: Buffer.from('a') };
      const first = [file('a', 'one'), file('b', 'one'), binary];
      await store().append(id, [inputTaken('1'), inputTaken('2')], { changes: first });
      const gone: StoredChange = { path: 'b', mode: '100644', content: null };
      await store().append(id, [inputTaken('3')], { changes: [file('a', 'two'), gone, link] });
      const all = await store().changes(id, 0);
      expect(all.map(({ path }) => path)).toEqual(['Z.bin', 'a', 'b', 'link']);
      expect(all.map(({ mode }) => mode)).toEqual(['100755', '100644', '100644', '120000']);
      expect(Buffer.compare(all[0]!.content!, binary.content!)).toBe(0);
      expect(Buffer.from(all[1]!.content!).toString()).toBe('two');
      expect(all[2]!.content).toBeNull();
      expect((await store().changes(id, 4)).map(({ path }) => path)).toEqual(['a', 'b', 'link']);
      expect(await store().changes(id, 5)).toEqual([]);
    });

    it('may be thousands in one call', async () => {
      const id = await newSession(store());
      const many = Array.from({ length: 14_000 }, (_, index) => file(`f${index}`, 'x'));
      await store().append(id, [inputTaken('many')], { changes: many });
      expect(await store().changes(id, 0)).toHaveLength(many.length);
    });

    it.each([
      ['few', [file('a', 'x'), file('b', '')]],
      ['many', Array.from({ length: 1001 }, (_, index) => file(`f${index}`, 'x'))],
      ['large', [file('a', 'x'.repeat(5 * 1024 * 1024))]],
    ])('that are %s are fenced, and stored with their entry or not at all', async (_, changes) => {
      const id = await newSession(store());
      const claim = await store().claim(id);
      const lost = store().append(id, [inputTaken('x')], { claim: 'another', changes });
      await expect(lost).rejects.toThrow(ClaimLost);
      const twice = [...changes, changes[0]!];
      const torn = store().append(id, [inputTaken('x')], { claim, changes: twice });
      await expect(torn).rejects.toThrow(/duplicate key/);
      expect(await store().session(id)).toMatchObject({ lastSeq: 2 });
      await store().append(id, [inputTaken('x'), inputTaken('y')], { claim, changes });
      expect(await store().changes(id, 3)).toHaveLength(changes.length);
      expect(await store().changes(id, 4)).toEqual([]);
    });

    it('are stored with an entry, never alone', async () => {
      const id = await newSession(store());
      const alone = store().append(id, [], { changes: [file('a', 'x')] });
      await expect(alone).rejects.toThrow('Changes are stored with an entry');
    });
  });
}
