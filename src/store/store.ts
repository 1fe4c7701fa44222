import { randomInt } from 'node:crypto';
import type { Delivery } from '../contracts/delivery.ts';
import type { MemoryStore } from '../contracts/memory.ts';
import type { SignInStore } from '../contracts/sign-in.ts';
import type { ServicePause } from '../contracts/service.ts';
import type { StoredChange } from '../contracts/files.ts';
import type { StoredImage } from '../contracts/image.ts';
import type { Cost } from '../session/parts/session-counts.ts';
import type { Worth } from '../session/worth.ts';
import type { Arrival, Person, RepositoryRef } from '../contracts/intent.ts';
import type { CostQuery, CostSum, SpendingQuery, SpentByScope } from './spending.ts';
import type { MissedStore } from './deliveries/missed.ts';
import type { GroupSum, WorthQuery } from './results.ts';
import type { RetentionStore } from './retention/retention.ts';
import type { Writes } from './writes/writes.ts';
import type { Entry, NewEntry } from '../session/entry.ts';

const ID_LENGTH = 12;
const ID_LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Short enough for a URL, and random enough not to be guessed. */
export const newSessionId = (): string =>
  Array.from({ length: ID_LENGTH }, () => ID_LETTERS[randomInt(ID_LETTERS.length)]).join('');

