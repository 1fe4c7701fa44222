import { describe, expect, it } from '@jest/globals';
import type { StoredImage } from '../../src/contracts/image.ts';
import type { OpenStore } from '../../src/store/open.ts';
import { ClaimLost } from '../../src/store/store.ts';
import { inputTaken, newSession } from './store-world.ts';

/** What every store keeps of the images that people attached. */
export function imagesContract(store: () => OpenStore): void {
  describe('images', () => {
    const image = (id: string, ...content: readonly number[]): StoredImage => ({
      id,
      type: 'image/png',
      width: 1,
      height: 1,
      bytes: content.length,
      content: Uint8Array.from(content),
    });
    const held = async (session: string, ...ids: readonly string[]) =>
      [...(await store().images(session, ids))].map(([id, content]) => [id, ...content]);

    it('are kept byte for byte, for their session alone', async () => {
      const [one, other] = [await newSession(store()), await newSession(store())];
      await store().append(one, [inputTaken('x')], { images: [image('a', 0, 255, 13, 10)] });
      expect(await held(one, 'a', 'b')).toEqual([['a', 0, 255, 13, 10]]);
      expect(await held(other, 'a')).toEqual([]);
      expect(await held(one)).toEqual([]);
    });

    it('are kept once, however often they are stored', async () => {
      const id = await newSession(store());
      for (const images of [[image('a', 1)], [image('a', 1), image('b', 2)]])
        await store().append(id, [inputTaken('x')], { images });
      expect(await held(id, 'a')).toEqual([['a', 1]]);
      expect(await held(id, 'b')).toEqual([['b', 2]]);
    });

    it('are fenced, and stored with their entry or not at all', async () => {
      const id = await newSession(store());
      const { lastSeq } = (await store().session(id))!;
      const claim = await store().claim(id);
      const lost = store().append(id, [inputTaken('x')], {
        claim: 'another',
        images: [image('a', 1)],
      });
      await expect(lost).rejects.toThrow(ClaimLost);
      const tooLarge = { ...image('b'), content: new Uint8Array(4_000_001) };
      const torn = store().append(id, [inputTaken('x')], {
        claim,
        images: [image('a', 1), tooLarge],
      });
      await expect(torn).rejects.toThrow(/check constraint/);
      expect(await held(id, 'a', 'b')).toEqual([]);
      expect(await store().session(id)).toMatchObject({ lastSeq });
    });
  });
}
