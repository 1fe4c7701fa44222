import type { Logger } from 'pino';
import type { GitHubRepository } from '../../github/repository.ts';
import { messageOf, TellPerson, TryLater } from '../../lib/errors.ts';
import type { RepositoryRef } from '../../session/intent.ts';
import { isRunning } from '../../session/state.ts';
import type { Store } from '../../store/store.ts';
import type { Serves } from '../context/served-owners.ts';
import { admit } from '../judging/admit.ts';
import { JournalTracker } from '../journal/journal-tracker.ts';
import type { Publication } from './publication.ts';
import { publicationsOf } from './publications.ts';

export interface PublishParts {
  readonly store: Store;
  readonly repository: (installation: number, ref: RepositoryRef) => GitHubRepository;
  readonly serves: Serves;
  readonly publicUrl: string | undefined;
  readonly log: Logger;
}

/** While it works, the status comment is edited at most this often: GitHub counts every edit. */
const STATUS_INTERVAL_MS = 3_000;
const MERGE_EVENT_MS = 5_000;
const RETRY_MS = 10_000;

const LONGEST_RETRY_MS = 60 * 60_000;
const GIVE_UP_MS = 24 * 60 * 60_000;

/** What GitHub refuses is asked again ever later, for a day after the session's last entry. */
function retryAt(error: unknown, { entries }: JournalTracker): Date | null {
  if (!(error instanceof TellPerson)) {
    const wait = error instanceof TryLater ? (error.retryAfterMs ?? 0) : 0;
    return new Date(Date.now() + Math.max(wait, RETRY_MS));
  }
  const age = Date.now() - Date.parse(entries.at(-1)?.at ?? '');
  if (age > GIVE_UP_MS) return null;
  return new Date(Date.now() + Math.min(Math.max(age, RETRY_MS), LONGEST_RETRY_MS));
}

/**
 * Brings GitHub in line with what the session's journal says: reactions, comments, the pull
 * request's body. Apart from the runs, so that a busy service still answers at once.
 */
export async function publish(parts: PublishParts, id: string): Promise<void> {
  const { store, log } = parts;
  const tracker = await JournalTracker.open(store, id);
  const { installation, repository, seq } = tracker.session;
  if (!parts.serves(repository.owner)) return store.markPublished(id, seq, null);
  const github = parts.repository(installation, repository);
  try {
    await admit(tracker, github);
    const again = await bringInLine(parts, tracker, github);
    await store.markPublished(id, tracker.session.seq, again);
  } catch (error) {
    log.warn({ session: id, reason: messageOf(error) }, 'GitHub could not be brought in line');
    await store.markPublished(id, tracker.session.seq, retryAt(error, tracker));
  }
}

/**
 * Publishes what differs. Answers when to look again, where something was held back.
 * @throws what GitHub refused; one that is refused, such as a reaction to a comment that was
 *   deleted, holds no other up
 */
async function bringInLine(
  { store, publicUrl }: PublishParts,
  tracker: JournalTracker,
  github: GitHubRepository,
): Promise<Date | null> {
  const { session, entries, id } = tracker;
  const standing = new Map((await store.publications(id)).map((row) => [row.key, row]));
  const options = {
    session: id,
    pageUrl: publicUrl === undefined ? undefined : `${publicUrl}/sessions/${id}`,
    now: new Date().toISOString(),
  };
  let again: Date | null = null;
  let refused: TellPerson | undefined;
  for (const publication of publicationsOf({ session, entries, options })) {
    const before = standing.get(publication.key);
    if (before?.digest === publication.digest) continue;
    const due = dueAt(publication, before?.updatedAt, tracker);
    if (due !== undefined && due > new Date()) {
      again = due;
      continue;
    }
    try {
      await bring(publication, { store, tracker, github }, before?.remoteId);
    } catch (error) {
      if (!(error instanceof TellPerson)) throw error;
      refused ??= error;
    }
  }
  if (refused !== undefined) throw refused;
  return again;
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
  const { id, url } = await publication.publish(github, known);
  if (kind === 'comment' && known === undefined) {
    await tracker.append({ type: 'published', key, id, url });
  }
  await store.savePublication(tracker.id, { key, remoteId: id, url, digest });
}

/**
 * The live status waits its turn while work goes on. A merge closes the issue too, and its own event
 * may come a moment after that of the issue: nobody is told "stopped" in between. Everything else
 * goes out at once.
 */
function dueAt(
  publication: Publication,
  lastAt: Date | undefined,
  { session, entries }: JournalTracker,
): Date | undefined {
  if (publication.key !== 'status' || lastAt === undefined) return undefined;
  if (session.issueClosed && session.pullRequest?.state === 'open') {
    const closed = entries.find(({ seq }) => seq === session.closedAt)?.at ?? '';
    return new Date(Date.parse(closed) + MERGE_EVENT_MS);
  }
  return isRunning(session) ? new Date(lastAt.getTime() + STATUS_INTERVAL_MS) : undefined;
}
