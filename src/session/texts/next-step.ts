import type { RunEnd } from '../../contracts/entries.ts';
import { hasFailingChecks } from '../checks/due.ts';
import type { Session } from '../session.ts';
import { hasBrokenOff, isUnfinished, stateOf, type State } from '../state.ts';
import { pullRequestState, type Thread } from '../parts/session-thread.ts';
import { hasOnlyOnePlan } from './headline.ts';
import { oneLine } from './markdown.ts';
import { unresolvedConflicts } from './merges.ts';

/** How to continue after a run without tools. On someone else's pull request, a reply may be for others. */
const converse = ({ adopted }: Thread): string =>
  adopted === undefined ? 'Reply here to continue.' : 'Mention me in a reply to continue.';

/** How an administrator approves a change of workflow files. */
export const APPROVE_WORKFLOWS =
  'This is not pushed yet. Someone with admin access has to approve exactly this change: `/issuewright approve` or 👍. Any other reply asks for changes.';

/** How to stop what is being done, or will be after an answer; empty otherwise. Markdown. */
export const howToStop = (session: Session): string =>
  ENDED.has(stateOf(session)) ? '' : 'To stop: `/issuewright stop`';

const ENDED: ReadonlySet<State> = new Set(['waiting(review)', 'done', 'failed', 'stopped']);

/** What a person can do now, unless it goes without saying: continue or start again. Markdown, short. */
export function nextStep(session: Session): string {
  const { run, thread, waiting } = session;
  const state = stateOf(session);
  switch (state) {
    case 'ignored':
    case 'queued':
      return '';
    case 'working':
      return run?.deferred === undefined || run.deferred.cause === 'installation'
        ? ''
        : "I'll resume automatically.";
    case 'waiting(answer)':
    case 'waiting(person)':
      return 'Reply here to continue.';
    case 'waiting(approval)':
      return waiting.proposal?.of === 'workflows'
        ? APPROVE_WORKFLOWS
        : 'Reply **approve**, or react to the plan with 👍. To change it, say what should be different.';
    case 'waiting(review)':
      if (hasBrokenOff(session)) return afterFailure(run?.end);
      if (hasOnlyOnePlan(session)) return NEXT_REPLY;
      if (isUnfinished(run)) return 'Mention me with what should happen next, or review it.';
      return hasFailingChecks(session) ? '' : REVIEW_IT;
    case 'waiting(pause)':
      return waiting.pausedBy === undefined
        ? "I'll resume when the operator ends the pause."
        : 'To resume, write `/issuewright resume`.';
    case 'done':
      if (pullRequestState(thread) === 'merged') return '';
      if (run?.end?.kind === 'answered') return converse(thread);
      if (hasOnlyOnePlan(session)) return NEXT_REPLY;
      return thread.adopted === undefined
        ? 'Not what you meant? Add details in a comment, then write `/issuewright retry`.'
        : 'Mention me if there is more to do.';
    case 'failed':
      return afterFailure(run?.end);
    case 'stopped':
      return `To start again, ${thread.issueClosed ? 'reopen the issue and ' : ''}write \`/issuewright retry\`.`;
    default:
      return state satisfies never;
  }
}

const REVIEW_IT =
  'Review or merge it. I see changes that you request and comments on lines; for anything else, mention me.';

const NEXT_REPLY = "For the model's next reply, write `/issuewright retry`.";

/** One line for each further attempt on a budget that nobody raised. */
export function stillUsedUp(end: Extract<RunEnd, { kind: 'limit' }>): string {
  const conflict = unresolvedConflicts(end);
  const opening = conflict === undefined ? '' : `${conflict}: `;
  return `${opening}${oneLine(end.reason)} The operator can raise \`BUDGET_ISSUE\`.`;
}

/** Another run would end at once if the budget of the issue is used up. */
export function afterFailure(end: RunEnd | undefined): string {
  return end?.kind === 'limit' && end.isOfIssue === true
    ? 'The operator can raise `BUDGET_ISSUE`. Then write `/issuewright retry`.'
    : 'To continue from here, write `/issuewright retry`.';
}
