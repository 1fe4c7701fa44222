import { randomInt } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { OpenStore } from '../../src/store/open.ts';
import { ClaimLost } from '../../src/store/store.ts';
import type { StoredChange } from '../../src/contracts/files.ts';
import {
  comment,
  delivery,
  inputTaken,
  newRepository,
  newSession,
  reply,
  sessionOf,
  spentSince,
  type recordWakes,
} from './store-world.ts';

const MINUTE = 60_000;
const fromNow = (ms: number): Date => new Date(Date.now() + ms);

interface World {
  readonly store: OpenStore;
  readonly wakes: Awaited<ReturnType<typeof recordWakes>>;
}

/** What every store does for the process that holds a session's claim, and to one that lost it. */
export function claimsContract(world: () => World): void {
  const store = () => world().store;
  const wakes = () => world().wakes;
  describe('claims', () => {
    it('are lost at one point of the journal, with all that an append would have written', async () => {
      const happens = newRepository();
      const id = sessionOf(await store().accept(happens(), delivery()));
      const first = await store().claim(id);
      const change: StoredChange = { path: 'a', mode: '100644', content: Buffer.from('late') };
      const appendLate = () =>
        store().append(id, [{ ...reply(1), text: 'first' }], {
          claim: first,
          changes: [change],
          projection: { state: 'failed' },
        });
      const before = Array.from({ length: 5 }, appendLate);
      const claiming = store().claim(id);
      const racing = Array.from({ length: 10 }, appendLate);
      const second = await claiming;
      const mine = { claim: second, projection: { state: 'working' } };
      await store().append(id, [{ ...reply(0), text: 'second' }], mine);
      const outcomes = await Promise.allSettled([...before, ...racing, appendLate()]);
      const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(failures.length).toBeGreaterThan(0);
      expect(failures.filter(({ reason }) => !(reason instanceof ClaimLost))).toEqual([]);
      const written = outcomes.length - failures.length;
      const texts = (await store().journal(id, 2)).map((entry) => 'text' in entry && entry.text);
      expect(texts).toEqual([...Array.from({ length: written }, () => 'first'), 'second']);
      expect(await spentSince(store(), happens().repository.id, new Date(0))).toBe(written);
      expect(await store().changes(id, 2 + written)).toEqual([]);
      expect(await store().session(id)).toMatchObject({ lastSeq: 3 + written, state: 'working' });
    });

    it('do not let a process set the state before it has read the new entries', async () => {
      const happens = newRepository();
      const id = sessionOf(await store().accept(happens(), delivery()));
      const claim = await store().claim(id);
      await store().accept(happens({ intent: comment('Wait.') }), delivery());
      const ignored = { state: 'ignored', outcome: 'Not started', pullRequest: 7 };
      const stale = { claim, seen: 2, projection: ignored };
      await store().append(id, [inputTaken('mine')], stale);
      expect(await store().session(id)).toMatchObject({
        state: 'queued',
        outcome: '',
        pullRequest: 7,
      });
      const fresh = { claim, seen: 4, projection: { state: 'working', outcome: 'Working' } };
      await store().append(id, [inputTaken('again')], fresh);
      expect(await store().session(id)).toMatchObject(fresh.projection);
    });

    it('keep out the process that held the session before', async () => {
      const id = await newSession(store());
      const first = await store().claim(id);
      await store().append(id, [inputTaken('mine')], { claim: first });
      const second = await store().claim(id);
      const late = store().append(id, [inputTaken('late')], { claim: first });
      await expect(late).rejects.toThrow(ClaimLost);
      await expect(store().settle(id, first, 3, { state: 'done' })).rejects.toThrow(ClaimLost);
      await store().release(id, first);
      expect(await store().session(id)).toMatchObject({ claim: second, lastSeq: 3 });
      await store().append(id, [inputTaken('ours')], { claim: second });
    });

    it('are kept by a settle that finds something unseen, and given up by one that does not', async () => {
      const happens = newRepository();
      const id = sessionOf(await store().accept(happens(), delivery()));
      const claim = await store().claim(id);
      await store().accept(happens({ intent: comment('stop') }), delivery());
      expect(await store().settle(id, claim, 2, { state: 'done' })).toBe('more');
      expect(await store().session(id)).toMatchObject({ claim, state: 'queued' });
      const wakeAt = fromNow(MINUTE);
      const projection = { state: 'waiting', outcome: 'Waiting', pullRequest: 5, wakeAt };
      expect(await store().settle(id, claim, 3, projection)).toBe('settled');
      expect(await store().session(id)).toMatchObject({ ...projection, claim: null });
    });

    it('wake the session again when they are released', async () => {
      const id = await newSession(store());
      await wakes().times('advance', id, 1);
      await store().release(id, await store().claim(id));
      await wakes().times('advance', id, 2);
      expect((await store().session(id))?.claim).toBeNull();
    });

    it('sleep as long as they should, however long that is', async () => {
      const id = await newSession(store());
      await wakes().times('advance', id, 1);
      await store().release(id, await store().claim(id), fromNow(60 * MINUTE));
      await store().due(fromNow(5 * MINUTE));
      expect((await store().session(id))?.wakeAt).not.toBeNull();
      const other = await newSession(store());
      await wakes().times('advance', other, 1);
      expect(wakes().count('advance', id)).toBe(1);
    });

    it('can be released until a later time', async () => {
      const id = await newSession(store());
      await wakes().times('advance', id, 1);
      const at = fromNow(MINUTE);
      await store().release(id, await store().claim(id), at);
      expect(await store().session(id)).toMatchObject({ claim: null, wakeAt: at });
      await store().due(fromNow(0));
      expect((await store().session(id))?.wakeAt).toEqual(at);
      expect(wakes().count('advance', id)).toBe(1);
      await store().due(at);
      await wakes().times('advance', id, 2);
      expect((await store().session(id))?.wakeAt).toBeNull();
    });

    it('sleep no longer once something has changed at their installation, and at no other', async () => {
      const arrive = async (installation: number): Promise<string> =>
        sessionOf(await store().accept({ ...newRepository()(), installation }, delivery()));
      const [changed, another] = [randomInt(2 ** 40), randomInt(2 ** 40)];
      const later = fromNow(60 * MINUTE);
      const [put, waits, elsewhere] = [
        await arrive(changed),
        await arrive(changed),
        await arrive(another),
      ];
      await wakes().times('advance', elsewhere, 1);
      await store().release(put, await store().claim(put), later);
      for (const id of [waits, elsewhere])
        await store().settle(id, await store().claim(id), 2, { state: 'waiting', wakeAt: later });
      await store().wakeInstallation(changed);
      await store().due(fromNow(MINUTE));
      await wakes().times('advance', put, 2);
      await wakes().times('advance', waits, 2);
      expect((await store().session(elsewhere))?.wakeAt).toEqual(later);
    });

    it('are advanced once more if something changes at their installation while they are held', async () => {
      const installation = randomInt(2 ** 40);
      const arrival = { ...newRepository()(), installation };
      const id = sessionOf(await store().accept(arrival, delivery()));
      await wakes().times('advance', id, 1);
      const claim = await store().claim(id);
      await store().wakeInstallation(installation);
      await store().release(id, claim, fromNow(60 * MINUTE));
      await wakes().times('advance', id, 2);
    });

    it('are found by their installation while they are not over', async () => {
      const installation = randomInt(2 ** 40);
      const arrive = async (): Promise<string> =>
        sessionOf(await store().accept({ ...newRepository()(), installation }, delivery()));
      const [open, failed, done] = [await arrive(), await arrive(), await arrive()];
      await store().settle(failed, await store().claim(failed), 2, { state: 'failed' });
      await store().settle(done, await store().claim(done), 2, { state: 'done' });
      const found = await store().openSessions(installation);
      expect(found.toSorted()).toEqual([open, failed].toSorted());
      expect(await store().openSessions(installation + 1)).toEqual([]);
    });

    it('are reached through another installation once the App was installed again', async () => {
      const [before, after] = [randomInt(2 ** 40), randomInt(2 ** 40)];
      const happening = newRepository();
      const arrival = { ...happening(), installation: before };
      const id = sessionOf(await store().accept(arrival, delivery()));
      const other = { ...newRepository()(), installation: before };
      const elsewhere = sessionOf(await store().accept(other, delivery()));
      for (let times = 0; times < 2; times += 1) {
        await store().reinstall(after, [arrival.repository.id]);
        await store().reinstall(after, []);
        expect((await store().session(id))?.installation).toBe(after);
        const entries = (await store().journal(id)).filter(({ type }) => type === 'reinstalled');
        expect(entries).toEqual([expect.objectContaining({ installation: after })]);
      }
      expect((await store().session(elsewhere))?.installation).toBe(before);
    });

    it('belong to the installation and the repository that GitHub named last', async () => {
      const [before, after] = [randomInt(2 ** 40), randomInt(2 ** 40)];
      const arrival = { ...newRepository()(), installation: before };
      const id = sessionOf(await store().accept(arrival, delivery()));
      const repository = { ...arrival.repository, owner: 'another', name: 'renamed' };
      const moved = { ...arrival, meaning: 'later', intent: comment('More'), installation: after };
      await store().accept({ ...moved, repository }, delivery());
      expect(await store().session(id)).toMatchObject({ installation: after, repository });
      const later = fromNow(60 * MINUTE);
      await store().settle(id, await store().claim(id), 3, { state: 'waiting', wakeAt: later });
      await store().wakeInstallation(before);
      expect((await store().session(id))?.wakeAt).toEqual(later);
      await store().wakeInstallation(after);
      expect((await store().session(id))?.wakeAt).not.toEqual(later);
    });
  });
}
