import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { JournalTracker } from '../../../src/app/service/journal-tracker.ts';
import type { NewEntry } from '../../../src/session/entry.ts';
import type { OpenStore } from '../../../src/store/open.ts';
import { ClaimLost } from '../../../src/store/store.ts';
import { newSession } from '../../contract/store-world.ts';
import { openTestStore } from '../../support/test-database.ts';

const started: NewEntry = { type: 'run_started', run: 1 };
const published = (id: number): NewEntry => ({ type: 'published', key: `k${id}`, id, url: '' });
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
    let reads = 0;
    const counting = {
      ...store,
      journal: (...given: Parameters<OpenStore['journal']>) => {
        reads += 1;
        return store.journal(...given);
      },
    };
    const tracker = await JournalTracker.open(counting, id, claim);
    const types = () => tracker.entries.map(({ type }) => type);
    return { id, tracker, types, reads: () => reads };
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

  it('keeps what it has when its claim is lost', async () => {
    const { id, tracker, types } = await follow();
    await store.claim(id);
    await expect(tracker.append(started)).rejects.toThrow(ClaimLost);
    expect(types()).toEqual(['opened', 'received']);
  });
});
