// The replies that people get where they asked: from what a run has read to what came of it.
import type { Effect } from '../../contracts/effect.ts';
import type { Intent, ReactionPlace } from '../../contracts/intent.ts';
import type { EntryOf } from '../entry.ts';
import { readable, wantsMerge } from '../merging.ts';
import { reviewWork } from '../requested-work.ts';
import { isSamePlace } from '../said/asks.ts';
import { openRound } from '../parts/session-reviews.ts';
import { withExplanation } from './reviews.ts';
import { unpushedIn } from '../parts/session-work.ts';
import type { AdmittedIntent, OpenRequest, RequestReply, Requests, Session } from '../session.ts';
import type { WithThread } from '../parts/session-thread.ts';

/** Requests that wait for a reply, and those that got one. */
type OpenReplies = Pick<Requests, 'open' | 'replies'>;

/** What the model reads now waits for a reply. */
export const withRead = (
  { open }: Requests,
  session: Session,
  upTo: number,
): Pick<Requests, 'open'> => ({
  open: [...open, ...opened(session, (item) => item.admittedAt <= upTo, readable(session))],
});

/** Nobody but git reads what only asks for a merge. */
export const withMerged = ({ open }: Requests, session: Session): Pick<Requests, 'open'> => ({
  open: [...open, ...opened(session, (item) => wantsMerge(item) && item.isAlone)],
});

/**
 * Who asked a question that nothing answers yet, if others wait as well: what is said of the work is for all of them. While an earlier
 * question of ours stays open, only those whom this run has read.
 */
export function unansweredIn({ requests, run, waiting: { question } }: Session): readonly string[] {
  const waiting = requests.open.filter(
    (one) => one.waitsFor !== 'nothing' && (question === undefined || one.run === run?.number),
  );
  if (waiting.every(({ login }) => isSameLogin(login, waiting[0]?.login ?? ''))) return [];
  const asking = waiting.filter(
    (one) => one.isQuestion && one.reply === undefined && !one.isAnswered,
  );
  return [...new Set(asking.map(({ login }) => login))];
}

/** What a call came to, with what the model said to people, which they read at once if it needs no push. */
export function withCall(
  { open, replies }: Requests,
  session: Session,
  { effects, changedFiles = 0, leftOutFiles = 0 }: EntryOf<'call_finished'>,
): OpenReplies {
  const commits = effects.filter(({ type }) => type === 'commit').length;
  const isPushed = effects.some((one) => one.type === 'commit' && one.partial !== true);
  const isEdit = changedFiles > leftOutFiles;
  const after = effects
    .reduce(withEffect, open)
    .map((one) => ({ ...one, needsPush: !isPushed && (one.needsPush || isEdit) }));
  return saidAtOnce({ open: after, replies }, session, session.work.commits.length + commits);
}

/** What else the same person asked for waits for its own. */
function saidAtOnce(
  { open, replies }: OpenReplies,
  session: Session,
  commits: number,
): OpenReplies {
  const { run } = session;
  const ready = open.filter(
    (one) =>
      one.reply !== undefined &&
      !one.needsPush &&
      (one.isQuestion || (commits > one.commitsBefore && one.waitsFor !== 'pull_request')),
  );
  if (run?.repliesAtOnce !== true || run.mode === 'single' || ready.length === 0)
    return { open, replies };
  return {
    open: open.map((one) => {
      if (!ready.some(({ login }) => isSameLogin(login, one.login))) return one;
      const { waitsFor: what } = one;
      return { ...one, reply: undefined, waitsFor: ready.includes(one) ? 'nothing' : what };
    }),
    replies: withReplies(replies, repliesTo(ready, session, { kind: 'answered' })),
  };
}

/** Other words for the same request take the place of those before. */
const withReplies = (
  replies: readonly RequestReply[],
  said: readonly RequestReply[],
): readonly RequestReply[] => [
  ...replies.filter(
    (one) => !said.some(({ run, received }) => run === one.run && received === one.received),
  ),
  ...said,
];

