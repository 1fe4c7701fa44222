import type { Admitted, Session } from './session.ts';

/**
 * Where a session stands, for people and for looking up:
 *
 *   queued ──▶ working ──▶ waiting(answer) ──answer──▶ working
 *                 ├──────▶ waiting(approval) of its plan ──approval, or another wish──▶ working
 *                 ├──────▶ waiting(review) ──review──▶ working
 *                 ├──────▶ waiting(pause)  ──resume──▶ as before
 *                 ├──────▶ waiting(person) bots alone asked for the last runs ──person──▶ working
 *                 ├──────▶ done      merged, or there was nothing to do
 *                 ├──────▶ failed    a limit or an error, said on the issue
 *                 └──────▶ stopped   by a person, or the issue or the pull request was closed
 *
 * `ignored` is a session that nobody who may asked for. A label or a request in a comment brings any
 * of them back to `queued`.
 */
export type State =
  | 'ignored'
  | 'queued'
  | 'working'
  | 'waiting(answer)'
  | 'waiting(approval)'
  | 'waiting(review)'
  | 'waiting(pause)'
  | 'waiting(person)'
  | 'done'
  | 'failed'
  | 'stopped';

/** Whether nothing more is to be done, whatever a run would like: said by GitHub, not by us. */
export function isClosed(session: Session): boolean {
  const { pullRequest } = session;
  return session.issueClosed || (pullRequest !== undefined && pullRequest.state !== 'open');
}

function callsForWork(session: Session, item: Admitted): boolean {
  const { intent, ask } = item;
  switch (intent.kind) {
    case 'start':
      return true;
    case 'comment':
      if (ask === 'work' || ask === 'retry') return true;
      return (
        item.seq > session.reopenedAt && (isWaitedFor(session, item) || isForTheRun(session, item))
      );
    case 'thumbs_up':
      return session.proposal !== undefined;
    case 'review':
      return session.pullRequest?.state === 'open' && intent.verdict !== 'approved';
    case 'pull_request_closed':
    case 'pull_request_reopened':
    case 'issue_closed':
    case 'issue_reopened':
    case 'issue_gone':
    case 'unlabeled':
      return false;
    default:
      return intent satisfies never;
  }
}

/** An answer to a question, or to a plan: what was said before it was there answers nothing. */
const isWaitedFor = ({ question, proposal }: Session, { seq }: Admitted): boolean =>
  (question !== undefined && seq > question.seq) || (proposal !== undefined && seq > proposal.seq);

/** People go on talking with a run without tools; to any other they speak while it goes on. */
function isForTheRun({ run }: Session, { seq, sender }: Admitted): boolean {
  const end = run?.end?.kind;
  if (end === 'answered') return true;
  return end === 'finished' && seq < (run?.endSeq ?? 0) && sender.bot !== true;
}

/** A run that began and did not end: it is going on, or its process died. */
export const isRunning = (session: Session): boolean =>
  session.run !== undefined && session.run.end === undefined;

/** Bots that answer each other must not go on for ever. */
const MOST_RUNS_WITHOUT_PERSON = 3;

/** Whether a run has to be started or resumed now. */
export function needsRun(session: Session): boolean {
  if (isClosed(session) || session.stop !== undefined || session.pausedBy !== undefined)
    return false;
  return isRunning(session) || (isAskedFor(session) && !isAmongBots(session));
}

/** By a person, or by a question that nobody answered in time. */
const isAskedFor = (session: Session): boolean =>
  isOverdue(session) || unheeded(session).some((item) => callsForWork(session, item));

const isOverdue = ({ question, run }: Session): boolean =>
  question?.expired === 'defaults' && run?.end?.kind === 'asked';

/** A question that people can still answer. */
export const isQuestionOpen = (session: Session): boolean =>
  session.question !== undefined &&
  session.run?.end?.kind === 'asked' &&
  session.stop === undefined &&
  !isClosed(session) &&
  !needsRun(session);

export const isAmongBots = ({ runsWithoutPerson }: Session): boolean =>
  runsWithoutPerson >= MOST_RUNS_WITHOUT_PERSON;

/**
 * What nobody has worked on yet. A run that broke off has had its chance with all that was admitted
 * before its end, whether the model saw it or not: only something new starts another. One that was
 * stopped had it until then: what is asked while it is still ending is new.
 */
function unheeded({ unseen, run }: Session): readonly Admitted[] {
  const end = run?.end?.kind;
  if (end === undefined || end === 'asked' || end === 'finished' || end === 'answered')
    return unseen;
  const stopSeq = end === 'stopped' ? run?.stopSeq : undefined;
  if (stopSeq !== undefined) return unseen.filter(({ seq }) => seq > stopSeq);
  return unseen.filter(({ admittedAt }) => admittedAt > (run?.endSeq ?? 0));
}

/** Whether it is finished as its settings say another issue is taken up then, and none was looked for. */
export function isNextDue(session: Session): boolean {
  const { run, finish, lookedForNext } = session;
  return (
    run?.continuous === true &&
    run.number > lookedForNext &&
    run.end?.kind === 'finished' &&
    finish !== undefined &&
    finish.outcome !== 'cannot' &&
    !needsRun(session)
  );
}

export function stateOf(session: Session): State {
  if (session.pullRequest?.state === 'merged') return 'done';
  if (isClosed(session) || session.stop !== undefined) return 'stopped';
  if (session.pausedBy !== undefined || (session.held !== undefined && needsRun(session)))
    return 'waiting(pause)';
  if (isRunning(session)) return 'working';
  if (needsRun(session)) return 'queued';
  if (isAskedFor(session)) return 'waiting(person)';
  const end = session.run?.end;
  if (end === undefined) return session.unjudged.length > 0 ? 'queued' : 'ignored';
  switch (end.kind) {
    case 'asked':
      return session.proposal === undefined ? 'waiting(answer)' : 'waiting(approval)';
    case 'finished':
      return session.pullRequest === undefined ? 'done' : 'waiting(review)';
    case 'answered':
      return 'done';
    case 'limit':
    case 'failed':
      return 'failed';
    case 'stopped':
      return 'stopped';
    default:
      return end satisfies never;
  }
}
