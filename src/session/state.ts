import type { Admitted, Session } from './session.ts';

/**
 * Where a session stands, for people and for looking up:
 *
 *   queued ──▶ working ──▶ waiting(answer) ──answer──▶ working
 *                 ├──────▶ waiting(review) ──review──▶ working
 *                 ├──────▶ done      merged, or there was nothing to do
 *                 ├──────▶ failed    a limit or an error, said on the issue
 *                 └──────▶ stopped   the issue or the pull request was closed
 *
 * `ignored` is a session that nobody who may asked for. A label brings any of them back to `queued`.
 */
export type State =
  | 'ignored'
  | 'queued'
  | 'working'
  | 'waiting(answer)'
  | 'waiting(review)'
  | 'done'
  | 'failed'
  | 'stopped';

/** Whether nothing more is to be done, whatever a run would like: said by GitHub, not by us. */
export function isClosed(session: Session): boolean {
  const { pullRequest } = session;
  return session.issueClosed || (pullRequest !== undefined && pullRequest.state !== 'open');
}

function callsForWork(session: Session, { intent }: Admitted): boolean {
  switch (intent.kind) {
    case 'start':
      return true;
    case 'comment':
      return session.question !== undefined || session.run?.end?.kind === 'answered';
    case 'review':
      return session.pullRequest?.state === 'open' && intent.verdict !== 'approved';
    case 'pull_request_closed':
    case 'pull_request_reopened':
    case 'issue_closed':
      return false;
    default:
      return intent satisfies never;
  }
}

/** A run that began and did not end: it is going on, or its process died. */
export const isRunning = (session: Session): boolean =>
  session.run !== undefined && session.run.end === undefined;

/** Whether a run has to be started or resumed now. */
export function needsRun(session: Session): boolean {
  if (isClosed(session)) return false;
  return isRunning(session) || unheeded(session).some((item) => callsForWork(session, item));
}

/**
 * What nobody has worked on yet. A run that broke off has had its chance with all that was admitted
 * before its end, whether the model saw it or not: only something new starts another.
 */
function unheeded({ unseen, run }: Session): readonly Admitted[] {
  const end = run?.end?.kind;
  if (end === undefined || end === 'asked' || end === 'finished' || end === 'answered')
    return unseen;
  return unseen.filter(({ admittedAt }) => admittedAt > (run?.endSeq ?? 0));
}

export function stateOf(session: Session): State {
  if (session.pullRequest?.state === 'merged') return 'done';
  if (isClosed(session)) return 'stopped';
  if (isRunning(session)) return 'working';
  if (needsRun(session)) return 'queued';
  const end = session.run?.end;
  if (end === undefined) return session.unjudged.length > 0 ? 'queued' : 'ignored';
  switch (end.kind) {
    case 'asked':
      return 'waiting(answer)';
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
