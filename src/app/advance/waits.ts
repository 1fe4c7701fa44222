// What ends waiting without a comment: a deadline passes, or a person reacts.
import { TellPerson } from '../../lib/errors.ts';
import type { Session } from '../../session/session.ts';
import { isBotRunLimitReached, stateOf } from '../../session/state.ts';
import type { RunScope } from '../run/scope.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
/** GitHub sends no webhook for reactions: we look for them at growing intervals, and finally stop. */
const FIRST_LOOK_MS = 3 * SECOND;
const LAST_LOOK_MS = 90 * 24 * HOUR;
const SHARE_OF_AGE = 10;

type Waiting = Pick<RunScope, 'tracker' | 'github' | 'service'>;

/** Journals expired questions and new reactions, and returns the session after that. */
export async function afterWaiting(context: Waiting): Promise<Session> {
  const { tracker } = context;
  await expire(context);
  if (stateOf(tracker.session) === 'waiting(approval)') await lookForThumbs(context);
  return tracker.session;
}

/** An expired question continues with its defaults, at most as often as bots may continue on their own. */
async function expire({ tracker }: Waiting): Promise<void> {
  const { session } = tracker;
  const { question } = session.waiting;
  const due = deadlineOf(session);
  if (question?.deadline === undefined || due === undefined || due.getTime() > Date.now()) return;
  const action = isBotRunLimitReached(session) ? 'pause' : question.deadline.action;
  await tracker.append({ type: 'question_expired', question: question.seq, action });
}

function deadlineOf(session: Session): Date | undefined {
  const { question } = session.waiting;
  if (question?.deadline === undefined || question.expired !== undefined) return undefined;
  return stateOf(session) === 'waiting(answer)' ? new Date(question.deadline.until) : undefined;
}

/** Each is received like a comment and judged in the next step. `accept` ignores those received before. */
async function lookForThumbs({ tracker, github, service: { store, log } }: Waiting): Promise<void> {
  const { thread, waiting } = tracker.session;
  const { proposedPlan } = waiting;
  if (proposedPlan?.comment === undefined) return;
  for (const { id, by } of await thumbsOn(proposedPlan.comment.id)) {
    const meaning = `thumbs-up:${id}`;
    await store.accept(
      {
        installation: thread.installation,
        repository: thread.repository,
        thread: { on: 'issue', number: thread.issue },
        sender: by,
        meaning,
        intent: { kind: 'thumbs_up', plan: proposedPlan.seq },
      },
      { id: meaning, event: 'reaction' },
    );
  }

  async function thumbsOn(comment: number) {
    try {
      return await github.thumbsUp(comment);
    } catch (error) {
      // For example, the comment was deleted. The plan can still be approved with a comment.
      if (!(error instanceof TellPerson)) throw error;
      log.info({ session: tracker.id, reason: error.message }, 'failed to look up reactions');
      return [];
    }
  }
}

/** When to look again at a session that waits for a person; `undefined`: only after new activity. */
export function lookAgainAt({
  session,
  entries,
}: Pick<JournalTracker, 'session' | 'entries'>): Date | undefined {
  const { proposedPlan } = session.waiting;
  if (stateOf(session) !== 'waiting(approval)') return deadlineOf(session);
  const age = Date.now() - Date.parse(entries[(proposedPlan?.seq ?? 0) - 1]?.at ?? '');
  if (Number.isNaN(age) || age > LAST_LOOK_MS) return undefined;
  const wait = Math.min(Math.max(age / SHARE_OF_AGE, FIRST_LOOK_MS), HOUR);
  return new Date(Date.now() + wait);
}
