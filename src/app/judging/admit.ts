import { Gone, InstallationGone, Refused } from '../../github/errors.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { TryLater } from '../../lib/errors.ts';
import type { NewEntry } from '../../session/entry.ts';
import type { Received, Session } from '../../session/session.ts';
import type { JournalTracker } from '../journal/journal-tracker.ts';
import { Judge } from './judge.ts';

const REFUSED_MS = 60_000;

/**
 * Judges every intent that nobody has judged: is this our label, may this person ask for work? Only
 * what is admitted here ever reaches the model. Two at once may journal a verdict twice; the first
 * one counts.
 */
export async function admit(tracker: JournalTracker, github: GitHubRepository): Promise<Session> {
  const judge = new Judge(github, tracker);
  for (const received of tracker.session.unjudged) {
    await tracker.append(await verdictOn(received, judge));
  }
  return tracker.session;
}

/** An App that was removed, or a repository that is gone, asks for nothing any more. */
async function verdictOn(received: Received, judge: Judge): Promise<NewEntry> {
  try {
    return await judge.verdictOn(received);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // The operator can mend the rest (key, clock, permissions): nobody's request is lost over it.
    if (!(error instanceof Gone || error instanceof InstallationGone))
      throw new TryLater(error.message, { cause: error, retryAfterMs: REFUSED_MS });
    return { type: 'refused', received: received.seq, reason: 'unreachable' };
  }
}
