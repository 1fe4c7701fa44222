// The threads of line comments on the pull request, and the rounds of work on them.
import type { EntryOf } from '../entry.ts';
import type { Effect } from '../../contracts/effect.ts';
import type { CommentThread } from '../../contracts/shown-text.ts';
import { reviewWork } from '../requested-work.ts';
import type { AdmittedIntent, Session } from '../session.ts';
import {
  openRound,
  type ReviewRound,
  type Reviews,
  type ReviewThread,
  type RoundThread,
} from '../parts/session-reviews.ts';
import { readable } from '../merging.ts';
import type { EntryOutcome } from './happened.ts';
import { REVIEW_ROUNDS } from '../settings/fields.ts';
import { MOSTLY_UNCHANGED, noChange, type Table } from './table.ts';

export const NO_REVIEWS: Reviews = {
  threads: [],
  rounds: [],
  suggestions: [],
  sinceAsked: { seq: 0, runs: 0, lastRun: 0 },
  limit: REVIEW_ROUNDS,
  resolves: false,
};

export const REVIEWS: Table<Reviews> = {
  ...MOSTLY_UNCHANGED,
  received: (reviews, { seq, intent }) =>
    intent.kind === 'review_thread' ? resolved(reviews, intent, seq) : reviews,
  admitted: (reviews, entry, { outcome }) => heard(asked(reviews, entry, outcome), outcome),
  run_prepared: (reviews, { reviewRounds: limit = REVIEW_ROUNDS, resolvesThreads }) => ({
    ...reviews,
    limit,
    resolves: resolvesThreads === true,
  }),
  suggestions_taken: (reviews, { results }) => ({
    ...reviews,
    suggestions: [...reviews.suggestions, ...results],
  }),
  input_read: (reviews, { upTo }, { session }) =>
    read(counted(reviews, upTo, session), upTo, session),
  call_finished: (reviews, { effects }, { session }) => affected(reviews, effects, session),
  work_saved: (reviews, { effects }, { session }) => affected(reviews, effects, session),
  run_ended: (reviews, { end }, { session }) =>
    end.kind === 'asked'
      ? reviews
      : changed(reviews, (round) => {
          const threads = withExplanation(round, session, end);
          return { ...round, threads, end, resolves: reviews.resolves };
        }),
  ...noChange(
    'run_started',
    'run_resumed',
    'run_deferred',
    'run_paused',
    'reply',
    'call_started',
    'compacted',
  ),
};

/** A thread gets its number when the session first hears of it. */
function heard(reviews: Reviews, { request }: EntryOutcome): Reviews {
  const kind = request?.item.intent.kind;
  if (request === undefined || (kind !== 'review' && kind !== 'edited')) return reviews;
  const threads = request.item.lineComments.reduce((known, { thread, path, line }) => {
    if (thread === undefined) return known;
    const { root, isResolved } = thread;
    const before = known.find((one) => one.root === root);
    const number = before?.number ?? known.length + 1;
    const { reopenedAt, resolvedAt = '' } = before ?? {};
    return placed(known, { number, root, path, line, isResolved, resolvedAt, reopenedAt });
  }, reviews.threads);
  return { ...reviews, threads };
}

/** GitHub may tell of the newer change first. */
function resolved(
  reviews: Reviews,
  { root, isResolved, at }: Extract<EntryOf<'received'>['intent'], { kind: 'review_thread' }>,
  seq: number,
): Reviews {
  const thread = reviews.threads.find((one) => one.root === root);
  if (thread === undefined || at < thread.resolvedAt) return reviews;
  const reopenedAt = isResolved ? thread.reopenedAt : seq;
  const after = { ...thread, isResolved, resolvedAt: at, reopenedAt };
  const threads = placed(reviews.threads, after);
  return { ...reviews, threads };
}

const placed = (threads: readonly ReviewThread[], thread: ReviewThread): readonly ReviewThread[] =>
  thread.number > threads.length
    ? [...threads, thread]
    : threads.map((one) => (one.number === thread.number ? thread : one));

/** The open round changes; without one, nothing does. */
const changed = (reviews: Reviews, change: (round: ReviewRound) => ReviewRound): Reviews => {
  const round = openRound(reviews);
  return round === undefined
    ? reviews
    : { ...reviews, rounds: [...reviews.rounds.slice(0, -1), change(round)] };
};

/** The agent reads comments on lines: the round of these threads begins, or they join the open one. Praise alone begins none. */
function read(reviews: Reviews, upTo: number, session: Session): Reviews {
  const { thread } = session;
  const items = readable(session).filter(({ admittedAt }) => admittedAt <= upTo);
  const commentsOf = (item: AdmittedIntent): readonly ReadComment[] =>
    item.lineComments.flatMap(({ thread: said }) =>
      said === undefined ? [] : [{ said, work: reviewWork(session, item, said) }],
    );
  const comments = items.flatMap(commentsOf);
  const hasWork =
    comments.some(({ work }) => work === 'work') ||
    items.some((item) => commentsOf(item).length > 0 && reviewWork(session, item) === 'work');
  if (comments.length === 0 || (!hasWork && openRound(reviews) === undefined)) return reviews;
  return changed(begun(reviews, thread), (round) => ({
    ...round,
    threads: comments.reduce((threads, one) => {
      const known = reviews.threads.find(({ root }) => root === one.said.root);
      return known === undefined ? threads : withComment(threads, known.number, one);
    }, round.threads),
  }));
}

