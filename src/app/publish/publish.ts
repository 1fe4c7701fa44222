import { sharedNow, sharedTime } from '../../lib/clock.ts';
import { Archived, Moved, NoAccess, NotFound, RenderingFailed } from '../../github/errors.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { messageOf, TellPerson, TryLater } from '../../lib/errors.ts';
import { stateOf } from '../../session/state.ts';
import type { StandingPublication, Store } from '../../store/store.ts';
import { sessionLog, type Service } from '../service/service.ts';
import { admit } from '../admission/admit.ts';
import {
  KeptJournals,
  type JournalTracker,
  type TrackedJournal,
} from '../service/journal-tracker.ts';
import { dueAt, isSaidByStatus, placeLookedAt, placeToShow, rankOf, writers } from './due.ts';
import { answerMemoryCommands, answerMergeCommands } from './command-answers.ts';
import type { Publication, View } from './publication.ts';
import { publicationsOf } from './publications.ts';
import type { PublishingBlock } from '../../session/entry.ts';
import type { Session } from '../../session/session.ts';

type PublishParts = Pick<
  Service,
  | 'store'
  | 'repository'
  | 'serves'
  | 'admissions'
  | 'allowedBots'
  | 'operator'
  | 'pageUrl'
  | 'writeBudget'
  | 'log'
>;

const RETRY_MS = 10_000;
const SHORTEST_RETRY_MS = 500;

/** For temporary failures. When a blocked publication is retried is in the journal. */
function retryAt(error: unknown): Date {
  const wait = error instanceof TryLater ? error.retryAfterMs : undefined;
  return new Date(sharedNow() + Math.max(wait ?? RETRY_MS, SHORTEST_RETRY_MS));
}

/**
 * Publishes the views of the session's journal: reactions, comments, the pull request's body. It does not
 * wait for runs, so a busy service still answers at once. `signal`: ends the waits for GitHub's limits.
 */
export const publish = (
  parts: PublishParts,
  id: string,
  journals = new KeptJournals(parts.store),
  signal?: AbortSignal,
): Promise<void> => journals.read(id, (tracker) => publishFrom(parts, tracker, signal));

async function publishFrom(
  shared: PublishParts,
  tracker: JournalTracker,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { store } = shared;
  const parts = { ...shared, log: sessionLog(shared.log, tracker) };
  const { id } = tracker;
  const {
    thread: { repository },
    seq,
  } = tracker.session;
  if (!parts.serves(repository.owner)) return store.markPublished(id, seq, null);
  const writeWith = writers(parts, tracker, signal);
  const github = writeWith('later');
  const warn = (error: unknown): void =>
    parts.log.warn({ reason: messageOf(error) }, 'publishing failed');
  const blocks = new PublishingBlocks(tracker.session.waiting);
  try {
    const trouble = await judge(parts, tracker, github, blocks);
    await answerMemoryCommands(store.memories, tracker);
    await answerMergeCommands(github, tracker);
    const again = await publishDue(parts, tracker, writeWith, blocks);
    await journalBlock(parts, tracker, blocks);
    if (trouble !== undefined) warn(trouble);
    const judged = trouble === undefined ? null : retryAt(trouble);
    const next = earliest(earliest(again, blockEndsAt(tracker)), judged);
    await store.markPublished(id, tracker.session.seq, next);
  } catch (error) {
    warn(error);
    // Keep what is already blocked, or it would be retried each time something else has to wait.
    blocks.markIncomplete();
    await journalBlock(parts, tracker, blocks);
    await store.markPublished(id, tracker.session.seq, retryAt(error));
  }
}

/** Resolves with `TryLater` if an intent cannot be judged now; everything else is published all the same. */
async function judge(
  parts: PublishParts,
  tracker: JournalTracker,
  github: GitHubRepository,
  blocks: PublishingBlocks,
): Promise<TryLater | undefined> {
  if (blocks.isBlocked('admission')) return undefined;
  try {
    return await admit(tracker, github, parts);
  } catch (error) {
    if (error instanceof NoAccess) blocks.add('admission', error);
    else if (error instanceof TryLater) return error;
    else throw error;
    return undefined;
  }
}

/** Journals which publications GitHub denied, or that none is blocked any more. */
async function journalBlock(
  { log }: PublishParts,
  tracker: JournalTracker,
  blocks: PublishingBlocks,
): Promise<void> {
  const block = blocks.outcome();
  if (block === undefined) return;
  await tracker.append({ type: 'publishing_blocked', block });
  if (block === null) return;
  log.warn({ reason: block.reason, nextTry: block.until }, 'publishing denied');
}

