import type { Logger } from 'pino';
import type { GitHubRepository } from '../github/repository.ts';
import { messageOf, TellPerson, TryLater } from '../lib/errors.ts';
import type { RepositoryRef } from '../session/intent.ts';
import { isRunning } from '../session/state.ts';
import type { Store } from '../store/store.ts';
import { admit } from './admit.ts';
import { JournalTracker } from './journal-tracker.ts';
import { publicationsOf, type Publication } from './publications.ts';

export interface PublishParts {
  readonly store: Store;
  readonly repository: (installation: number, ref: RepositoryRef) => GitHubRepository;
  readonly publicUrl: string | undefined;
  readonly log: Logger;
}

/** While it works, the status comment is edited at most this often: GitHub counts every edit. */
const STATUS_INTERVAL_MS = 3_000;
const RETRY_MS = 10_000;

/** What GitHub refuses for good is not asked again until something new is to be shown. */
function retryAt(error: unknown): Date | null {
  if (error instanceof TellPerson) return null;
  const wait = error instanceof TryLater ? error.retryAfterMs : undefined;
  return new Date(Date.now() + (wait ?? RETRY_MS));
}

/**
 * Brings GitHub in line with what the session's journal says: reactions, comments, the pull
 * request's body. Apart from the runs, so that a busy service still answers at once.
 */
export async function publish(parts: PublishParts, id: string): Promise<void> {
  const { store, log } = parts;
  const tracker = await JournalTracker.open(store, id);
  const { installation, repository } = tracker.session;
  const github = parts.repository(installation, repository);
  try {
    await admit(tracker, github);
    const again = await bringInLine(parts, tracker, github);
    await store.markPublished(id, tracker.session.seq, again);
  } catch (error) {
    log.warn({ session: id, reason: messageOf(error) }, 'GitHub could not be brought in line');
    await store.markPublished(id, tracker.session.seq, retryAt(error));
  }
}

/** Publishes what differs. Answers when to look again, where something was held back. */
async function bringInLine(
  { store, publicUrl }: PublishParts,
  tracker: JournalTracker,
  github: GitHubRepository,
): Promise<Date | null> {
  const { session, entries, id } = tracker;
  const known = new Map((await store.publications(id)).map((row) => [row.key, row]));
  const options = {
    session: id,
    pageUrl: publicUrl === undefined ? undefined : `${publicUrl}/sessions/${id}`,
    now: new Date().toISOString(),
  };
  let again: Date | null = null;
  for (const publication of publicationsOf({ session, entries, options })) {
    const before = known.get(publication.key);
    if (before?.digest === publication.digest) continue;
    const due = dueAt(publication, before?.updatedAt, isRunning(session));
    if (due !== undefined && due > new Date()) {
      again = due;
      continue;
    }
    const { id: remoteId, url } = await publication.publish(github, before?.remoteId);
    const { key, digest } = publication;
    await store.savePublication(id, { key, remoteId, url, digest });
    if (before === undefined && publication.kind === 'comment') {
      await tracker.append({ type: 'published', key, id: remoteId, url });
    }
  }
  return again;
}

/** The live status waits its turn while work goes on; everything else goes out at once. */
function dueAt(
  publication: Publication,
  lastAt: Date | undefined,
  isWorking: boolean,
): Date | undefined {
  if (publication.key !== 'status' || lastAt === undefined || !isWorking) return undefined;
  return new Date(lastAt.getTime() + STATUS_INTERVAL_MS);
}
