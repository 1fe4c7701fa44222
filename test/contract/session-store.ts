import { describe, expect, it } from '@jest/globals';
import type { StoredChange } from '../../src/contracts/files.ts';
import type { StoredImage } from '../../src/contracts/image.ts';
import type { NewEntry } from '../../src/session/entry.ts';
import {
  AppendFenced,
  ClaimLost,
  NoSuchSession,
  type SessionStore,
} from '../../src/store/store.ts';
import { inputTaken, reply } from './store-world.ts';

interface Kept {
  readonly store: SessionStore;
  /** A session of its own, with one or more entries. */
  readonly newSession: () => Promise<string>;
}

/** What every journal does that a session can be worked on with, in a database or in a process. */
export function sessionStoreContract(kept: () => Kept): void {
  const begun = async () => {
    const { store, newSession } = kept();
    const id = await newSession();
    const seq = (await store.journal(id)).length;
    return { store, id, seq };
  };
  const file = (path: string, text: string): StoredChange => ({
    path,
    mode: '100644',
    content: Buffer.from(text),
  });

  describe('a journal for one session', () => {
    it('gives back every byte: NUL, lone surrogates, the order of keys', async () => {
      const { store, id, seq } = await begun();
      const entries: NewEntry[] = [
        {
          ...reply(0.1),
          text: 'a\u0000b \ud800 \u2028 ünï 🦊',
          calls: [{ tool: 'write_file', arguments: { z: 1, a: { b: '\u0000', 10: 1, 2: [] } } }],
          durationMs: 0.1 + 0.2,
        },
        inputTaken('second'),
      ];
      const written = await store.append(id, entries);
      const read = await store.journal(id, seq);
      expect(read).toEqual(written);
      const strip = ({ seq: _seq, at: _at, ...entry }: (typeof read)[number]) => entry;
      expect(JSON.stringify(read.map(strip))).toBe(JSON.stringify(entries));
      expect(read.map((entry) => entry.seq)).toEqual([seq + 1, seq + 2]);
      for (const { at } of read) expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    });

    it('numbers the entries of parallel appends without gaps, each append together', async () => {
      const { store, id, seq } = await begun();
      const texts = Array.from({ length: 12 }, (_, index) => `append ${index}`);
      await Promise.all(
        texts.map((text) => store.append(id, [inputTaken(text), inputTaken(text)])),
      );
      const read = await store.journal(id, seq);
      expect(read.map((entry) => entry.seq)).toEqual(read.map((_, index) => index + seq + 1));
      for (let index = 0; index < read.length; index += 2)
        expect(read[index]).toMatchObject({ text: (read[index + 1] as { text: string }).text });
    });

    it('reads a part of itself: after an entry, up to one', async () => {
      const { store, id, seq } = await begun();
      await store.append(id, [inputTaken('a'), inputTaken('b'), inputTaken('c')]);
      const read = await store.journal(id, seq, seq + 2);
      expect(read.map((entry) => entry.seq)).toEqual([seq + 1, seq + 2]);
    });

    it('writes all of an append or nothing, and nothing for a claim that was lost', async () => {
      const { store, id, seq } = await begun();
      const twice = { changes: [file('a', '1'), file('a', '2')] };
      await expect(store.append(id, [reply(1)], twice)).rejects.toThrow(/duplicate key/);
      const claim = await store.claim(id);
      const late = store.append(id, [reply(1)], { claim: 'another', changes: [file('a', '1')] });
      await expect(late).rejects.toThrow(ClaimLost);
      await expect(store.append(id, [], { changes: [file('a', 'x')] })).rejects.toThrow(
        'Changes are stored with an entry',
      );
      expect(await store.journal(id, seq)).toEqual([]);
      expect(await store.changes(id, 0)).toEqual([]);
      expect(await store.append(id, [reply(1)], { claim })).toHaveLength(1);
      await expect(store.append('nowhere', [reply(1)])).rejects.toThrow(NoSuchSession);
      await expect(store.claim('nowhere')).rejects.toThrow(NoSuchSession);
      expect(await store.journal('nowhere')).toEqual([]);
    });

    it('writes one attempt of an append, before or after what others write, and no late one', async () => {
      const { store, id, seq } = await begun();
      const claim = await store.claim(id);
      const attempt = (fence: number) =>
        store.append(id, [inputTaken(`of ${fence}`)], { claim, fence });
      await store.append(id, [inputTaken('of another')]);
      const attempts = Array.from({ length: 6 }, () => attempt(seq));
      const others = store.append(id, [inputTaken('of another')]);
      const outcomes = await Promise.allSettled([...attempts, attempt(seq)]);
      await others;
      const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(failures).toHaveLength(6);
      expect(failures.every(({ reason }) => reason instanceof AppendFenced)).toBe(true);
      await attempt(seq + 3);
      await expect(attempt(seq)).rejects.toThrow(AppendFenced);
      const texts = (await store.journal(id, seq)).map((entry) => 'text' in entry && entry.text);
      expect(texts.filter((text) => text !== 'of another')).toEqual([`of ${seq}`, `of ${seq + 3}`]);
    });

    it('keeps the last state of each path after an entry, ordered by path', async () => {
      const { store, id, seq } = await begun();
      const first = [file('b', 'one'), file('a', 'one'), file('Z', 'one')];
      await store.append(id, [inputTaken('1'), inputTaken('2')], { changes: first });
      const gone: StoredChange = { path: 'b', mode: '100644', content: null };
      await store.append(id, [inputTaken('3')], { changes: [gone, file('a', 'two')] });
      const shown = (await store.changes(id, 0)).map(({ path, content }) => [
        path,
        content === null ? null : Buffer.from(content).toString(),
      ]);
      expect(shown).toEqual([
        ['Z', 'one'],
        ['a', 'two'],
        ['b', null],
      ]);
      expect((await store.changes(id, seq + 2)).map(({ path }) => path)).toEqual(['a', 'b']);
      expect(await store.changes(id, seq + 3)).toEqual([]);
    });

    it('keeps images byte for byte, once, for their session alone', async () => {
      const [{ store, id }, other] = [await begun(), await begun()];
      const content = Uint8Array.of(0, 255, 13, 10);
      const facts = { type: 'image/png', width: 1, height: 1, bytes: 4 } as const;
      const image: StoredImage = { id: 'a', ...facts, content };
      await store.append(id, [inputTaken('x')], { images: [image] });
      await store.append(id, [inputTaken('x')], { images: [image] });
      const held = [...(await store.images(id, ['a', 'b']))];
      expect(held.map(([name, bytes]) => [name, ...bytes])).toEqual([['a', 0, 255, 13, 10]]);
      expect((await store.images(other.id, ['a'])).size).toBe(0);
    });

    it('remembers what is published, and forgets what two saved at the same time', async () => {
      const { store, id } = await begun();
      const status = { key: 'status', remoteId: 1, url: 'https://x/1', digest: 'a' };
      expect(await store.savePublication(id, status, undefined)).toBe('saved');
      expect(await store.publications(id)).toMatchObject([status]);
      expect(await store.savePublication(id, status, undefined)).toBe('contested');
      expect(await store.publications(id)).toEqual([]);
    });
  });
}
