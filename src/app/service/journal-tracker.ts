import { measured } from '../../lib/measurements.ts';
import type { Tally } from '../../session/parts/session-tally.ts';
import type { Entry, NewEntry } from '../../session/entry.ts';
import { apply } from '../../session/fold/fold.ts';
import {
  beginSnapshot,
  readSnapshot,
  withEntry,
  writeSnapshot,
  type Snapshot,
  type StoredSnapshot,
} from '../../session/fold/snapshot.ts';
import { forRun, forViews, needed, type Kept } from '../../session/kept-entries.ts';
import type { Session } from '../../session/session.ts';
import { stateOf } from '../../session/state.ts';
import { NoSuchSession, type Projection } from '../../store/store.ts';
import type { SessionStore } from '../../store/session-store.ts';
import type { StoredChange } from '../../contracts/files.ts';
import type { StoredImage } from '../../contracts/image.ts';
import { foldVersion } from './fold-version.ts';

export interface AppendParts {
  readonly changes?: readonly StoredChange[];
  readonly images?: readonly StoredImage[];
}

/** So many entries are read at most, and folded, besides those that are needed. */
const SNAPSHOT_EVERY = 100;
/** Entries that are no longer needed are dropped each time so many were added. */
const TIDIED_EVERY = 64;

/** What a tracker begins with: a snapshot, and the entries that are needed as of it. */
interface Begun {
  readonly snapshot: Snapshot;
  readonly entries: readonly Entry[];
  readonly isStored: boolean;
}

/**
 * One session's journal, followed: what others append is seen at `refresh`, and at an append of one's
 * own, in the same order. It is read from the last stored snapshot on, and of the entries before that only those that
 * are needed.
 */
export class JournalTracker {
  readonly id: string;
  readonly #store: SessionStore;
  readonly #claim: string | undefined;
  #entries: Entry[];
  #snapshot: Snapshot;
  /** Up to which entry a snapshot is stored; 0 if there is none. */
  #storedSeq: number;
  /** Whether the steps of the conversation are among `#entries`. */
  #hasSteps: boolean;
  #untidied = 0;
  /** When the journal held nothing after `#snapshot`, in milliseconds of `performance.now()`. */
  #seenAt = Number.NEGATIVE_INFINITY;

  private constructor(
    store: SessionStore,
    id: string,
    claim: string | undefined,
    { snapshot, entries, isStored }: Begun,
  ) {
    this.id = id;
    this.#store = store;
    this.#claim = claim;
    this.#snapshot = snapshot;
    this.#entries = [...entries];
    this.#storedSeq = isStored ? snapshot.session.seq : 0;
    this.#hasSteps = !isStored && claim !== undefined;
  }

  /**
   * With a `claim`, every append is fenced by it, and the steps of the conversation are kept.
   * @throws {NoSuchSession} if it was deleted
   */
  static async open(store: SessionStore, id: string, claim?: string): Promise<JournalTracker> {
    const seenAt = performance.now();
    const { snapshot: stored, entries } = await store.latest(id, foldVersion());
    const begun = stored === undefined ? opened(id, entries[0]) : await restored(store, id, stored);
    const tracker = new JournalTracker(store, id, claim, begun);
    await tracker.#takeAll(stored === undefined ? entries.slice(1) : entries, seenAt);
    return tracker;
  }

  get session(): Session {
    return this.#snapshot.session;
  }

  get kept(): Kept {
    return this.#snapshot.kept;
  }

  /** The installation through which the session's repository is reached. */
  readonly installation = {
    known: (): number => this.session.thread.installation,
    lookUp: async (): Promise<number> => (await this.refresh()).thread.installation,
  };

