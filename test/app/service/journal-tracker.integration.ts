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

  it('keeps of the steps of a long run those of its conversation, and only with a claim', async () => {
    const id = await newSession(store);
    await store.append(id, [started]);
    const turns = Array.from({ length: 100 }, () => [reply(0.1), notice]).flat();
    await store.append(id, turns);
    const claimed = await JournalTracker.open(store, id, await store.claim(id));
    const all = await store.journal(id);
    expect(claimed.entries).toEqual(all);
    const viewed = await JournalTracker.open(store, id);
    // Three that are no steps, and the last reply.
    expect(viewed.entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 202]);
    expect(viewed.session).toEqual(fold(all));
  });

  it('keeps what it has when its claim is lost', async () => {
    const { id, tracker, types } = await follow();
    await store.claim(id);
    await expect(tracker.append(started)).rejects.toThrow(ClaimLost);
    expect(types()).toEqual(['opened', 'received']);
  });
});
