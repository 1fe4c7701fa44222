import type { RunEnd } from '../contracts/entries.ts';
import { hasReviewBeyondLimit, hasWorkRequest, requestsWork } from './requested-work.ts';
import type { AdmittedIntent, RunInfo, Session } from './session.ts';
import { pullRequestState } from './parts/session-thread.ts';

export type State =
  | 'ignored'
  | 'queued'
  | 'working'
  | 'waiting(answer)'
  | 'waiting(approval)'
  | 'waiting(review)'
  | 'waiting(pause)'
  | 'waiting(person)'
  | 'waiting(sub-issues)'
  | 'done'
  | 'failed'
  | 'stopped';

interface StateRow {
  readonly state: State;
  /** The condition as a phrase, for ARCHITECTURE.md. */
  readonly because: string;
  readonly when: (session: Session) => boolean;
}

const always = (): boolean => true;

/** The state while no run has ended, and whatever overrides how the last run ended. */
const BEFORE_A_RUN_ENDS: readonly StateRow[] = [
  {
    state: 'done',
    because: 'its pull request was merged',
    when: ({ thread }) => pullRequestState(thread) === 'merged',
  },
  {
    state: 'stopped',
    because: 'its issue or pull request was closed',
    when: (session) => isClosed(session),
  },
  {
    state: 'stopped',
    because: 'someone stopped it',
    when: ({ requests }) => requests.stop !== undefined,
  },
  {
    state: 'waiting(pause)',
    because: 'someone paused it',
    when: ({ waiting }) => waiting.pausedBy !== undefined,
  },
  {
    state: 'waiting(pause)',
    because: 'the operator paused the service, and there is something to do',
    when: (session) => session.waiting.servicePauseReason !== undefined && needsRun(session),
  },
  {
    state: 'working',
    because: 'a run has started and not ended',
    when: (session) => isRunning(session),
  },
  {
    state: 'queued',
    because:
      'work is requested, a question expired and its defaults apply, or failed checks are to be fixed',
    when: (session) => needsRun(session),
  },
  {
    state: 'waiting(person)',
    because:
      'work is requested, but the last three runs were requested only by bots, or the limit of review rounds is reached',
    when: (session) => hasWorkRequest(session) || hasReviewBeyondLimit(session),
  },
  {
    state: 'waiting(sub-issues)',
    because: 'its sub-issues are worked on in their order',
    when: (session) => isWorkingSubIssues(session),
  },
  {
    state: 'done',
    because: 'nothing has run, and its sub-issues are done',
    when: ({ run, thread }) => run === undefined && thread.subIssues?.isOver === true,
  },
  {
    state: 'queued',
    because: 'nothing has run yet, and a request waits for admission',
    when: ({ run, requests }) => run === undefined && requests.awaitingAdmission.length > 0,
  },
  {
    state: 'ignored',
    because: 'nothing has run, and no one with permission has requested anything',
    when: ({ run }) => run === undefined,
  },
];

/** The state once the last run has ended, by how it ended. */
const AFTER_A_RUN: Readonly<Record<RunEnd['kind'], readonly StateRow[]>> = {
  asked: [
    {
      state: 'working',
      because: 'the sub-issues that the last run proposed are approved, and opened now',
      when: ({ waiting }) => waiting.openingSubIssues !== undefined,
    },
    {
      state: 'waiting(approval)',
      because:
        'the last run ended with a plan, sub-issues, or a change of workflow files, that needs approval',
      when: ({ waiting }) => waiting.proposal !== undefined,
    },
    {
      state: 'done',
      because: 'the sub-issues that the last run proposed are open',
      when: ({ run }) => run?.splits === true,
    },
    {
      state: 'waiting(answer)',
      because: 'the last run ended with a question',
      when: always,
    },
  ],
  finished: [
    {
      state: 'waiting(review)',
      because: 'the last run finished, and its pull request is open',
      when: ({ thread }) => thread.pullRequest !== undefined,
    },
    { state: 'done', because: 'the last run finished without a pull request', when: always },
  ],
  answered: [{ state: 'done', because: 'the last run ended with an answer', when: always }],
  limit: [
    {
      state: 'waiting(review)',
      because: 'the last run ended at a limit, and its pull request is open',
      when: ({ thread }) => thread.pullRequest !== undefined,
    },
    { state: 'failed', because: 'the last run ended at a limit', when: always },
  ],
  failed: [{ state: 'failed', because: 'the last run failed', when: always }],
  stopped: [{ state: 'stopped', because: 'the last run was stopped', when: always }],
};

const endedAs =
  (kind: string, { when }: StateRow): StateRow['when'] =>
  (session) =>
    session.run?.end?.kind === kind && when(session);

