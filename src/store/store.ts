import type { Delivery } from '../contracts/delivery.ts';
import type { ServicePause } from '../contracts/service-pause.ts';
import type { StoredChange } from '../contracts/files.ts';
import type { WriteBudget } from '../lib/write-budget.ts';
import type { Entry, NewEntry } from '../session/entries/entry.ts';
import type { Arrival, RepositoryRef } from '../session/entries/intent.ts';

/** The projection of one session: everything here can be computed again from its journal. */
export interface SessionRow {
  readonly id: string;
  readonly installation: number;
  readonly repository: RepositoryRef;
  readonly issue: number;
  readonly pullRequest: number | null;
  readonly state: string;
  /** The highest `seq` of the journal; 0 before the first entry. */
  readonly lastSeq: number;
  /** The `seq` up to which everything is published. */
  readonly publishedSeq: number;
  /** Who may write the journal now: the token of the run that claimed the session. */
  readonly claim: string | null;
  readonly wakeAt: Date | null;
  readonly publishAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What an append or a settle writes to the row besides the entries. A missing field stays as it is. */
export interface Projection {
  readonly state?: string;
  readonly pullRequest?: number | null;
  readonly wakeAt?: Date | null;
}

/** Something that stands on GitHub, and a digest of what it says. */
export interface Publication {
  readonly key: string;
  readonly remoteId: number;
  readonly url: string;
  readonly digest: string;
}

export interface StandingPublication extends Publication {
  /** When it was last published. */
  readonly updatedAt: Date;
}

export type Accepted =
  | { readonly outcome: 'accepted'; readonly session: string }
  | { readonly outcome: 'duplicate' }
  | { readonly outcome: 'no_session' }
  /** It was to open a session, and there is one. */
  | { readonly outcome: 'exists' };

export interface AppendOptions {
  /** Given: only the holder of this claim may write; anybody else gets `ClaimLost`. */
  readonly claim?: string;
  readonly projection?: Projection;
  /**
   * The `seq` up to which the writer knows the journal. Where there is more, the session keeps the state
   * that it has: who wrote that knew better.
   */
  readonly seen?: number;
  /** Stored under the `seq` of the last entry. */
  readonly changes?: readonly StoredChange[];
}

/** How many sessions a sweep woke, for each queue. */
export interface Due {
  readonly advance: number;
  readonly publish: number;
}

/** Sessions and their journals. Unless said otherwise, a promise that resolves means: durable. */
export interface Store {
  /**
   * The accepting transaction: delivery seen? · journal the intent · wake both queues.
   * Only a `start` opens a session. `no_session` leaves no row at all, not even the delivery.
   */
  accept(arrival: Arrival, delivery: Delivery): Promise<Accepted>;
  session(id: string): Promise<SessionRow | undefined>;
  /** The newest first. */
  sessions(options: { readonly limit: number }): Promise<SessionRow[]>;
  /** Entries after `afterSeq`, oldest first, lifted to the newest version. */
  journal(id: string, afterSeq?: number): Promise<Entry[]>;
  /**
   * Adds entries, all or none. Throws `ClaimLost`, `NoSuchSession`. `publish` is woken after the
   * commit, at once or, where it was woken just before, half a second later; in any case when the run
   * settles or releases its claim. If the process dies in between, `due` wakes it, 5 s after the
   * session's last entry.
   */
  append(id: string, entries: readonly NewEntry[], options?: AppendOptions): Promise<Entry[]>;
  /** Takes the session for a run and fences every older claim. */
  claim(id: string): Promise<string>;
  /**
   * Ends a run. `more`: entries after `seen` exist, the claim is kept and the run goes on.
   * Otherwise the projection is written, the claim given up and `publish` woken where there is
   * anything that it has not seen. Throws `ClaimLost`.
   */
  settle(
    id: string,
    claim: string,
    seen: number,
    projection: Projection,
  ): Promise<'settled' | 'more'>;
  /**
   * Gives the claim up and wakes `advance` again: at once, or at `at`; and `publish` as `settle` does.
   * Lost claims are left alone.
   */
  release(id: string, claim: string, at?: Date): Promise<void>;
  /** The last state of each path that was stored after `afterSeq`, ordered by path. */
  changes(id: string, afterSeq: number): Promise<StoredChange[]>;
  /** US dollars of all entries of the repository's sessions since then; unknown costs count as none. */
  spentSince(repositoryId: number, since: Date): Promise<number>;
  /** Whether any session of the repository waits for an answer, or for approval of its plan. */
  isPersonAwaited(repositoryId: number): Promise<boolean>;
  /** Those of the issues that have a session, of whatever state. */
  issuesWithSession(repositoryId: number, issues: readonly number[]): Promise<ReadonlySet<number>>;
  publications(id: string): Promise<StandingPublication[]>;
  savePublication(id: string, publication: Publication): Promise<void>;
  /**
   * GitHub is in line up to `seq` (never goes backwards); `publishAt`: when to look again.
   * Without it, and with entries after `seq`, `publish` is woken once more.
   */
  markPublished(id: string, seq: number, publishAt: Date | null): Promise<void>;
  /**
   * Takes room for one request that makes or changes content on GitHub. Resolves with 0, or with the
   * milliseconds until there may be room: nothing was taken then.
   */
  takeWrite(installation: number): Promise<number>;
  writeBudget(installation: number): Promise<WriteBudget>;
  /** GitHub asked the installation to wait for that long: nobody gets room before. */
  pauseWrites(installation: number, ms: number): Promise<void>;
  /** Wakes what is due at `now` (a due `wakeAt` or `publishAt` is cleared), and what lost its wake-up. */
  due(now: Date): Promise<Due>;
  /**
   * Wakes what waits in the sessions of an installation. Answers those that GitHub refused something,
   * the newest 500.
   */
  wakeInstallation(installation: number): Promise<readonly string[]>;
  /**
   * Hears of a session each time `accept` adds to it, in whichever process. Returns how to stop.
   * After a lost connection it hears of every claimed session, as something may have been missed.
   */
  onWake(listener: (session: string) => void): () => void;
  /** `undefined`: the service is not paused. Another process pauses it, see `control.ts`. */
  servicePause(): Promise<ServicePause | undefined>;
  /** Resolves when the database answers. */
  ready(): Promise<void>;
  /** Ends the queue, the connections and the embedded server. */
  close(): Promise<void>;
}

/** The caller's claim on a session was taken over: it must stop and write nothing more. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';

  constructor(session: string) {
    super(`Session ${session} was taken over by another process; this one stops.`);
  }
}

export class NoSuchSession extends Error {
  override readonly name = 'NoSuchSession';

  constructor(session: string) {
    super(`There is no session ${session} in this database.`);
  }
}