/** A comment on lines that the agent reads. */
interface ReadComment extends Pick<RoundThread, 'work'> {
  readonly said: CommentThread;
}

function begun(reviews: Reviews, { adopted, pullRequest: own }: Session['thread']): Reviews {
  if (openRound(reviews) !== undefined) return reviews;
  const pullRequest = (adopted ?? own)?.number ?? 0;
  const number = reviews.rounds.length + 1;
  const round = {
    number,
    pullRequest,
    threads: [],
    commits: [],
    held: [],
    resolves: false,
    end: undefined,
  };
  return { ...reviews, rounds: [...reviews.rounds, round] };
}

/** What people added to a thread makes an earlier reply of the round incomplete; it stays until there is another. */
function withComment(
  threads: readonly RoundThread[],
  thread: number,
  { said, work }: ReadComment,
): readonly RoundThread[] {
  const { comment, isResolved: wasResolved, isOutdated: wasOutdated } = said;
  const before = threads.find((one) => one.thread === thread);
  const after = {
    thread,
    comments: [...(before?.comments ?? []), comment],
    wasResolved,
    wasOutdated,
    work: work === 'work' ? work : (before?.work ?? work),
    reply: before?.reply,
  };
  return before === undefined
    ? [...threads, after]
    : threads.map((one) => (one === before ? after : one));
}

const affected = (reviews: Reviews, effects: readonly Effect[], { thread }: Session): Reviews =>
  effects.reduce((before, effect) => {
    if (effect.type === 'thread_reply') return replied(begun(before, thread), effect);
    if (effect.type === 'commit_held')
      return changed(before, (round) => ({ ...round, held: [...round.held, effect.message] }));
    if (effect.type !== 'commit') return before;
    const { sha, files } = effect;
    const commit = { sha, paths: files.map(({ path }) => path) };
    return changed(before, (round) => ({
      ...round,
      held: [],
      commits: [...round.commits, commit],
    }));
  }, reviews);

/** The last words count. */
const replied = (
  reviews: Reviews,
  { thread, text: reply }: Extract<Effect, { type: 'thread_reply' }>,
): Reviews =>
  changed(reviews, (round) => {
    const before = round.threads.find((one) => one.thread === thread);
    const { root, isResolved: wasResolved = false } = reviews.threads[thread - 1] ?? {};
    const comments = root === undefined ? [] : [root];
    // It was read in an earlier round: what has become of its lines since is not known.
    const unread = { thread, comments, wasResolved, wasOutdated: true, work: 'work' } as const;
    const after = { ...(before ?? unread), reply };
    const others = round.threads.filter((one) => one !== before);
    return { ...round, threads: [...others, after] };
  });

/** If nothing had to be changed for the only comment of a round, what the agent says at its end is the reply to it. */
export function withExplanation(
  { threads }: Pick<ReviewRound, 'threads'>,
  { run }: Pick<Session, 'run'>,
  end: EntryOf<'run_ended'>['end'],
): readonly RoundThread[] {
  const { outcome, summary = '' } = (end.kind === 'finished' && run?.finish) || {};
  const [only, ...others] = threads.filter(({ work }) => work === 'work');
  if (outcome !== 'nothing_to_do' || summary === '' || others.length > 0) return threads;
  return threads.map((one) => (one === only ? { ...one, reply: one.reply ?? summary } : one));
}

/** Any request other than the review text itself resets the round limit. */
function asked(
  reviews: Reviews,
  { seq, ask }: EntryOf<'admitted'>,
  { request }: EntryOutcome,
): Reviews {
  const { intent, sender } = request?.item ?? {};
  const isCommand = intent?.kind === 'review' && ask !== undefined && ask.for !== 'work';
  const isAsked = intent?.kind === 'start' || intent?.kind === 'comment' || isCommand;
  return isAsked && sender?.bot !== true
    ? { ...reviews, sinceAsked: { ...reviews.sinceAsked, seq, runs: 0 } }
    : reviews;
}

/** A run counts once, however many reviews it reads. */
function counted(reviews: Reviews, upTo: number, session: Session): Reviews {
  const { run } = session;
  const { lastRun, runs, seq } = reviews.sinceAsked;
  const isReview = readable(session).some(
    ({ admittedAt, intent }) => admittedAt <= upTo && intent.kind === 'review',
  );
  return isReview && run !== undefined && run.number !== lastRun
    ? { ...reviews, sinceAsked: { seq, runs: runs + 1, lastRun: run.number } }
    : reviews;
}
