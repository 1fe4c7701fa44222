import type { Entry, NewEntry } from '../../session/entry.ts';
import { apply, fold } from '../../session/fold/fold.ts';
import type { Session } from '../../session/session.ts';
import { stateOf } from '../../session/state.ts';
import { NoSuchSession, type Projection, type Store } from '../../store/store.ts';
import type { StoredChange } from '../../contracts/files.ts';
import type { StoredImage } from '../../contracts/image.ts';

export interface AppendParts {
  readonly changes?: readonly StoredChange[];
  readonly images?: readonly StoredImage[];
}

/**
 * One session's journal, followed: what others append is seen at `refresh`, and at an append of one's
 * own, in the same order.
 */
export class JournalTracker {
  readonly id: string;
  readonly #store: Store;
  readonly #claim: string | undefined;
  #entries: Entry[];
  #session: Session;
  /** When the journal held nothing but `#entries`, in milliseconds of `performance.now()`. */
  #seenAt: number;

  private constructor(
    store: Store,
    id: string,
    claim: string | undefined,
    entries: Entry[],
    seenAt: number,
  ) {
    this.id = id;
    this.#store = store;
    this.#claim = claim;
    this.#entries = entries;
    this.#session = fold(entries);
    this.#seenAt = seenAt;
  }

  /**
   * With a `claim`, every append is fenced by it.
   * @throws {NoSuchSession} if it was deleted
   */
  static async open(store: Store, id: string, claim?: string): Promise<JournalTracker> {
    const seenAt = performance.now();
    const entries = await store.journal(id);
    if (entries.length === 0) throw new NoSuchSession(id);
    return new JournalTracker(store, id, claim, entries, seenAt);
  }

  get session(): Session {
    return this.#session;
  }

  /** The installation through which the session's repository is reached. */
  readonly installation = {
    known: (): number => this.#session.thread.installation,
    lookUp: async (): Promise<number> => (await this.refresh()).thread.installation,
  };

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  /** Reads what is new, unless the last read or append, which sees it too, is no older than `maxAgeMs`. */
  async refresh({ maxAgeMs = 0 } = {}): Promise<Session> {
    const seenAt = performance.now();
    if (seenAt - this.#seenAt < maxAgeMs) return this.#session;
    const news = await this.#store.journal(this.id, this.#session.seq);
    for (const entry of news) this.#take(entry);
    this.#seenAt = seenAt;
    return this.#session;
  }

  /** @throws {ClaimLost} when another run has taken the session over */
  async append(entry: NewEntry, parts: AppendParts = {}): Promise<Entry> {
    // A process without the claim may be behind the run, so it must not write the row.
    const claimed =
      this.#claim === undefined
        ? {}
        : {
            claim: this.#claim,
            projection: this.#projectionAfter(entry),
            seen: this.#session.seq,
          };
    const seenAt = performance.now();
    const [stored] = await this.#store.append(this.id, [entry], { ...claimed, ...parts });
    if (stored === undefined) throw new Error('an append answered with no entry');
    if (stored.seq !== this.#session.seq + 1) await this.refresh();
    else {
      this.#take(stored);
      this.#seenAt = seenAt;
    }
    return stored;
  }

  /** The row's columns as the journal will say them, computed before the entry has its place. */
  #projectionAfter(entry: NewEntry): Projection {
    const { seq } = this.#session;
    return projectionOf(
      apply(this.#session, { ...entry, seq: seq + 1, at: new Date().toISOString() }),
    );
  }

  #take(entry: Entry): void {
    this.#entries.push(entry);
    this.#session = apply(this.#session, entry);
  }
}

/** The columns of the session's row: everything in them can be computed again. */
export const projectionOf = (session: Session): Projection => ({
  state: stateOf(session),
  pullRequest: session.thread.pullRequest?.number ?? null,
});
