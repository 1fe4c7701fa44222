// The journal of sessions that live as long as their process: a run by hand needs no database.
import { randomUUID } from 'node:crypto';
import { sharedTime } from '../lib/clock.ts';
import type { StoredChange } from '../contracts/files.ts';
import type { SessionOpening } from '../contracts/intent.ts';
import type { Entry, NewEntry } from '../session/entry.ts';
import { dollarsOf } from '../session/kept-entries.ts';
import type { SharedSpending } from '../agent/limits.ts';
import type { SpendingQuery, SpentByScope } from './spending.ts';
import {
  AppendFenced,
  ClaimLost,
  newSessionId,
  NoSuchSession,
  type AppendOptions,
  type PublishedObject,
  type SessionStore,
  type StandingPublication,
} from './store.ts';

interface StoredSession {
  readonly repositoryId: number;
  readonly entries: Entry[];
  changes: { readonly seq: number; readonly change: StoredChange }[];
  readonly images: Map<string, Uint8Array>;
  readonly publications: Map<string, StandingPublication>;
  claim: string | undefined;
  fence: number;
}

/** See `Store` for what the operations promise. Nothing of it survives the process. */
export class ProcessJournal implements SessionStore {
  readonly #sessions = new Map<string, StoredSession>();
  readonly #heard: (session: string, entries: readonly Entry[]) => void;

  /** `heard` is called with each append, once it is done. It must not throw. */
  constructor(heard: (session: string, entries: readonly Entry[]) => void = () => {}) {
    this.#heard = heard;
  }

  /** Begins a session with this entry, and answers its id: a new one, unless it is given. */
  open(opened: SessionOpening, id = newSessionId()): string {
    const kept: StoredSession = {
      repositoryId: opened.repository.id,
      entries: [],
      changes: [],
      images: new Map(),
      publications: new Map(),
      claim: undefined,
      fence: 0,
    };
    this.#sessions.set(id, kept);
    add(kept, [{ type: 'opened', ...opened }]);
    return id;
  }

  async claim(id: string): Promise<string> {
    const claim = randomUUID();
    this.#find(id).claim = claim;
    return Promise.resolve(claim);
  }

  // Without a pause in between, so that no other append comes in the middle.
  async append(
    id: string,
    entries: readonly NewEntry[],
    { claim, fence, changes = [], images = [] }: AppendOptions = {},
  ): Promise<Entry[]> {
    const kept = this.#find(id);
    if (claim !== undefined && claim !== kept.claim) throw new ClaimLost(id);
    if (fence !== undefined && fence <= kept.fence) throw new AppendFenced();
    if (changes.length > 0 && entries.length === 0)
      throw new Error('Changes are stored with an entry; none was given.');
    const paths = new Set(changes.map(({ path }) => path));
    if (paths.size < changes.length)
      throw new Error('The changes have a path twice: a duplicate key.');
    const stored = add(kept, entries);
    kept.fence = fence ?? kept.fence;
    const seq = kept.entries.length;
    kept.changes = [
      ...kept.changes.filter(({ change }) => !paths.has(change.path)),
      ...changes.map((change) => ({ seq, change })),
    ];
    for (const { id: image, content } of images)
      if (!kept.images.has(image)) kept.images.set(image, content);
    this.#heard(id, stored);
    return Promise.resolve(stored);
  }

  async journal(id: string, afterSeq = 0, upTo = Infinity): Promise<Entry[]> {
    const entries = this.#sessions.get(id)?.entries ?? [];
    return Promise.resolve(entries.filter(({ seq }) => seq > afterSeq && seq <= upTo));
  }

  async changes(id: string, afterSeq: number): Promise<StoredChange[]> {
    const all = this.#sessions.get(id)?.changes ?? [];
    const newest = new Map(
      all.filter(({ seq }) => seq > afterSeq).map(({ change }) => [change.path, change]),
    );
    const byBytes = (one: StoredChange, other: StoredChange): number =>
      Buffer.compare(Buffer.from(one.path), Buffer.from(other.path));
    return Promise.resolve([...newest.values()].toSorted(byBytes));
  }

  async images(id: string, images: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const wanted = new Set(images);
    const all = this.#sessions.get(id)?.images ?? [];
    return Promise.resolve(new Map([...all].filter(([image]) => wanted.has(image))));
  }

  /** All of it is of the one person who watches, and no review. */
  async spent({ repository, day, month }: SpendingQuery): Promise<SpentByScope> {
    const all = [...this.#sessions.values()];
    const ofRepository = all.filter(({ repositoryId }) => repositoryId === repository);
    const today = sumOf(all, day);
    const reviewsDay = { dollars: 0 };
    const repositoryDay = sumOf(ofRepository, day);
    const spent = { reviewsDay, repositoryDay, personDay: today, serviceDay: today };
    return Promise.resolve({ ...spent, serviceMonth: sumOf(all, month) });
  }

  /** Sessions by hand know nothing of each other. */
  sessionFor(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async publications(id: string): Promise<StandingPublication[]> {
    const kept = this.#sessions.get(id)?.publications ?? [];
    return Promise.resolve([...kept].map(([, publication]) => publication));
  }

  async savePublication(
    id: string,
    publication: PublishedObject,
    before: StandingPublication | undefined,
  ): Promise<'saved' | 'contested'> {
    const { publications } = this.#find(id);
    const { key } = publication;
    const isContested = publications.get(key)?.version !== before?.version;
    publications.delete(key);
    if (!isContested)
      publications.set(key, { ...publication, updatedAt: sharedTime(), version: randomUUID() });
    return Promise.resolve(isContested ? 'contested' : 'saved');
  }

  #find(id: string): StoredSession {
    const kept = this.#sessions.get(id);
    if (kept === undefined) throw new NoSuchSession(id);
    return kept;
  }
}

function sumOf(sessions: readonly StoredSession[], since: Date): SharedSpending {
  const paid = sessions
    .flatMap(({ entries }) => entries)
    .filter((entry) => Date.parse(entry.at) >= since.getTime() && dollarsOf(entry) !== null);
  const dollars = paid.reduce((sum, entry) => sum + (dollarsOf(entry) ?? 0), 0);
  const lastAt = paid
    .map(({ at }) => at)
    .toSorted()
    .at(-1);
  return lastAt === undefined ? { dollars } : { dollars, lastAt };
}

/** As a database gives them back: plain JSON. */
function add({ entries }: StoredSession, added: readonly NewEntry[]): Entry[] {
  const stored = added.map((entry, index): Entry => {
    const plain = JSON.parse(JSON.stringify(entry)) as NewEntry;
    return { ...plain, seq: entries.length + index + 1, at: sharedTime().toISOString() };
  });
  entries.push(...stored);
  return stored;
}
