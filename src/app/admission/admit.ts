import { Forbidden, NotFound, NotInstalled, GitHubDenied } from '../../github/errors.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { TryLater } from '../../lib/errors.ts';
import type { KeyedMutex } from '../../lib/keyed-mutex.ts';
import type { Entry, NewEntry } from '../../session/entries/entry.ts';
import type { Received } from '../../session/session.ts';
import { DEFAULT_LABEL } from '../../session/settings/index.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import { Judge } from './judge.ts';

const SHORTEST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 60 * 60_000;
const GIVE_UP_MS = 24 * 60 * 60_000;

/** Something cannot be judged now. Everything else was, and may go on. */
export class JudgedLater extends TryLater {}

/**
 * Judges every intent that nobody has judged: is this our label, may this person ask for work? Only
 * what is admitted here ever reaches the model. `mutex` keeps the two lanes of a process from looking up
 * the same intents; two processes may journal a verdict twice, and the first one counts.
 * Resolves with `JudgedLater` if an intent cannot be judged now.
 */
export async function admit(
  tracker: JournalTracker,
  github: GitHubRepository,
  mutex: KeyedMutex,
): Promise<JudgedLater | undefined> {
  if (tracker.session.requests.awaitingAdmission.length === 0) return undefined;
  return mutex.run(tracker.id, async (hasWaited) => {
    if (hasWaited) await tracker.refresh();
    return admitAll(tracker, github);
  });
}

async function admitAll(
  tracker: JournalTracker,
  github: GitHubRepository,
): Promise<JudgedLater | undefined> {
  const judge = new Judge(github, tracker);
  let later: JudgedLater | undefined;
  for (const received of tracker.session.requests.awaitingAdmission) {
    const verdict = await verdictOn(received, judge, tracker.entries);
    if (verdict instanceof JudgedLater) later ??= verdict;
    else await tracker.append(verdict);
  }
  return later;
}

/** An App that was removed, or a repository that is gone, asks for nothing any more. */
async function verdictOn(
  received: Received,
  judge: Judge,
  entries: readonly Entry[],
): Promise<NewEntry | JudgedLater> {
  try {
    return await judge.verdictOn(received);
  } catch (error) {
    if (!(error instanceof GitHubDenied)) throw error;
    return withoutLooking(received, error, entries[received.seq - 1]?.at ?? '');
  }
}

/**
 * Who asked for work is told at once what is missing, and can ask again when it is fixed.
 * Everything else waits, ever longer and for a day: nobody's words are lost over a wrong key.
 */
function withoutLooking(
  { seq: received, intent }: Received,
  error: GitHubDenied,
  at: string,
): NewEntry | JudgedLater {
  const refused = { type: 'rejected', received } as const;
  const age = Date.now() - Date.parse(at);
  if (error instanceof NotFound || error instanceof NotInstalled || age > GIVE_UP_MS)
    return { ...refused, reason: 'unreachable' };
  if (error instanceof Forbidden && asksForWork(intent))
    return { ...refused, reason: 'permission_check_denied', details: error.message, notify: true };
  const wait = Math.min(Math.max(age, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
  return new JudgedLater(error.message, { cause: error, retryAfterMs: wait });
}

/** As far as that is known without the settings: labels of all kinds come in here. */
const asksForWork = (intent: Received['intent']): boolean =>
  'addressed' in intent && intent.addressed === true
    ? true
    : intent.kind === 'start' && intent.label === DEFAULT_LABEL;