  /**
   * What is needed of the journal, in order: all but the steps of the agent, of which there are those that views show and,
   * with a claim and after `readSteps`, those of the conversation. `entryAt` finds one by its number.
   */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Reads what is new, unless the last read or append, which sees it too, is no older than `maxAgeMs`. */
  async refresh({ maxAgeMs = 0 } = {}): Promise<Session> {
    const seenAt = performance.now();
    if (seenAt - this.#seenAt < maxAgeMs) return this.session;
    await this.#takeAll(await this.#store.journal(this.id, this.session.seq), seenAt);
    return this.session;
  }

  /** Reads the steps of the conversation, which a stored snapshot left out. A run needs them. */
  async readSteps(): Promise<void> {
    if (this.#hasSteps) return;
    const { kept, session } = this.#snapshot;
    const missing = await this.#store.journal(this.id, kept.since, {
      also: forRun(kept),
      upTo: session.seq,
    });
    const all = new Map([...this.#entries, ...missing].map((entry) => [entry.seq, entry]));
    this.#entries = [...all.values()].toSorted((one, other) => one.seq - other.seq);
    this.#hasSteps = true;
    this.tidy();
  }

  /** @throws {ClaimLost} when another run has taken the session over */
  async append(entry: NewEntry, parts: AppendParts = {}): Promise<Entry> {
    const [stored] = await this.appendAll([entry], parts);
    if (stored === undefined) throw new Error('an append answered with no entry');
    return stored;
  }

  /** All of them or none, in one commit. @throws {ClaimLost} */
  async appendAll(added: readonly NewEntry[], parts: AppendParts = {}): Promise<Entry[]> {
    // A process without the claim may be behind the run, so it must not write the row.
    const claimed =
      this.#claim === undefined
        ? {}
        : {
            claim: this.#claim,
            projection: this.#projectionAfter(added),
            seen: this.session.seq,
          };
    const seenAt = performance.now();
    const stored = await this.#store.append(this.id, added, { ...claimed, ...parts });
    if (stored[0]?.seq !== this.session.seq + 1) await this.refresh();
    else await this.#takeAll(stored, seenAt);
    for (const entry of stored) tellProgress(this.session.tally, entry);
    return stored;
  }

  /** The row's columns as the journal will say them, computed before the entries have their places. */
  #projectionAfter(added: readonly NewEntry[]): Projection {
    let { session } = this;
    for (const entry of added)
      session = apply(session, { ...entry, seq: session.seq + 1, at: new Date().toISOString() });
    return projectionOf(session);
  }

  async #takeAll(entries: readonly Entry[], seenAt: number): Promise<void> {
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#snapshot = withEntry(this.#snapshot, entry);
      this.#untidied += 1;
      if (this.#untidied >= TIDIED_EVERY) this.tidy();
    }
    this.#seenAt = seenAt;
    if (this.session.seq - this.#storedSeq >= SNAPSHOT_EVERY) await this.#save();
  }

  /** Drops entries that are no longer needed. Otherwise this happens only every `TIDIED_EVERY` entries. */
  tidy(): void {
    const by = this.#claim === undefined ? 'views' : 'run';
    this.#entries = needed(this.#entries, this.kept, by);
    this.#untidied = 0;
  }

  /** Whoever reads this journal next begins there. */
  async #save(): Promise<void> {
    await this.#store.saveSnapshot(this.id, foldVersion(), writeSnapshot(this.#snapshot));
    this.#storedSeq = this.session.seq;
  }
}

/** What people wait for, told by the one who appended the entry with which it happened: others read it too. */
function tellProgress({ begunAt, signAt, proposedAt }: Tally, { at }: Entry): void {
  const seconds = Math.max(0, Date.parse(at) - Date.parse(begunAt)) / 1000;
  if (at === signAt) measured('first_sign', { seconds });
  if (at === proposedAt) measured('pull_request', { seconds });
}

function opened(id: string, first: Entry | undefined): Begun {
  if (first === undefined) throw new NoSuchSession(id);
  return { snapshot: beginSnapshot(first), entries: [first], isStored: false };
}

async function restored(store: SessionStore, id: string, stored: StoredSnapshot): Promise<Begun> {
  const snapshot = readSnapshot(stored);
  const also = forViews(snapshot.kept);
  const { seq } = stored;
  const entries = also.length === 0 ? [] : await store.journal(id, seq, { also, upTo: seq });
  return { snapshot, entries, isStored: true };
}

/** The columns of the session's row: everything in them can be computed again. */
export const projectionOf = (session: Session): Projection => ({
  state: stateOf(session),
  pullRequest: session.thread.pullRequest?.number ?? null,
  model: session.tally.model,
  cost: session.spending.cost,
});
