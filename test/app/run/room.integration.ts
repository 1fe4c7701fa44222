import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

let service: Service;
beforeAll(async () => {
  service = await openService({}, { isLimited: true });
});
afterAll(() => service.close());

const OTHER = { holder: 'other', rank: 'work' } as const;

const fill = (): Promise<number> => service.store.reserveWrites(1, OTHER, 78);
const clear = (): Promise<void> => service.store.releaseWrites(1, OTHER.holder);

const changesAWord = (): void =>
  service.model.says(
    json(['write_file', { path: 'words.txt', content: 'one\n' }]),
    json(['finish', { summary: 'There is a word.', outcome: 'done' }]),
  );

const requests = (from: number): readonly string[] =>
  service.github.requests.slice(from).map(({ method, path }) => `${method} ${path}`);

describe('a run for whose pull request there is no room', () => {
  it('works until then, is left once for others that wait for its slot, and makes no request before it is its turn', async () => {
    const session = await service.start('Add a word');
    await service.start('Add a word, without a slot');
    changesAWord();
    await fill();
    await session.advance();
    expect(entriesOf(await session.journal(), 'run_deferred')).toMatchObject([
      { cause: 'write_budget' },
    ]);
    expect(entriesOf(await session.journal(), 'reply')).toHaveLength(2);
    // The place is the database's: time passes for the run only.
    service.letPass(300_000);
    const before = service.github.requests.length;
    for (let look = 0; look < 3; look += 1) await session.advance();
    expect(requests(before)).toEqual([]);
    expect(entriesOf(await session.journal(), 'run_deferred')).toHaveLength(1);
    await clear();
    await session.advance();
    expect((await session.row())?.state).toBe('waiting(review)');
    expect(entriesOf(await session.journal(), 'run_resumed')).toHaveLength(1);
    expect((await service.store.writeBudget(1)).minute.left).toBeGreaterThan(60);
  });

  it('is left twice at most: then it waits in its slot', async () => {
    const session = await service.start('Add another word');
    changesAWord();
    await fill();
    await session.advance();
    for (let time = 0; time < 2; time += 1) {
      // What was granted to it went to others, as when it waited for a slot too long.
      service.letPass(300_000);
      await clear();
      expect(
        await service.store.reserveWrites(1, { ...OTHER, holder: `run:${session.id}` }, 3),
      ).toBe(0);
      const before = await timesResumed(session.id);
      const advanced = session.advance();
      while ((await timesResumed(session.id)) === before) await new Promise(setImmediate);
      await takeAway(session.id);
      if (time === 0) await advanced;
      else {
        await clear();
        await advanced;
      }
    }
    expect(entriesOf(await session.journal(), 'run_deferred')).toHaveLength(2);
    expect((await session.row())?.state).toBe('waiting(review)');
  });

  const timesResumed = async (session: string): Promise<number> =>
    entriesOf(await service.store.journal(session), 'run_resumed').length;

  async function takeAway(session: string): Promise<void> {
    await service.store.releaseWrites(1, `run:${session}`);
    await fill();
  }
});