const earliest = (one: Date | null, other: Date | null): Date | null =>
  one === null || other === null ? (one ?? other) : new Date(Math.min(+one, +other));

/** When a blocked publication is retried; `null`: never, or none is blocked. */
function blockEndsAt({
  session: {
    waiting: { publishingBlock },
  },
}: JournalTracker): Date | null {
  const until = publishingBlock?.until ?? null;
  return until === null ? null : new Date(until);
}

/**
 * Publishes what differs from GitHub. Returns when to look again, or `null`. A denied publication does not
 * stop the others. One for which there is no room makes no request: it is published later, or left out if the
 * status comment says the same.
 */
async function publishDue(
  { store, pageUrl, writeBudget }: PublishParts,
  tracker: JournalTracker,
  writeWith: ReturnType<typeof writers>,
  blocks: PublishingBlocks,
): Promise<Date | null> {
  const { session, id } = tracker;
  const { installation } = session.thread;
  // Nothing is left out because of a pause: all of it comes after that.
  const pausedMs = await store.requestPause(installation);
  if (pausedMs > 0) return new Date(sharedNow() + pausedMs);
  const standing = new Map((await store.publications(id)).map((row) => [row.key, row]));
  const isQueued = stateOf(session) === 'queued';
  const options = {
    session: id,
    pageUrl: pageUrl(id),
    repositoryUrl: writeWith('later').gitUrl.replace(/\.git$/, ''),
    now: sharedTime().toISOString(),
    place: isQueued ? placeToShow(await store.placeInQueue(id), tracker.entries) : undefined,
  };
  const budget = () => writeBudget(installation);
  const isShown = session.requests.requester !== undefined && !blocks.isBlocked('status');
  let again = isShown && isQueued ? placeLookedAt(options.place) : null;
  for (const publication of inTurn(tracker, options)) {
    const before = standing.get(publication.key);
    const due = await dueAt(publication, before, tracker, budget);
    if (due === undefined || blocks.isBlocked(publication.key)) continue;
    if (due > sharedTime()) {
      again = earliest(again, due);
      continue;
    }
    const rank = rankOf(publication, before);
    try {
      const wait = await store.writeWait(installation, rank);
      const isLeftOut = wait > 0 && standing.has('status') && isSaidByStatus(publication);
      // A pause may have begun since.
      if (isLeftOut && (await store.requestPause(installation)) === 0)
        await store.savePublication(id, dropped(publication), before);
      else if (wait > 0) again = earliest(again, new Date(sharedNow() + wait));
      else await publishOne(publication, { store, tracker, github: writeWith(rank) }, before);
    } catch (error) {
      // Only texts by a model need rendering: reactions and our own texts go out now.
      if (error instanceof RenderingFailed) {
        blocks.markIncomplete();
        again = earliest(again, retryAt(error));
      } else if (blocks.add(publication.key, error) === 'stop') break;
    }
  }
  return again;
}

/** In their order, each as the session is by then: what is published first may be linked from what follows. */
function* inTurn(tracker: TrackedJournal, options: View['options']): Generator<Publication> {
  const taken = new Set<string>();
  let { seq } = tracker.session;
  let all = publicationsOf({ session: tracker.session, entries: tracker.entries, options });
  for (let next = all[0]; next !== undefined; next = all.find(({ key }) => !taken.has(key))) {
    taken.add(next.key);
    yield next;
    if (tracker.session.seq === seq) continue;
    ({ seq } = tracker.session);
    const { session, entries } = tracker;
    all = publicationsOf({ session, entries, options });
  }
}

/** Shown by something else, and never published. */
const dropped = ({ key, digest }: Publication) => ({ key, digest, remoteId: 0, url: '' });

interface Lane {
  readonly store: Store;
  readonly tracker: JournalTracker;
  readonly github: GitHubRepository;
}

/**
 * Journaled before it is saved as done: after a crash in between it is only looked up again. Published again if another
 * process did so meanwhile: one of the two finds what both made.
 */
async function publishOne(
  publication: Publication,
  { store, tracker, github }: Lane,
  before: StandingPublication | undefined,
): Promise<void> {
  const { key, digest, kind } = publication;
  let journaled = before?.remoteId;
  let saved = 'contested';
  for (let replaced = before; saved === 'contested'; replaced = undefined) {
    const { id, url } = await publication
      .publish(github, replaced?.remoteId)
      .catch(unlessItsTargetIsGone(kind));
    if (kind === 'comment' && id !== 0 && id !== journaled) {
      await tracker.append({ type: 'published', key, id, url });
      journaled = id;
    }
    const done = { key, remoteId: id, url, digest };
    saved = await store.savePublication(tracker.id, done, replaced);
  }
}

