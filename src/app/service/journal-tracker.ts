import { sharedTime } from '../../lib/clock.ts';
import { measured } from '../../lib/measurements.ts';
import type { Tally } from '../../session/parts/session-counts.ts';
import type { Entry, NewEntry } from '../../session/entry.ts';
import { apply, fold } from '../../session/fold/fold.ts';
import { keep, needed, NOTHING_KEPT, type KeptEntries } from '../../session/kept-entries.ts';
import type { Session } from '../../session/session.ts';
import { stateOf } from '../../session/state.ts';
import { headline } from '../../session/texts/headline.ts';
import {
  NoSuchSession,
  type Projection,
  type SessionStore,
  type Store,
} from '../../store/store.ts';
import type { StoredChange } from '../../contracts/files.ts';
import type { StoredImage } from '../../contracts/image.ts';

export interface AppendParts {
  readonly changes?: readonly StoredChange[];
  readonly images?: readonly StoredImage[];
}

/** Entries that are no longer needed are dropped each time so many were added. */
const TIDIED_EVERY = 64;

/**
 * One session's journal, followed: what others append is seen at `refresh`, and at an append of one's
 * own, in the same order. It is read whole once; of its entries, those that are needed stay in memory.
 */
export class JournalTracker {
  readonly id: string;
  readonly #store: SessionStore;
  readonly #claim: string | undefined;
  #entries: Entry[];
  #session: Session;
  #kept: KeptEntries;
  #untidied = 0;
  /** When the journal held nothing after `#session`, in milliseconds of `performance.now()`. */
  #seenAt = Number.NEGATIVE_INFINITY;

  private constructor(store: SessionStore, id: string, claim: string | undefined, first: Entry) {
    this.id = id;
    this.#store = store;
    this.#claim = claim;
    this.#entries = [first];
    this.#session = fold([first]);
    this.#kept = keep(NOTHING_KEPT, first);
  }

  /**
   * With a `claim`, every append is fenced by it, and the steps of the conversation are kept.
   * @throws {NoSuchSession} if it was deleted
   */
  static async open(store: SessionStore, id: string, claim?: string): Promise<JournalTracker> {
    const seenAt = performance.now();
    const [first, ...rest] = await store.journal(id);
    if (first === undefined) throw new NoSuchSession(id);
    const tracker = new JournalTracker(store, id, claim, first);
    tracker.#takeAll(rest, seenAt);
    return tracker;
  }

  get session(): Session {
    return this.#session;
  }

  get kept(): KeptEntries {
    return this.#kept;
  }

  /** The installation through which the session's repository is reached. */
  readonly installation = {
    known: (): number => this.session.thread.installation,
    lookUp: async (): Promise<number> => (await this.refresh()).thread.installation,
  };

  /**
   * What is needed of the journal, in order: all but the steps of the agent, of which there are those that views show and,
   * with a claim, those of the conversation. `entryAt` finds one by its number.
   */
  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Reads what is new, unless the last read or append, which sees it too, is no older than `maxAgeMs`. */
  async refresh({ maxAgeMs = 0 } = {}): Promise<Session> {
    const seenAt = performance.now();
    if (seenAt - this.#seenAt < maxAgeMs) return this.session;
    this.#takeAll(await this.#store.journal(this.id, this.session.seq), seenAt);
    return this.session;
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
    const stored = await this.#store.append(this.id, added, {
      ...claimed,
      ...parts,
      spender: spenderOf(this.session),
    });
    if (stored[0]?.seq !== this.session.seq + 1) await this.refresh();
    else this.#takeAll(stored, seenAt);
    for (const entry of stored) tellProgress(this.session.tally, entry);
    return stored;
  }

  /** The row's columns as the journal will say them, computed before the entries have their places. */
  #projectionAfter(added: readonly NewEntry[]): Projection {
    let { session } = this;
    for (const entry of added)
      session = apply(session, { ...entry, seq: session.seq + 1, at: sharedTime().toISOString() });
    return projectionOf(session);
  }

  #takeAll(entries: readonly Entry[], seenAt: number): void {
    for (const entry of entries) {
      this.#entries.push(entry);
      this.#session = apply(this.#session, entry);
      this.#kept = keep(this.#kept, entry);
    }
    this.#seenAt = seenAt;
    this.#untidied += entries.length;
    if (this.#untidied >= TIDIED_EVERY) this.tidy();
  }

  /** Drops entries that are no longer needed. Otherwise this happens only every `TIDIED_EVERY` entries. */
  tidy(): void {
    const by = this.#claim === undefined ? 'views' : 'run';
    this.#entries = needed(this.#entries, this.#kept, by);
    this.#untidied = 0;
  }
}

/** What people wait for, told by the one who appended the entry with which it happened: others read it too. */
function tellProgress({ begunAt, signAt, proposedAt }: Tally, { at }: Entry): void {
  const seconds = Math.max(0, Date.parse(at) - Date.parse(begunAt)) / 1000;
  if (at === signAt) measured('first_sign', { seconds });
  if (at === proposedAt) measured('pull_request', { seconds });
}

/** Who requested the work, and the model of the run: what is appended may cost something. */
const spenderOf = ({ requests, run }: Session) => ({
  person: requests.requester,
  model: run?.model ?? '',
  isReview: run?.reviews !== undefined,
});

/** The columns of the session's row: everything in them can be computed again. */
export const projectionOf = (session: Session): Projection => ({
  state: stateOf(session),
  outcome: headline(session).words,
  pullRequest: session.thread.pullRequest?.number ?? null,
  model: session.tally.model,
  cost: session.spending.cost,
});

/** Of all kept journals: some tens of megabytes. */
const MOST_ENTRIES = 20_000;

/**
 * Journals of working sessions, as they were read last: they are read many times while a run appends to them. So the
 * next reader reads only what is new, however long the journal is. Sessions at rest are not kept.
 */
export class KeptJournals {
  readonly #store: Store;
  readonly #most: number;
  /** Least recently used first. */
  readonly #kept = new Map<string, JournalTracker>();

  constructor(store: Store, mostEntries = MOST_ENTRIES) {
    this.#store = store;
    this.#most = mostEntries;
  }

  /**
   * Calls `work` with the session's journal as it is now. Nobody else has this tracker meanwhile: whoever comes
   * reads the whole journal.
   */
  async read<T>(id: string, work: (tracker: JournalTracker) => Promise<T>): Promise<T> {
    const kept = this.#kept.get(id);
    this.#kept.delete(id);
    await kept?.refresh();
    const tracker = kept ?? (await JournalTracker.open(this.#store, id));
    const result = await work(tracker);
    this.#keep(tracker);
    return result;
  }

  #keep(tracker: JournalTracker): void {
    if (stateOf(tracker.session) !== 'working') return;
    tracker.tidy();
    this.#kept.set(tracker.id, tracker);
    let entries = 0;
    for (const [id, { entries: own }] of [...this.#kept].toReversed()) {
      entries += own.length;
      if (entries > this.#most) this.#kept.delete(id);
    }
  }
}

/** A session as its journal says by now. */
export type TrackedSession = Pick<JournalTracker, 'session'>;

/** The session with the entries that stay in memory. */
export type TrackedJournal = Pick<JournalTracker, 'session' | 'entries'>;

/** Writes to the journal of a session. */
export type JournalWriter = Pick<JournalTracker, 'append'>;
