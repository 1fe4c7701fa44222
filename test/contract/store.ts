import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Intent } from '../../src/contracts/intent.ts';
import type { OpenStore } from '../../src/store/open.ts';
import { NoSuchSession } from '../../src/store/store.ts';
import type { StoredChange } from '../../src/contracts/files.ts';
import { changesContract } from './store-changes.ts';
import { imagesContract } from './store-images.ts';
import { claimsContract } from './store-claims.ts';
import { sessionStoreContract } from './session-store.ts';
import { spendingContract } from './store-spending.ts';
import {
  START,
  comment,
  delivery,
  inputTaken,
  newRepository,
  newSession,
  recordWakes,
  sessionOf,
  until,
} from './store-world.ts';

const MINUTE = 60_000;
const fromNow = (ms: number): Date => new Date(Date.now() + ms);

/** What every store does, whichever PostgreSQL is under it. */
export function storeContract(name: string, open: () => Promise<OpenStore>): void {
  describe(`the store on ${name}`, () => {
    let store: OpenStore;
    let wakes: Awaited<ReturnType<typeof recordWakes>>;

    beforeAll(async () => {
      store = await open();
      wakes = await recordWakes(store);
    });
    afterAll(() => store.close());

    describe('accepting', () => {
      it('opens a session with the first start, journals it and wakes both queues', async () => {
        const arrival = newRepository()({ number: 4 });
        const id = sessionOf(await store.accept(arrival, delivery('guid-1')));
        expect(id).toMatch(/^[a-z0-9]{12}$/);
        expect(await store.session(id)).toMatchObject({
          id,
          installation: arrival.installation,
          repository: arrival.repository,
          issue: 4,
          title: 'A title',
          pullRequest: null,
          state: 'queued',
          lastSeq: 2,
          publishedSeq: 0,
          claim: null,
        });
        expect(await store.journal(id)).toMatchObject([
          { seq: 1, type: 'opened', repository: arrival.repository, issue: 4 },
          { seq: 2, type: 'received', delivery: 'guid-1', intent: START },
        ]);
        await wakes.times('advance', id, 1);
        await wakes.times('publish', id, 1);
      });

      it('takes a delivery once, by its id and by its meaning', async () => {
        const happens = newRepository();
        const first = happens({ meaning: `labelled ${Math.random()}` });
        const guid = delivery();
        const id = sessionOf(await store.accept(first, guid));
        expect(await store.accept(first, delivery())).toEqual({ outcome: 'duplicate' });
        expect(await store.accept(happens(), guid)).toEqual({ outcome: 'duplicate' });
        expect(await store.journal(id)).toHaveLength(2);
      });

      it('makes one session and one entry of the same meaning delivered ten times at once', async () => {
        const arrival = newRepository()();
        const outcomes = await Promise.all(
          Array.from({ length: 10 }, () => store.accept(arrival, delivery())),
        );
        const accepted = outcomes.filter(({ outcome }) => outcome === 'accepted');
        expect(accepted).toHaveLength(1);
        expect(outcomes.filter(({ outcome }) => outcome === 'duplicate')).toHaveLength(9);
        expect(await store.journal(sessionOf(accepted[0]!))).toHaveLength(2);
      });

      it('puts ten different happenings of one issue at once into one session', async () => {
        const happens = newRepository();
        const outcomes = await Promise.all(
          Array.from({ length: 10 }, () => store.accept(happens(), delivery())),
        );
        const ids = new Set(outcomes.map(sessionOf));
        expect(ids.size).toBe(1);
        const journal = await store.journal([...ids][0]!);
        expect(journal.map(({ seq }) => seq)).toEqual(journal.map((_, index) => index + 1));
        expect(journal.map(({ type }) => type)).toEqual([
          'opened',
          ...Array.from({ length: 10 }, () => 'received'),
        ]);
      });

      it('leaves no row for what belongs to no session, not even the delivery', async () => {
        const happens = newRepository();
        const guid = delivery();
        const early = happens({ intent: comment('hello') });
        expect(await store.accept(early, guid)).toEqual({ outcome: 'no_session' });
        const id = sessionOf(await store.accept(happens(), delivery()));
        expect(await store.accept(early, guid)).toEqual({ outcome: 'accepted', session: id });
      });

      it('opens a session with a comment that asks, also on a pull request, and with no other', async () => {
        const happens = newRepository();
        const thread = { title: 'T', body: 'B', isOpen: true };
        const asking = { ...comment('do it'), addressed: true, thread } as Intent;
        const onPull = { on: 'pull_request', number: 5 } as const;
        expect(
          await store.accept(happens({ ...onPull, intent: comment('hi') }), delivery()),
        ).toEqual({ outcome: 'no_session' });
        const id = sessionOf(
          await store.accept(happens({ ...onPull, intent: asking }), delivery()),
        );
        expect(await store.session(id)).toMatchObject({ issue: 5, pullRequest: null });
        const again = await store.accept(happens({ ...onPull, intent: asking }), delivery());
        expect(sessionOf(again)).toBe(id);
      });

      it('finds the session of a pull request by its number', async () => {
        const happens = newRepository();
        const id = sessionOf(await store.accept(happens({ number: 1 }), delivery()));
        await store.append(id, [], { projection: { pullRequest: 12 } });
        const review = happens({
          on: 'pull_request',
          number: 12,
          intent: { kind: 'review', pullRequest: 12, reviewId: 3, verdict: 'approved', body: '' },
        });
        expect(await store.accept(review, delivery())).toEqual({
          outcome: 'accepted',
          session: id,
        });
        const issue12 = happens({ number: 12, intent: comment('another thread') });
        expect(await store.accept(issue12, delivery())).toEqual({ outcome: 'no_session' });
      });

      it('hears nothing for an ignored session until it is started again', async () => {
        const happens = newRepository();
        const id = sessionOf(await store.accept(happens(), delivery()));
        await store.append(id, [], { projection: { state: 'ignored' } });
        const later = await store.accept(happens({ intent: comment('?') }), delivery());
        expect(later).toEqual({ outcome: 'no_session' });
        const again = await store.accept(happens(), delivery());
        expect(again).toEqual({ outcome: 'accepted', session: id });
        expect(await store.session(id)).toMatchObject({ state: 'queued', lastSeq: 3 });
      });

      it('tells listeners, until they stop listening', async () => {
        const heard: string[] = [];
        const stop = store.onWake((session) => heard.push(session));
        const id = await newSession(store);
        await until('heard', () => heard.includes(id));
        stop();
        const other = await newSession(store);
        await wakes.times('advance', other, 1);
        expect(heard).not.toContain(other);
      });
    });

    describe('the journal', () => {
      it('numbers the entries of parallel appends without gaps, each append together', async () => {
        const id = await newSession(store);
        const texts = Array.from({ length: 12 }, (_, index) => `append ${index}`);
        await Promise.all(
          texts.map((text) => store.append(id, [inputTaken(text), inputTaken(text)])),
        );
        const read = await store.journal(id, 2);
        expect(read.map(({ seq }) => seq)).toEqual(read.map((_, index) => index + 3));
        for (let index = 0; index < read.length; index += 2)
          expect(read[index]).toMatchObject({ text: (read[index + 1] as { text: string }).text });
        expect((await store.session(id))?.lastSeq).toBe(26);
      });

      it('wakes publish after an append', async () => {
        const id = await newSession(store);
        await wakes.times('publish', id, 1);
        const before = wakes.count('publish', id);
        await store.append(id, [inputTaken('news')]);
        await wakes.times('publish', id, before + 1);
        expect(wakes.count('publish', id)).toBe(before + 1);
      });

      it('wakes publish seldom for many appends, and never forgets the last', async () => {
        const id = await newSession(store);
        await wakes.times('publish', id, 1);
        const before = wakes.count('publish', id);
        const started = performance.now();
        for (let times = 0; times < 50; times += 1) await store.append(id, [inputTaken('news')]);
        await until('the last was seen', () => wakes.seen(id) === 52);
        const halfSeconds = Math.ceil((performance.now() - started) / 500);
        expect(wakes.count('publish', id) - before).toBeLessThanOrEqual(halfSeconds + 1);
      });

      it('writes all of an append or nothing', async () => {
        const id = await newSession(store);
        const twice: StoredChange = { path: 'a', mode: '100644', content: null };
        const append = store.append(id, [inputTaken('x')], {
          changes: [twice, twice],
          projection: { state: 'working' },
        });
        await expect(append).rejects.toThrow(/duplicate key/);
        expect(await store.session(id)).toMatchObject({ lastSeq: 2, state: 'queued' });
        expect(await store.journal(id, 2)).toEqual([]);
        expect(await store.changes(id, 0)).toEqual([]);
      });

      it('knows no session that does not exist', async () => {
        await expect(store.append('nowhere', [inputTaken('x')])).rejects.toThrow(NoSuchSession);
        await expect(store.claim('nowhere')).rejects.toThrow(NoSuchSession);
        expect(await store.session('nowhere')).toBeUndefined();
        expect(await store.journal('nowhere')).toEqual([]);
      });

      it('lists the newest sessions first', async () => {
        const older = await newSession(store);
        const newer = await newSession(store);
        const listed = await store.sessions({ limit: 2 });
        expect(listed.map(({ id }) => id)).toEqual([newer, older]);
      });
    });

    sessionStoreContract(() => ({ store, newSession: () => newSession(store) }));
    spendingContract(() => store);
    claimsContract(() => ({ store, wakes }));
    changesContract(() => store);
    imagesContract(() => store);

    describe('publishing', () => {
      it('remembers what is published on GitHub', async () => {
        const id = await newSession(store);
        const status = { key: 'status', remoteId: 5_000_000_001, url: 'https://x/1', digest: 'a' };
        await store.savePublication(id, status, undefined);
        await store.savePublication(id, { ...status, key: 'answer', digest: 'c' }, undefined);
        const [, before] = await store.publications(id);
        await store.savePublication(id, { ...status, digest: 'b' }, before);
        const more = { updatedAt: expect.any(Date), version: expect.any(String) };
        expect(await store.publications(id)).toEqual([
          { ...status, key: 'answer', digest: 'c', ...more },
          { ...status, digest: 'b', ...more },
        ]);
      });

      it('forgets what two processes published at the same time, so that it is looked up', async () => {
        const id = await newSession(store);
        const status = { key: 'status', remoteId: 1, url: 'https://x/1', digest: 'a' };
        const other = { ...status, remoteId: 2 };
        expect(await store.savePublication(id, status, undefined)).toBe('saved');
        expect(await store.savePublication(id, other, undefined)).toBe('contested');
        expect(await store.publications(id)).toEqual([]);
        expect(await store.savePublication(id, status, undefined)).toBe('saved');
        const [before] = await store.publications(id);
        const saves = [status, other, status].map((one) => store.savePublication(id, one, before));
        const outcomes = await Promise.all(saves);
        expect(outcomes.filter((one) => one === 'saved')).toHaveLength(1);
        expect(await store.publications(id)).toEqual([]);
        expect(await store.savePublication(id, other, before)).toBe('contested');
      });

      it('never goes back, and wakes publish again for what came meanwhile', async () => {
        const id = await newSession(store);
        await wakes.times('publish', id, 1);
        await store.markPublished(id, 1, null);
        await wakes.times('publish', id, 2);
        await store.markPublished(id, 2, null);
        await store.markPublished(id, 1, fromNow(MINUTE));
        expect((await store.session(id))?.publishedSeq).toBe(2);
      });

      it('is woken when it asked to be, and when its wake-up was lost', async () => {
        const id = await newSession(store);
        await wakes.times('publish', id, 1);
        const at = fromNow(MINUTE);
        await store.markPublished(id, 1, at);
        await store.due(at);
        await wakes.times('publish', id, 2);
        expect((await store.session(id))?.publishAt).not.toEqual(at);
        await until('woken without a job', async () => {
          await store.due(fromNow(MINUTE));
          return wakes.count('publish', id) >= 3;
        });
        await store.markPublished(id, 1, fromNow(60 * MINUTE));
        await until('woken long before it wanted', async () => {
          await store.due(fromNow(MINUTE));
          return wakes.count('publish', id) >= 4;
        });
      });
    });

    it('wakes a queued session whose wake-up was lost, and no session that is at rest', async () => {
      const [lost, resting] = [await newSession(store), await newSession(store)];
      await wakes.times('advance', lost, 1);
      await wakes.times('advance', resting, 1);
      await store.settle(resting, await store.claim(resting), 2, { state: 'done' });
      await until('woken without a job', async () => {
        await store.due(fromNow(2 * MINUTE));
        return wakes.count('advance', lost) >= 2;
      });
      expect(wakes.count('advance', resting)).toBe(1);
    });

    it('is ready', () => expect(store.ready()).resolves.toBeUndefined());
  });
}
