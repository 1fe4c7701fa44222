// A session, computed from its journal. Each part has a table, in the file that is named after it; what is counted is in `tally.ts`.
import type { Entry, EntryOf } from '../entry.ts';
import type { Intent } from '../../contracts/intent.ts';
import type { Session } from '../session.ts';
import { CHECKS, NO_CHECKS } from './checks.ts';
import { withSeenOpen } from './latest.ts';
import { outcomeOfEntry } from './outcome.ts';
import { NO_REQUESTS, REQUESTS } from './requests.ts';
import { NO_REVIEWS, REVIEWS } from './reviews.ts';
import { RUN } from './run.ts';
import { applyTo } from './table.ts';
import { newTally, NO_PROGRESS, NO_SPENDING, PROGRESS, SPENDING, TALLY } from './tally.ts';
import { newThread, THREAD } from './thread.ts';
import { NO_WAITING, WAITING } from './waiting.ts';
import { NO_WORK, WORK } from './work.ts';

const opened = (entry: EntryOf<'opened'>): Session => ({
  seq: entry.seq,
  at: entry.at,
  thread: newThread(entry),
  requests: NO_REQUESTS,
  run: undefined,
  reviews: NO_REVIEWS,
  checks: NO_CHECKS,
  waiting: NO_WAITING,
  work: NO_WORK,
  spending: NO_SPENDING,
  progress: NO_PROGRESS,
  tally: newTally(entry),
});

/** The session that a whole journal describes. */
export function fold(entries: readonly Entry[]): Session {
  const [first, ...rest] = entries;
  if (first?.type !== 'opened') throw new Error('a journal begins with an `opened` entry');
  return rest.reduce(apply, opened(first));
}

/** The session after one more entry. */
export function apply(before: Session, entry: Entry): Session {
  const session = entry.type === 'admitted' ? withPullRequest(before, entry) : before;
  const context = { session, outcome: outcomeOfEntry(session, entry) };
  return {
    seq: entry.seq,
    at: entry.at,
    thread: applyTo(THREAD, session.thread, entry, context),
    requests: applyTo(REQUESTS, session.requests, entry, context),
    reviews: applyTo(REVIEWS, session.reviews, entry, context),
    checks: applyTo(CHECKS, session.checks, entry, context),
    run: applyTo(RUN, session.run, entry, context),
    waiting: applyTo(WAITING, session.waiting, entry, context),
    work: applyTo(WORK, session.work, entry, context),
    spending: applyTo(SPENDING, session.spending, entry, context),
    progress: applyTo(PROGRESS, session.progress, entry, context),
    tally: applyTo(TALLY, session.tally, entry, context),
  };
}

/** What GitHub said of the pull request when this was admitted is news; that it is open, as of the time of what is admitted. */
function withPullRequest(session: Session, { pullRequest: state, ...entry }: EntryOf<'admitted'>) {
  const { thread, requests } = session;
  const found = requests.awaitingAdmission.find(({ seq }) => seq === entry.received);
  const { number, state: known } = thread.adopted ?? thread.pullRequest ?? {};
  if (found === undefined || state === undefined || number === undefined) return session;
  const at = found.when.isOurs === true ? undefined : found.when.at;
  if (state === known && state === 'open') {
    const pullRequestNews = withSeenOpen(thread.pullRequestNews, at);
    return { ...session, thread: { ...thread, pullRequestNews } };
  }
  if (state === known) return session;
  const closedAt = entry.closedAt ?? at;
  const intent: Intent =
    state === 'open'
      ? { kind: 'pull_request_reopened', pullRequest: number, ...(at && { at }) }
      : {
          kind: 'pull_request_closed',
          pullRequest: number,
          merged: state === 'merged',
          ...(closedAt && { at: closedAt }),
        };
  const { installation, repository } = thread;
  const heard = { installation, repository, sender: found.sender, intent, delivery: '' } as const;
  return apply(session, { type: 'received', seq: found.seq, at: entry.at, ...heard });
}