function withEffect(open: readonly OpenRequest[], effect: Effect): readonly OpenRequest[] {
  if (effect.type === 'review' || effect.type === 'patch')
    return open.map((one) => ({ ...one, isAnswered: true }));
  if (effect.type !== 'reply') return open;
  const { to, text } = effect;
  return open.map((one) => (isSameLogin(one.login, to) ? { ...one, reply: text } : one));
}

const isSameLogin = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase();

export const withoutDeletedRequest = (
  open: readonly OpenRequest[],
  place: ReactionPlace,
): readonly OpenRequest[] => open.filter((one) => !isSamePlace(one.in, place));

/** What a run has answered whose end leaves an earlier question open. */
export const answeredAside = (
  { open }: Requests,
  { run }: Session,
  { kind }: EntryOf<'run_ended'>['end'],
): readonly OpenRequest[] =>
  kind === 'asked' && run?.finish !== undefined
    ? open.filter((request) => request.run === run.number)
    : [];

/** A question keeps them open; after a stop, nobody waits. An answer has a comment of its own. */
export function replied(
  requests: Requests,
  session: Session,
  { end }: EntryOf<'run_ended'>,
): OpenReplies {
  const { open, replies } = requests;
  const { run } = session;
  if (end.kind === 'asked') {
    const aside = answeredAside(requests, session, end);
    const left = open.filter((one) => !aside.includes(one));
    return {
      open: left,
      replies: withReplies(replies, repliesTo(aside, session, { kind: 'finished' })),
    };
  }
  const isOneReply = end.kind === 'finished' && run?.mode === 'single' && run.finish === undefined;
  const isForNobody = end.kind === 'stopped' || end.kind === 'answered' || isOneReply;
  if (run?.repliesToRequests !== true || isForNobody) return { open: [], replies };
  const all = end.kind === 'finished' ? open : [...open, ...opened(session, isGivenUp(end))];
  return { open: [], replies: withReplies(replies, repliesTo(all, session, end)) };
}

/** What a run that failed has not read, and no other will start for. */
const isGivenUp =
  (end: EntryOf<'run_ended'>['end']) =>
  (item: AdmittedIntent): boolean =>
    !(end.kind === 'failed' && end.rejectedMerge === true) || (wantsMerge(item) && item.isAlone);

function opened(
  session: Session,
  isMeant: (item: AdmittedIntent) => boolean,
  among: readonly AdmittedIntent[] = session.requests.unread,
): OpenRequest[] {
  const { open } = session.requests;
  return among.flatMap((item) => {
    const { intent, sender } = item;
    const place = placeOfIntent(intent, session);
    if (!isMeant(item) || place === undefined) return [];
    if (sender.bot === true || sender.operator === true) return [];
    if (open.some(({ received }) => received === item.seq)) return [];
    return [
      {
        received: item.seq,
        run: session.run?.number ?? 0,
        login: sender.login,
        ...place,
        waitsFor: waitsFor(session, item),
        isQuestion: item.isQuestion,
        threads: threadsToAnswer(item, session),
        isAlone: item.isAlone,
        requestsChanges: intent.kind === 'review' && intent.verdict === 'changes_requested',
        commitsBefore: session.work.commits.length,
        reply: undefined,
        needsPush: false,
        isAnswered: false,
      },
    ];
  });
}

function threadsToAnswer(item: AdmittedIntent, session: Session): readonly number[] {
  if (item.asks.some((ask) => ask.in.on === 'review')) return [];
  return item.lineComments.flatMap(({ thread }) => {
    if (thread === undefined || reviewWork(session, item, thread) !== 'work') return [];
    const known = session.reviews.threads.find(({ root }) => root === thread.root);
    return known === undefined ? [] : [known.number];
  });
}

