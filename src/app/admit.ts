import type { GitHubRepository } from '../github/repository.ts';
import { Gone, InstallationGone, Refused } from '../github/errors.ts';
import { TellPerson, TryLater } from '../lib/errors.ts';
import type { LineComment, NewEntry } from '../session/entry.ts';
import type { Received, Session } from '../session/session.ts';
import { DEFAULT_LABEL, readSettings, SETTINGS_FILE } from '../session/settings.ts';
import type { JournalTracker } from './journal-tracker.ts';

const REFUSED_MS = 60_000;
/** Levels of those whose words start work, and are followed. */
export const MAY_ASK: ReadonlySet<string> = new Set(['write', 'maintain', 'admin']);

/**
 * Judges every intent that nobody has judged: is this our label, may this person ask for work? Only
 * what is admitted here ever reaches the model. Two at once may journal a verdict twice; the first
 * one counts.
 */
export async function admit(tracker: JournalTracker, github: GitHubRepository): Promise<Session> {
  for (const received of tracker.session.unjudged) {
    await tracker.append(await verdictOn(received, tracker.session, github));
  }
  return tracker.session;
}

/** An App that was removed, or a repository that is gone, asks for nothing any more. */
async function verdictOn(
  received: Received,
  session: Session,
  github: GitHubRepository,
): Promise<NewEntry> {
  try {
    return await judge(received, session, github);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    // The operator can mend the rest (key, clock, permissions): nobody's request is lost over it.
    if (!(error instanceof Gone || error instanceof InstallationGone))
      throw new TryLater(error.message, { cause: error, retryAfterMs: REFUSED_MS });
    return { type: 'refused', received: received.seq, reason: 'unreachable' };
  }
}

async function judge(
  received: Received,
  session: Session,
  github: GitHubRepository,
): Promise<NewEntry> {
  const { seq, sender, intent } = received;
  const refused = (reason: 'other_label' | 'no_session' | 'no_write'): NewEntry => ({
    type: 'refused',
    received: seq,
    reason,
  });
  if (intent.kind === 'start' && intent.label !== (await labelOf(github))) {
    return refused('other_label');
  }
  if (intent.kind !== 'start' && session.requester === undefined) return refused('no_session');
  if (!MAY_ASK.has(await github.permissionOf(sender.login))) return refused('no_write');
  return {
    type: 'admitted',
    received: seq,
    lineComments: await lineComments(received, session, github),
  };
}

/** The label that starts work here; with a settings file that cannot be read, the default one. */
async function labelOf(github: GitHubRepository): Promise<string> {
  try {
    const read = readSettings(await github.readFile(SETTINGS_FILE));
    return 'settings' in read ? read.settings.label : DEFAULT_LABEL;
  } catch (error) {
    // The run says what is wrong with the file.
    if (error instanceof TellPerson && !(error instanceof Refused)) return DEFAULT_LABEL;
    throw error;
  }
}

/** A review event carries only its summary; what was said on single lines is fetched. */
async function lineComments(
  { intent }: Received,
  session: Session,
  github: GitHubRepository,
): Promise<readonly LineComment[]> {
  if (intent.kind !== 'review' || session.pullRequest === undefined) return [];
  return github.lineCommentsOf(session.pullRequest.number, intent.reviewId);
}
