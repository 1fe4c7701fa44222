import { NotFound, Moved, RenderingFailed, Suspended } from '../../github/errors.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { msUntilNextWrite, type WriteBudget } from '../../lib/write-budget.ts';
import { messageOf, TryLater } from '../../lib/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Service } from '../service/service.ts';
import { admit } from '../admission/admit.ts';
import { JournalTracker } from '../service/journal-tracker.ts';
import { dueAt } from './due.ts';
import type { Publication } from './publication.ts';
import { publicationsOf } from './publications.ts';
import { Refusals } from './refusals.ts';

type PublishParts = Pick<
  Service,
  'store' | 'repository' | 'serves' | 'judging' | 'pageUrl' | 'writeBudget' | 'log'
>;

const RETRY_MS = 10_000;
const SHORTEST_RETRY_MS = 500;

/** What a refusal asks for is in the journal; this is for what may pass. */
function retryAt(error: unknown): Date {
  const wait = error instanceof TryLater ? error.retryAfterMs : undefined;
  return new Date(Date.now() + Math.max(wait ?? RETRY_MS, SHORTEST_RETRY_MS));
}

/**
 * Publishes the views of the session's journal: reactions, comments, the pull
 * request's body. Apart from the runs, so that a busy service still answers at once.
 */
export async function publish(parts: PublishParts, id: string): Promise<void> {
  const { store, log } = parts;
  const tracker = await JournalTracker.open(store, id);
  const {
    thread: { installation, repository },
    seq,
  } = tracker.session;
  if (!parts.serves(repository.owner)) return store.markPublished(id, seq, null);
  const github = parts.repository(installation, repository);
  const warn = (error: unknown): void =>
    log.warn({ session: id, reason: messageOf(error) }, 'publishing failed');
  const refusals = new Refusals(tracker.session.waiting);
  try {
    const trouble = await judge(parts, tracker, github, refusals);
    const again = await bringInLine(parts, tracker, github, refusals);
    await tell(parts, tracker, refusals);
    if (trouble !== undefined) warn(trouble);
    const judged = trouble === undefined ? null : retryAt(trouble);
    const next = earliest(earliest(again, heldAt(tracker)), judged);
    await store.markPublished(id, tracker.session.seq, next);
  } catch (error) {
    warn(error);
    // What was refused before is not tried each time that something else has to wait.
    refusals.breakOff();
    await tell(parts, tracker, refusals);
    await store.markPublished(id, tracker.session.seq, retryAt(error));
  }
}

/** What cannot be judged now, `TryLater`, holds up nothing that is to be published. */
async function judge(
  { judging }: PublishParts,
  tracker: JournalTracker,
  github: GitHubRepository,
  refusals: Refusals,
): Promise<TryLater | undefined> {
  if (refusals.isHeld('judging')) return undefined;
  try {
    return await admit(tracker, github, judging);
  } catch (error) {
    if (error instanceof Suspended) refusals.take('judging', error);
    else if (error instanceof TryLater) return error;
    else throw error;
    return undefined;
  }
}

/** Journals what GitHub refused, and that it does so no more. */
async function tell(
  { log }: PublishParts,
  tracker: JournalTracker,
  refusals: Refusals,
): Promise<void> {
  const refusal = refusals.outcome();
  if (refusal === undefined) return;
  await tracker.append({ type: 'publishing_blocked', block: refusal });
  if (refusal === null) return;
  const about = { session: tracker.id, reason: refusal.reason, nextTry: refusal.until };
  log.warn(about, 'publishing denied');
}

const earliest = (one: Date | null, other: Date | null): Date | null =>
  one === null || other === null ? (one ?? other) : new Date(Math.min(+one, +other));

/** When what was refused is tried again. */
function heldAt({
  session: {
    waiting: { publishingBlock },
  },
}: JournalTracker): Date | null {
  const until = publishingBlock?.until ?? null;
  return until === null ? null : new Date(until);
}

/**
 * Publishes what differs. Answers when to look again, where something was held back. One that is
 * refused holds no other up.
 */
async function bringInLine(
  { store, pageUrl, writeBudget }: PublishParts,
  tracker: JournalTracker,
  github: GitHubRepository,
  refusals: Refusals,
): Promise<Date | null> {
  const { session, entries, id } = tracker;
  const standing = new Map((await store.publications(id)).map((row) => [row.key, row]));
  const options = {
    session: id,
    pageUrl: pageUrl(id),
    repositoryUrl: github.gitUrl.replace(/\.git$/, ''),
    now: new Date().toISOString(),
  };
  const room = () => writeBudget(session.thread.installation);
  let again: Date | null = null;
  for (const publication of publicationsOf({ session, entries, options })) {
    const before = standing.get(publication.key);
    const due = await dueAt(publication, before, tracker, room);
    if (due === undefined || refusals.isHeld(publication.key)) continue;
    if (due > new Date()) {
      again = earliest(again, due);
      continue;
    }
    try {
      await assertWriteBudget(room);
      await bring(publication, { store, tracker, github }, before?.remoteId);
    } catch (error) {
      // Reactions and words of our own do not wait for it.
      if (error instanceof RenderingFailed) {
        refusals.breakOff();
        again = earliest(again, retryAt(error));
      } else if (refusals.take(publication.key, error) === 'over') break;
    }
  }
  return again;
}

/** The gate waits that long for room by itself. */
const SHORT_WAIT_MS = 500;

/**
 * Each write is preceded by look-ups: where there is no room for it, those are spared.
 * @throws {TryLater}
 */
async function assertWriteBudget(room: () => Promise<WriteBudget>): Promise<void> {
  const wait = msUntilNextWrite(await room());
  if (wait > SHORT_WAIT_MS)
    throw new TryLater('there is no room to write to GitHub', { retryAfterMs: wait });
}

interface Lane {
  readonly store: Store;
  readonly tracker: JournalTracker;
  readonly github: GitHubRepository;
}

/** Journaled before it is remembered as done: after a crash in between it is only looked up again. */
async function bring(
  publication: Publication,
  { store, tracker, github }: Lane,
  known: number | undefined,
): Promise<void> {
  const { key, digest, kind } = publication;
  const { id, url } = await publication.publish(github, known).catch(unlessItsTargetIsGone(kind));
  if (kind === 'comment' && id !== known) {
    await tracker.append({ type: 'published', key, id, url });
  }
  await store.savePublication(tracker.id, { key, remoteId: id, url, digest });
}

/** A reaction to what was deleted is done with. */
const unlessItsTargetIsGone = (kind: Publication['kind']) => (error: unknown) => {
  if (kind === 'reaction' && error instanceof NotFound && !(error instanceof Moved))
    return { id: 0, url: '' };
  throw error;
};