/** Where someone said it, and the issue or pull request where it is answered. */
export function placeOfIntent(
  intent: Intent,
  { thread }: WithThread,
): Pick<OpenRequest, 'in' | 'on'> | undefined {
  const { issue, adopted, pullRequest } = thread;
  if (intent.kind === 'start') return { in: { on: 'issue', id: issue }, on: issue };
  if (intent.kind === 'comment') {
    const isOnOwn = intent.on === 'pull_request' && adopted === undefined;
    const on = isOnOwn ? (pullRequest?.number ?? issue) : issue;
    return { in: { on: 'comment', id: intent.commentId }, on };
  }
  if (intent.kind === 'edited') {
    if (intent.in.on === 'review') return { in: intent.in, on: intent.in.pullRequest };
    const isOnOwn = intent.on === 'pull_request' && adopted === undefined;
    return { in: intent.in, on: isOnOwn ? (pullRequest?.number ?? issue) : issue };
  }
  if (intent.kind !== 'review') return undefined;
  const { pullRequest: on, reviewId: id } = intent;
  return { in: { on: 'review', id, pullRequest: on }, on };
}

function waitsFor(session: Session, item: AdmittedIntent): OpenRequest['waitsFor'] {
  const { intent, ask, since, needsMention } = item;
  if (item.approves !== undefined || session.run?.splits === true) return 'nothing';
  if (intent.kind === 'start') return 'pull_request';
  if (intent.kind === 'review') return isOwnRequest(session, item) ? 'reply' : 'nothing';
  const isFollowUp = since.runEnded === true && !needsMention;
  return ask !== undefined || isFollowUp ? 'reply' : 'nothing';
}

/** The words of a review are a request of their own, beside its comments on lines, which have their replies there. */
function isOwnRequest(session: Session, item: AdmittedIntent): boolean {
  const { intent, shown, lineComments, asks } = item;
  if (intent.kind !== 'review' || (shown?.body ?? '').trim() === '') return false;
  if (asks.some((ask) => ask.in.on === 'review')) return true;
  if (reviewWork(session, item) !== 'work') return false;
  return intent.verdict === 'changes_requested' || lineComments.length === 0;
}

/** What is equal for several people on one issue or pull request is said once. */
function repliesTo(
  open: readonly OpenRequest[],
  { thread, work, run, reviews, requests }: Session,
  end: EntryOf<'run_ended'>['end'],
): readonly RequestReply[] {
  const pull = (thread.adopted ?? thread.pullRequest)?.number;
  const isDone = end.kind === 'finished' && (run?.finish?.outcome ?? 'done') === 'done';
  // Alone, it has the comment about the outcome.
  const isBesideOthers =
    open.some((one) => one.waitsFor === 'reply' && one.reply === undefined) ||
    requests.replies.some((one) => one.run === run?.number && one.end.kind === 'answered');
  const round = openRound(reviews) ?? { threads: [] };
  const answered = new Set(
    withExplanation(round, { run }, end).flatMap((one) =>
      one.reply === undefined ? [] : [one.thread],
    ),
  );
  const toAnswer = round.threads.filter((one) => one.work === 'work');
  const isRoundAnswered = toAnswer.length > 0 && toAnswer.every((one) => answered.has(one.thread));
  const said = new Map<string, RequestReply>();
  for (const request of open) {
    const { received, login, on, waitsFor: what, commitsBefore, reply, threads, isAlone } = request;
    const isExpected = what === 'reply' || (what === 'pull_request' && !isDone && isBesideOthers);
    const hasThreads = threads.length > 0 && threads.every((one) => answered.has(one));
    const isInThreads = hasThreads || (isAlone && isRoundAnswered);
    const isAnswered = request.isAnswered || (end.kind === 'finished' && isInThreads);
    if (reply === undefined && (!isExpected || isAnswered)) continue;
    const commits = work.commits.slice(commitsBefore).map(({ sha }) => sha);
    const name = JSON.stringify([on, reply, commits]);
    const before = said.get(name);
    const logins = before?.logins ?? [];
    said.set(name, {
      run: run?.number ?? 0,
      received: before?.received ?? received,
      logins: logins.some((one) => isSameLogin(one, login)) ? logins : [...logins, login],
      on,
      words: reply,
      end,
      finish: run?.finish,
      commits,
      pullRequest: on === pull ? undefined : pull,
      unpushed: unpushedIn(work),
    });
  }
  return [...said.values()];
}
