import type { Entry, NewEntry } from '../session/entry.ts';
import { apply, fold } from '../session/fold.ts';
import type { Session } from '../session/session.ts';
import { stateOf } from '../session/state.ts';
import type { Projection, Store, StoredChange } from '../store/store.ts';

export interface AppendParts {
  readonly changes?: readonly StoredChange[];
}

/** One session's journal, followed: what others append is seen at `refresh`, in the same order. */
export class JournalTracker {
  readonly id: string;
  readonly #store: Store;
  readonly #claim: string | undefined;
  #entries: Entry[];
  #session: Session;

  private constructor(store: Store, id: string, claim: string | undefined, entries: Entry[]) {
    this.id = id;
    this.#store = store;
    this.#claim = claim;
    this.#entries = entries;
    this.#session = fold(entries);
  }

  /** With a `claim`, every append is fenced by it. */
  static async open(store: Store, id: string, claim?: string): Promise<JournalTracker> {
    return new JournalTracker(store, id, claim, await store.journal(id));
  }

  get session(): Session {
    return this.#session;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  async refresh(): Promise<Session> {
    const news = await this.#store.journal(this.id, this.#session.seq);
    for (const entry of news) this.#take(entry);
    return this.#session;
  }

  /** @throws {ClaimLost} when another run has taken the session over */
  async append(entry: NewEntry, parts: AppendParts = {}): Promise<Entry> {
    // Who holds no claim may be behind the run: the row is the run's to write.
    const claimed =
      this.#claim === undefined
        ? {}
        : { claim: this.#claim, projection: this.#projectionAfter(entry) };
    const [stored] = await this.#store.append(this.id, [entry], { ...claimed, ...parts });
    if (stored === undefined) throw new Error('an append answered with no entry');
    if (stored.seq === this.#session.seq + 1) this.#take(stored);
    else await this.refresh();
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
  pullRequest: session.pullRequest?.number ?? null,
});