/** If the target of a reaction was deleted, the reaction counts as done. */
const unlessItsTargetIsGone = (kind: Publication['kind']) => (error: unknown) => {
  if (kind === 'reaction' && error instanceof NotFound && !(error instanceof Moved))
    return { id: 0, url: '' };
  throw error;
};

// Publications that GitHub denies: they are shown where possible, and retried at growing intervals.

/** Stands for every publication. */
const ALL = '*';
const NEVER = new Date(8.64e15);
const MOST_KEYS = 50;

const SHORTEST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 60 * 60_000;
const GIVE_UP_MS = 24 * 60 * 60_000;
/** A deleted issue or repository rarely comes back. */
const GIVE_UP_GONE_MS = 60 * 60_000;

type PublishingState = Pick<Session['waiting'], 'publishingBlock'>;

/** Until when a publication that GitHub denied is not retried; `undefined`: it may be tried now. */
export function blockedUntil(
  { publishingBlock }: PublishingState,
  key: string = ALL,
  now = sharedNow(),
): Date | undefined {
  if (publishingBlock === undefined) return undefined;
  const { keys, until } = publishingBlock;
  if (!keys.includes(ALL) && !keys.includes(key)) return undefined;
  if (until === null) return NEVER;
  return Date.parse(until) > now ? new Date(until) : undefined;
}

/** Nothing else can be written either, so there is no point in trying. */
const isAboutAll = (error: Error): boolean =>
  error instanceof Archived || error instanceof NoAccess;

/** What GitHub denied during one pass over the publications. */
export class PublishingBlocks {
  readonly #session: PublishingState;
  readonly #denied = new Map<string, Error>();
  readonly #stillBlocked = new Set<string>();
  #isComplete = true;

  constructor(session: PublishingState) {
    this.#session = session;
  }

  /** Whether the publication is blocked, so that this pass skips it. */
  isBlocked(key: string): boolean {
    const isBlocked = blockedUntil(this.#session, key) !== undefined;
    if (isBlocked) this.#stillBlocked.add(key);
    return isBlocked;
  }

  /** `stop`: do not try anything else. @throws any error that is not a denial */
  add(key: string, error: unknown): 'stop' | 'continue' {
    if (!(error instanceof TellPerson || error instanceof NoAccess)) throw error;
    const concernsAll = isAboutAll(error);
    this.#denied.set(concernsAll ? ALL : key, error);
    return concernsAll ? 'stop' : 'continue';
  }

  /** The pass ends before everything was tried. */
  markIncomplete(): void {
    this.#isComplete = false;
  }

  /** What to journal after the pass. `null`: nothing is blocked any more; `undefined`: nothing new. */
  outcome(now = sharedNow()): PublishingBlock | null | undefined {
    const { publishingBlock } = this.#session;
    const [first] = [...this.#denied.values()].toSorted(worstFirst);
    const isOver = this.#isComplete && this.#stillBlocked.size === 0;
    if (first === undefined) return publishingBlock !== undefined && isOver ? null : undefined;
    const untried = this.#isComplete ? [] : (publishingBlock?.keys ?? []);
    const named = [...new Set([...this.#denied.keys(), ...this.#stillBlocked, ...untried])];
    const keys = named.includes(ALL) || named.length > MOST_KEYS ? [ALL] : named;
    const age = now - Date.parse(publishingBlock?.since ?? new Date(now).toISOString());
    return {
      reason: messageOf(first),
      // A key that is missing here would be retried at once and denied again, in a loop.
      keys,
      until: nextTry(first, age, now),
    };
  }
}

const worstFirst = (one: Error, other: Error): number =>
  Number(isAboutAll(other)) - Number(isAboutAll(one));

/** The wait doubles each time. */
function nextTry(error: Error, age: number, now: number): string | null {
  if (age > (error instanceof NotFound ? GIVE_UP_GONE_MS : GIVE_UP_MS)) return null;
  const asked = error instanceof NoAccess ? (error.retryAfterMs ?? 0) : 0;
  const wait = Math.max(asked, Math.min(Math.max(age, SHORTEST_WAIT_MS), LONGEST_WAIT_MS));
  return new Date(now + wait).toISOString();
}