/** The state machine: read from the top, the first row whose condition holds is the state. */
export const STATES: readonly StateRow[] = [
  ...BEFORE_A_RUN_ENDS,
  ...Object.entries(AFTER_A_RUN).flatMap(([kind, rows]) =>
    rows.map((row) => ({ ...row, when: endedAs(kind, row) })),
  ),
];

export function stateOf(session: Session): State {
  const row = STATES.find(({ when }) => when(session));
  if (row === undefined) throw new Error(`session is in no state: ${session.run?.end?.kind}`);
  return row.state;
}

const IDLE: ReadonlySet<State> = new Set(['ignored', 'done', 'failed', 'stopped']);

/** Whether the session is working or waiting. */
export const isUnderWay = (state: State): boolean => !IDLE.has(state);

const PENDING: ReadonlySet<State> = new Set(['queued', 'working', 'waiting(pause)']);

/** Whether the work continues by itself, or will once a pause ends. */
export const isWorkPending = (state: State): boolean => PENDING.has(state);

/** Its own pull request, question or plan comes first, if someone asked for work on the issue itself. */
const isWorkingSubIssues = ({ thread, waiting }: Session): boolean =>
  thread.subIssues?.isOver === false &&
  thread.pullRequest === undefined &&
  waiting.question === undefined &&
  waiting.proposal === undefined;

/** Whether the issue or its pull request is closed, so that there is nothing left to do. */
export const isClosed = ({ thread }: Session): boolean =>
  thread.issueClosed || (pullRequestState(thread) ?? 'open') !== 'open';

/** A run that began and has not ended: it is in progress, or its process died. */
export const isRunning = ({ run }: Session): boolean => run !== undefined && run.end === undefined;

/** Whether the last run did not get to its end, so that it can be tried again. */
export const hasBrokenOff = (session: Session): boolean => {
  const state = stateOf(session);
  if (state === 'waiting(review)') return session.run?.end?.kind === 'limit';
  return state === 'failed' || state === 'stopped';
};

/** Whether a run has to be started or resumed now. */
export function needsRun(session: Session): boolean {
  const { requests, waiting } = session;
  if (isClosed(session) || requests.stop !== undefined || waiting.pausedBy !== undefined)
    return false;
  if (isRunning(session) || session.checks.due !== undefined) return true;
  return hasWorkRequest(session) && !isBotRunLimitReached(session);
}

/** Bots that answer each other must not continue forever. */
const MAX_BOT_ONLY_RUNS = 3;

export const isBotRunLimitReached = ({ requests }: Session): boolean =>
  requests.botOnlyRuns >= MAX_BOT_ONLY_RUNS;

/** A question that people can still answer. */
export const isQuestionOpen = (session: Session): boolean =>
  session.waiting.question !== undefined &&
  session.run?.end?.kind === 'asked' &&
  session.requests.stop === undefined &&
  !isClosed(session) &&
  !needsRun(session);

/** Whether comments on its pull request are requests. A comment on a question or a plan is an answer. */
export function takesRemarks(session: Session): boolean {
  return !isClosed(session) && session.requests.stop === undefined && isUpForReview(session);
}

/** Its pull request is open, and nothing is asked: what people say there is about the change. */
export const isUpForReview = ({ thread, waiting }: Session): boolean =>
  thread.pullRequest?.state === 'open' &&
  waiting.question === undefined &&
  waiting.proposal === undefined;

/** A comment that asks for nothing, answers nothing, and came while nothing was being worked on that it can be about. */
export function isTalk(session: Session, item: AdmittedIntent): boolean {
  if (item.intent.kind !== 'comment' || item.ask !== undefined || item.approves !== undefined)
    return false;
  if (item.needsMention) return true;
  const state = stateOf(session);
  // Any word of a person ends the wait for one.
  if (state === 'waiting(person)') return false;
  const isOnOurs = session.thread.adopted === undefined;
  return !(isOnOurs && isWorkPending(state)) && !requestsWork(session, item);
}

/** Whether the run ended its work with less than was asked for. */
export const isUnfinished = (run: RunInfo | undefined): boolean =>
  run?.finish?.outcome === 'partial' || run?.finish?.outcome === 'cannot';

// Continuous mode.

/** Whether it is finished, its settings ask for another issue then, and none was looked for yet. */
export function isNextDue(session: Session): boolean {
  const { run, thread } = session;
  return (
    run?.continuous === true &&
    !run.splits &&
    thread.adopted === undefined &&
    !run.nextIssueSearched &&
    !thread.nextIssueStarted &&
    run.end?.kind === 'finished' &&
    run.finish !== undefined &&
    !isUnfinished(run) &&
    !needsRun(session)
  );
}
