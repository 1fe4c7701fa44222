// What ends waiting without a comment: a deadline passes, or a person reacts.
import { sharedNow } from '../../lib/clock.ts';
import { TellPerson } from '../../lib/errors.ts';
import type { Intent } from '../../contracts/intent.ts';
import { isFixApproved } from '../../session/checks/due.ts';
import { entryAt } from '../../session/kept-entries.ts';
import type { Session } from '../../session/session.ts';
import { isBotRunLimitReached, stateOf } from '../../session/state.ts';
import { AdmissionDeferred } from '../admission/admit.ts';
import type { SessionScope } from '../service/service.ts';
import type { JournalTracker, TrackedJournal } from '../service/journal-tracker.ts';
import { subIssuesLookedForAt } from './sub-issues.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
/** GitHub sends no webhook for reactions: we look for them at growing intervals, and finally stop. */
const FIRST_LOOK_MS = 3 * SECOND;
const LAST_LOOK_MS = 90 * 24 * HOUR;
const SHARE_OF_AGE = 10;

/** Journals expired questions and new reactions, and returns the session after that. */
export async function afterWaiting(context: SessionScope): Promise<Session> {
  const { tracker } = context;
  await expire(context);
  await gather(context);
  for (const asking of askingOf(tracker.session)) await lookForThumbs(context, asking);
  return tracker.session;
}

/** How long a question whose deadline is over waits for a comment that cannot be judged, from the first try on. */
const LONGEST_JUDGING_MS = 10 * 60 * SECOND;

/**
 * An expired question continues with its defaults, at most as often as bots may continue on their own. What people did
 * before that counts first, although its webhook may have failed.
 */
async function expire({ tracker, service, admit, signal }: SessionScope): Promise<void> {
  const due = deadlineOf(tracker.session);
  if (!isOver(due)) return;
  await service.receiveEventsBefore(due, signal);
  await tracker.refresh();
  const later = await admit();
  const { session } = tracker;
  const { question } = session.waiting;
  if (question?.deadline === undefined || !isOver(deadlineOf(session))) return;
  // What cannot be judged now may be the answer. It is judged once it can be, also after the question expired.
  if (later instanceof AdmissionDeferred) {
    const left = Date.parse(await deferredUntil(tracker, question)) - sharedNow();
    const retryAfterMs = Math.min(later.retryAfterMs ?? left, left);
    if (left > 0) throw new AdmissionDeferred(later.message, { cause: later, retryAfterMs });
  }
  const action = isBotRunLimitReached(session) ? 'pause' : question.deadline.action;
  await tracker.append({ type: 'question_expired', question: question.seq, action });
}

/** Journaled at the first try: the service may have been down at the deadline. */
async function deferredUntil(
  tracker: JournalTracker,
  { seq, deferredUntil: known }: NonNullable<Session['waiting']['question']>,
): Promise<string> {
  if (known !== undefined) return known;
  const until = new Date(sharedNow() + LONGEST_JUDGING_MS).toISOString();
  await tracker.append({ type: 'expiry_deferred', question: seq, until });
  return until;
}

const isOver = (deadline: Date | undefined): deadline is Date =>
  deadline !== undefined && deadline.getTime() <= sharedNow();

function deadlineOf(session: Session): Date | undefined {
  const { question } = session.waiting;
  if (question?.deadline === undefined || question.expired !== undefined) return undefined;
  return stateOf(session) === 'waiting(answer)' ? new Date(question.deadline.until) : undefined;
}

/** Single comments that follow one another closely are one request, but not for longer than this. */
const LONGEST_GATHERING_MS = 120 * SECOND;

async function gather({ tracker }: SessionScope): Promise<void> {
  const due = gatheredAt(tracker.session);
  if (due === undefined || due.getTime() > sharedNow()) return;
  const upTo = tracker.session.requests.unread.at(-1)?.admittedAt ?? 0;
  await tracker.append({ type: 'comments_gathered', upTo });
}

/** When the single comments that wait for others may start a run; `undefined`: there are none. */
function gatheredAt({ requests }: Session): Date | undefined {
  const times = requests.unread.flatMap(({ gatherUntil }) => gatherUntil ?? []).map(Date.parse);
  if (times.length === 0) return undefined;
  return new Date(Math.min(Math.max(...times), Math.min(...times) + LONGEST_GATHERING_MS));
}

/** A comment that people may react to, and what a 👍 on it means. */
interface AskedComment {
  /** The entry that asked. */
  readonly seq: number;
  /** Its id, once it is published. */
  readonly comment: number | undefined;
  readonly intent: Extract<Intent, { kind: 'thumbs_up' | 'fix_approved' }>;
}

/** The comments that a 👍 answers now: on a plan, or on checks that failed. */
function askingOf(session: Session): readonly AskedComment[] {
  const { proposal: plan } = session.waiting;
  const { asked } = session.checks;
  const found: AskedComment[] = [];
  if (stateOf(session) === 'waiting(approval)' && plan !== undefined) {
    const intent = { kind: 'thumbs_up', plan: plan.seq } as const;
    found.push({ seq: plan.seq, comment: plan.comment?.id, intent });
  }
  if (asked !== undefined && isFixApproved(session, asked.seq)) {
    const intent = { kind: 'fix_approved', checks: asked.seq } as const;
    found.push({ seq: asked.seq, comment: asked.comment?.id, intent });
  }
  return found;
}

/** Each is received like a comment and judged in the next step. `accept` ignores those received before. */
async function lookForThumbs(
  { tracker, github, service: { store, log } }: SessionScope,
  { comment, intent }: AskedComment,
): Promise<void> {
  const { thread } = tracker.session;
  if (comment === undefined) return;
  for (const { id, by, at } of await thumbsOn(comment)) {
    const meaning = `thumbs-up:${id}`;
    await store.accept(
      {
        installation: thread.installation,
        repository: thread.repository,
        thread: { on: 'issue', number: thread.issue },
        sender: by,
        meaning,
        intent: { ...intent, at },
      },
      { id: meaning, event: 'reaction' },
    );
  }

  async function thumbsOn(on: number) {
    try {
      return await github.thumbsUp(on);
    } catch (error) {
      // For example, the comment was deleted. A comment can still say the same.
      if (!(error instanceof TellPerson)) throw error;
      log.info({ reason: error.message }, 'failed to look up reactions');
      return [];
    }
  }
}

/** When to look again at a session that waits; `undefined`: only after new activity. */
export function lookAgainAt(tracker: TrackedJournal): Date | undefined {
  const { session } = tracker;
  const times = [personLookedForAt(tracker), gatheredAt(session), subIssuesLookedForAt(session)];
  return times.flatMap((time) => time ?? []).toSorted((one, other) => +one - +other)[0];
}

function personLookedForAt({ session, entries }: TrackedJournal): Date | undefined {
  const looks = askingOf(session).map(({ seq }) => nextLook(entryAt(entries, seq)?.at ?? ''));
  const times = [deadlineOf(session), ...looks].filter((at) => at !== undefined);
  return times.toSorted((one, other) => +one - +other)[0];
}

function nextLook(askedAt: string): Date | undefined {
  const age = sharedNow() - Date.parse(askedAt);
  if (Number.isNaN(age) || age > LAST_LOOK_MS) return undefined;
  const wait = Math.min(Math.max(age / SHARE_OF_AGE, FIRST_LOOK_MS), HOUR);
  return new Date(sharedNow() + wait);
}
