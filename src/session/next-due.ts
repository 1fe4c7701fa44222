// Continuous mode.
import type { Session } from './session.ts';
import { needsRun } from './state.ts';
import { isUnfinished } from './unfinished.ts';

/** Whether it is finished, its settings ask for another issue then, and none was looked for yet. */
export function isNextDue(session: Session): boolean {
  const { run, thread } = session;
  return (
    run?.continuous === true &&
    thread.adopted === undefined &&
    !run.nextIssueSearched &&
    !thread.nextIssueStarted &&
    run.end?.kind === 'finished' &&
    run.finish !== undefined &&
    !isUnfinished(run) &&
    !needsRun(session)
  );
}