/** The projection of a session. All of it can be computed from the journal. */
export interface SessionRow {
  readonly id: string;
  readonly installation: number;
  readonly repository: RepositoryRef;
  readonly issue: number;
  /** Of the issue, as the newest request had it; may be empty. */
  readonly title: string;
  readonly pullRequest: number | null;
  readonly state: string;
  /** The state in the words of its headline; empty if nothing was journaled since these are kept. */
  readonly outcome: string;
  /** Of its last run that was prepared; empty before. */
  readonly model: string;
  readonly cost: Cost;
  /** The highest `seq` of the journal; 0 before the first entry. */
  readonly lastSeq: number;
  /** Everything up to this `seq` is published. */
  readonly publishedSeq: number;
  /** The token of the run that has claimed the session and may write its journal. */
  readonly claim: string | null;
  readonly wakeAt: Date | null;
  readonly publishAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The columns that an append or a settle writes. Missing fields stay unchanged. */
export interface Projection {
  readonly state?: string;
  readonly outcome?: string;
  readonly pullRequest?: number | null;
  readonly model?: string;
  readonly cost?: Cost;
  readonly wakeAt?: Date | null;
  /** Written by a settle only. */
  readonly worth?: Worth | undefined;
}

/** A comment or other object on GitHub, with a digest of its content. */
export interface PublishedObject {
  readonly key: string;
  readonly remoteId: number;
  readonly url: string;
  readonly digest: string;
}

export interface StandingPublication extends PublishedObject {
  /** When it was last published. */
  readonly updatedAt: Date;
  /** Another one after each save. */
  readonly version: string;
}

export type AcceptResult =
  | { readonly outcome: 'accepted'; readonly session: string }
  | { readonly outcome: 'duplicate' }
  | { readonly outcome: 'no_session' }
  /** The arrival may only open a new session, and there already is one. */
  | { readonly outcome: 'exists' };

export interface AppendOptions {
  /** If given, throws `ClaimLost` unless the session still has this claim. */
  readonly claim?: string;
  readonly projection?: Projection;
  /**
   * The `seq` up to which the writer has read the journal. If there are newer entries, `projection.state` and `outcome` are
   * ignored, because the writer of those entries knew more.
   */
  readonly seen?: number;
  /** If given, throws `AppendFenced` unless it is higher than that of all appends before: of several attempts, one writes. */
  readonly fence?: number;
  /** For whom, and by which model, the entries cost something; nobody and none by default. */
  readonly spender?: {
    readonly person: Person | undefined;
    readonly model: string;
    /** For the review of a pull request of someone else. */
    readonly isReview?: boolean;
  };
  /** Stored with the `seq` of the last entry. */
  readonly changes?: readonly StoredChange[];
  /** Stored for the session; those that it has already are not stored again. */
  readonly images?: readonly StoredImage[];
}

/** Number of sessions that a sweep woke, by queue. */
export interface WokenCounts {
  readonly advance: number;
  readonly publish: number;
}

/** Sessions and their journals. When a promise resolves, the write is durable. */
export interface Store extends Writes {
  readonly memories: MemoryStore;
  readonly signIns: SignInStore;
  readonly missed: MissedStore;
  readonly retention: RetentionStore;
  /**
   * Checks that the delivery is new and journals the intent, in one commit, which wakes `advance` too. `publish` is woken,
   * and listeners are called, soon after it; if the process dies before that, `due` wakes `publish` five seconds later.
   * Only a `start` opens a session. `no_session` stores nothing, not even the delivery.
   */
  accept(arrival: Arrival, delivery: Delivery): Promise<AcceptResult>;
  session(id: string): Promise<SessionRow | undefined>;
  /** Newest first. */
  sessions(query: SessionQuery): Promise<SessionRow[]>;
  /**
   * What sessions can be told apart by: the repositories, by their present names, and the models. `within`: only of these
   * repositories.
   */
  choices(within?: readonly number[]): Promise<SessionChoices>;
  /** Entries after `afterSeq`, the last one `upTo`, oldest first, converted to the newest version. */
  journal(id: string, afterSeq?: number, upTo?: number): Promise<Entry[]>;
  /** How many replies of the model come before an entry. */
  repliesBefore(id: string, seq: number): Promise<number>;
  /** The `lastSeq` of each of these sessions that exists. */
  newestEntries(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * Adds all entries or none. Throws `ClaimLost`, `AppendFenced` or `NoSuchSession`. After the commit it wakes `publish`, at
   * most every half second; the end of the run (`settle`, `release`) always wakes it. If the process dies
   * before that, `due` wakes it 5 s after the session's last entry.
   */
  append(id: string, entries: readonly NewEntry[], options?: AppendOptions): Promise<Entry[]>;
  /** Claims the session for a run. Older claims become invalid. */
  claim(id: string): Promise<string>;
  /**
   * Ends a run. `more`: there are entries after `seen`, so the run keeps its claim and continues.
   * Otherwise writes the projection, releases the claim, and wakes `publish` if there are unpublished
   * entries. Throws `ClaimLost`.
   */
  settle(
    id: string,
    claim: string,
    seen: number,
    projection: Projection,
  ): Promise<'settled' | 'more'>;
  /**
   * Releases the claim and wakes `advance`, immediately or at `at`. Wakes `publish` like `settle`. Does nothing
   * if the claim was lost.
   */
  release(id: string, claim: string, at?: Date): Promise<void>;
  /** The newest change of each path with a `seq` after `afterSeq`, ordered by path. */
  changes(id: string, afterSeq: number): Promise<StoredChange[]>;
  /** The content of the session's images with these ids, by id. */
  images(id: string, images: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** What all processes have spent so far. Unknown costs count as 0. */
  spent(query: SpendingQuery): Promise<SpentByScope>;
  /** Who and what the money was spent for, the most expensive first. */
  spentFor(query: CostQuery): Promise<readonly CostSum[]>;
  /** What sessions came to, summed as `by` says. A session counts once its first run was left. */
  worth(query: WorthQuery): Promise<readonly GroupSum[]>;
  /** Whether a session of the repository waits for an answer or for approval of its plan. */
  isPersonAwaited(repositoryId: number): Promise<boolean>;
  publications(id: string): Promise<StandingPublication[]>;
  /**
   * Records what was published, instead of what was read before (`undefined`: nothing). `contested`: another process
   * saved it since then, so that there may be two of it on GitHub, or an older text. Then nothing is recorded any more, and
   * it has to be looked up and published again.
   */
  savePublication(
    id: string,
    publication: PublishedObject,
    before: StandingPublication | undefined,
  ): Promise<'saved' | 'contested'>;
  /**
   * Records that everything up to `seq` is published; a lower `seq` than before is ignored. `publishAt`: when to
   * publish again. If it is `null` and there are entries after `seq`, wakes `publish`.
   */
  markPublished(id: string, seq: number, publishAt: Date | null): Promise<void>;
  /**
   * Wakes sessions that are due at `now` (and clears their `wakeAt` or `publishAt`), and, unless only `timers` count, those that
   * lost their wake-up. Looking for these reads all sessions.
   */
  due(now: Date, which?: 'all' | 'timers'): Promise<WokenCounts>;
  /** The place of a session among those that wait for a slot, from 1; `undefined` if it does not wait for one. */
  placeInQueue(id: string): Promise<number | undefined>;
  /** Journals that these repositories are reached through this installation now, in their newest 500 sessions. */
  reinstall(installation: number, repositoryIds: readonly number[]): Promise<void>;
  /** The session of an issue, or of the pull request that a session opened. */
  sessionFor(repositoryId: number, number: number): Promise<SessionRow | undefined>;
  /** Wakes the sessions that wait, or failed, and whose work goes to this branch. Answers how many. */
  wakeForBase(repositoryId: number, branch: string): Promise<number>;
  /** Wakes the session of this issue if it works on its sub-issues. Answers whether it does. */
  wakeForSubIssue(repositoryId: number, parent: number): Promise<boolean>;
  /**
   * Wakes the installation's sessions that wait for something, and those that a process works on, once it has left
   * them. Resolves with its newest 500 sessions whose publications are blocked.
   */
  wakeInstallation(installation: number): Promise<readonly string[]>;
  /** The installation's newest 500 sessions that work or wait, or failed. */
  openSessions(installation: number): Promise<readonly string[]>;
  /**
   * Calls the listener soon after `accept`, in any process, has added to a session. Returns a function that removes
   * it. After a lost connection it is called for every claimed session, because calls may have been missed.
   */
  onWake(listener: (session: string) => void): () => void;
  /** `undefined` if the service is not paused. Another process pauses it, see `control.ts`. */
  servicePause(): Promise<ServicePause | undefined>;
  /** Resolves when the database answers. */
  ready(): Promise<void>;
  /** Closes the queue, the connections and the embedded server. */
  close(): Promise<void>;
}

/** Another process has claimed the session. The caller must stop and write nothing more. */
export class ClaimLost extends Error {
  override readonly name = 'ClaimLost';

  constructor(session: string) {
    super(`Session ${session} was taken over by another process; this one stops.`);
  }
}

/** An append with this fence, or a higher one, was written before: nothing was added. */
export class AppendFenced extends Error {
  override readonly name = 'AppendFenced';
  override readonly message = 'An earlier attempt of this append was written.';
}

export class NoSuchSession extends Error {
  override readonly name = 'NoSuchSession';

  constructor(session: string) {
    super(`There is no session ${session} in this database.`);
  }
}

/** What one session needs of the store while it is worked on. Without `memories`, nothing is remembered after it. */
export type SessionStore = Pick<
  Store,
  | 'claim'
  | 'append'
  | 'journal'
  | 'changes'
  | 'images'
  | 'spent'
  | 'sessionFor'
  | 'publications'
  | 'savePublication'
> & { readonly memories?: MemoryStore };

// What can be asked of the store.

export interface SessionQuery {
  readonly limit: number;
  /** The id of the last session of the page before; nothing follows one that was deleted. */
  readonly after?: string | undefined;
  readonly state?: string | undefined;
  readonly repositoryId?: number | undefined;
  /** Only of these repositories. */
  readonly within?: readonly number[] | undefined;
  readonly model?: string | undefined;
  /** Words of its title or of `owner/name`, or the number of its issue or pull request, as in `#12`. */
  readonly search?: string | undefined;
}

export interface SessionChoices {
  readonly repositories: readonly RepositoryRef[];
  readonly models: readonly string[];
}
