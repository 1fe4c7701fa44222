import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JournalTracker } from '../../../src/app/service/journal-tracker.ts';
import type { NewEntry } from '../../../src/session/entry.ts';
import type { OpenStore } from '../../../src/store/open.ts';
import { ClaimLost } from '../../../src/store/store.ts';
import { fold } from '../../../src/session/fold/fold.ts';
import { newSession, reply } from '../../contract/store-world.ts';
import { openTestStore } from '../../support/test-database.ts';
import { countedReads } from './counted-reads.ts';

const started: NewEntry = { type: 'run_started', run: 1 };
const published = (id: number): NewEntry => ({ type: 'published', key: `k${id}`, id, url: '' });
const notice: NewEntry = { type: 'notice', topic: 'x', text: 'y' };
const LONG_MS = 60_000;

describe('a journal that is followed', () => {
  let store: OpenStore;
  beforeAll(async () => {
    store = await openTestStore();
  });
  afterAll(async () => {
    await store.close();
  });

  /** A tracker with the claim of a new session, and how often it has read the journal. */
  async function follow() {
    const id = await newSession(store);
    const claim = await store.claim(id);
    const { store: reading, counted } = countedReads(store);
    const tracker = await JournalTracker.open(reading, id, claim);
    const types = () => tracker.entries.map(({ type }) => type);
    return { id, tracker, types, reads: () => counted.reads };
  }

  it('has, after an append, all that others added before it, in order', async () => {
    const { id, tracker, types } = await follow();
    await store.append(id, [published(1), published(2)]);
    await tracker.append(started);
    expect(types()).toEqual(['opened', 'received', 'published', 'published', 'run_started']);
    expect(tracker.entries).toEqual(await store.journal(id));
    expect(tracker.session).toMatchObject({ seq: 5, run: { number: 1 } });
  });

  it('is not read again soon after an append, which shows whether anything is new', async () => {
    const { id, tracker, types, reads } = await follow();
    await tracker.append(started);
    await store.append(id, [published(1)]);
    await tracker.refresh({ maxAgeMs: LONG_MS });
    expect(reads()).toBe(1);
    expect(types()).not.toContain('published');
    await tracker.refresh();
    expect(reads()).toBe(2);
    expect(types()).toContain('published');
    await tracker.refresh({ maxAgeMs: LONG_MS });
    expect(reads()).toBe(2);
  });

  it('is read again when the last append was longer ago than it may be', async () => {
    const { id, tracker, types } = await follow();
    await tracker.append(started);
    const appended = performance.now();
    await store.append(id, [published(1)]);
    const maxAgeMs = performance.now() - appended;
    await tracker.refresh({ maxAgeMs });
    expect(types()).toContain('published');
  });

  /** Turns of a reply and a notice, after a run has started. */
  async function long(turns: number): Promise<string> {
    const id = await newSession(store);
    await store.append(id, [started]);
    const news: NewEntry[] = Array.from({ length: turns }, () => [reply(0.1), notice]).flat();
    await store.append(id, news);
    return id;
  }

  /** A tracker, and how many entries were read for it. */
  async function reading(id: string, claim?: string) {
    const { store: reading, counted } = countedReads(store);
    const tracker = await JournalTracker.open(reading, id, claim);
    return { tracker, read: () => counted.entries };
  }

  it('is read from its last snapshot on, which whoever reads it stores', async () => {
    const id = await long(200);
    const whole = await reading(id);
    expect(whole.read()).toBe(403);
    await store.append(id, [published(1)]);
    const { tracker, read } = await reading(id);
    // Three that are no steps, the last reply, and what is new.
    expect(read()).toBe(5);
    expect(tracker.session).toEqual(fold(await store.journal(id)));
  });

  it('has the steps of its conversation once they are read', async () => {
    const id = await long(200);
    await reading(id);
    const { tracker, read } = await reading(id, await store.claim(id));
    const before = read();
    await tracker.readSteps();
    await tracker.readSteps();
    expect(read() - before).toBe(403);
    expect(tracker.entries).toEqual(await store.journal(id));
  });

  it('is read whole if another version of the code stored the snapshot, and that is replaced', async () => {
    const id = await long(60);
    const body = JSON.stringify({ session: {}, kept: {} });
    await store.saveSnapshot(id, 'another', { seq: 122, body });
    const whole = await reading(id);
    expect(whole.read()).toBe(123);
    expect(whole.tracker.session).toEqual(fold(await store.journal(id)));
    expect((await store.latest(id, 'another')).snapshot).toBeUndefined();
    expect((await reading(id)).read()).toBeLessThan(10);
  });

  it('has a snapshot that no older one replaces', async () => {
    const id = await newSession(store);
    await store.saveSnapshot(id, 'a', { seq: 9, body: 'newer' });
    await store.saveSnapshot(id, 'a', { seq: 8, body: 'older' });
    expect((await store.latest(id, 'a')).snapshot).toEqual({ seq: 9, body: 'newer' });
  });

  it('keeps what it has when its claim is lost', async () => {
    const { id, tracker, types } = await follow();
    await store.claim(id);
    await expect(tracker.append(started)).rejects.toThrow(ClaimLost);
    expect(types()).toEqual(['opened', 'received']);
  });
});
