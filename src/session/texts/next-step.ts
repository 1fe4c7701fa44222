import type { RunEnd } from '../../contracts/entries.ts';
import type { Session } from '../session.ts';
import { isUnfinished } from '../unfinished.ts';
import { pullRequestState, type Thread } from '../parts/session-thread.ts';
import { hasBrokenOff, stateOf } from '../state.ts';
import { hasOnlyOnePlan } from './headline.ts';
import { code, oneLine } from './markdown.ts';
import { unresolved } from './merges.ts';
import { threadName } from './thread-reply.ts';

/** How to continue after a run without tools. On someone else's pull request, a reply may be for others. */
export const converse = (thread: Thread): string =>
  thread.adopted === undefined
    ? 'Reply to this issue to continue the conversation.'
    : 'Mention me in a reply to continue the conversation.';

const MENTION = 'If there is more to do, mention me in a comment.';
const RETRY = 'write `/issuewright retry`';
const FROM_HERE = "I'll continue from the work so far.";

/** How an administrator approves a change of workflow files. */
export const APPROVE_WORKFLOWS =
  'To approve exactly this change, someone with admin access writes `/issuewright approve`, or reacts with 👍. Any other reply changes the work.';

/** How to start the work again. Markdown. */
export function startAgain({ label, assignee }: Thread): string {
  if (assignee !== undefined) return `${RETRY}, or unassign ${assignee} and assign it again`;
  return label === '' ? RETRY : `${RETRY}, or remove the label ${code(label)} and add it again`;
}

/** What a person can do now: continue, stop or start again. Markdown, short. */
export function nextStep(session: Session): string {
  const again = startAgain(session.thread);
  const where = threadName(session.thread);
  const stop = `To stop, write \`/issuewright stop\` or close this ${where}.`;
  const reply = `Reply to this ${where} and I'll continue.`;
  const state = stateOf(session);
  switch (state) {
    case 'ignored':
    case 'queued':
      return stop;
    case 'working':
      return session.run?.deferred === undefined || session.run.deferred.cause === 'installation'
        ? stop
        : `I'll resume automatically. ${stop}`;
    case 'waiting(answer)':
      return `${reply} ${stop}`;
    case 'waiting(approval)':
      if (session.waiting.proposal?.of === 'workflows') return `${APPROVE_WORKFLOWS} ${stop}`;
      return `To approve the plan, reply *approve* or *go*, or react to it with 👍. Any other reply changes the plan. ${stop}`;
    case 'waiting(review)':
      if (hasBrokenOff(session)) return `${afterFailure(session.run?.end, again)} ${stop}`;
      if (hasOnlyOnePlan(session)) return `${nextReply(again)} ${stop}`;
      if (isUnfinished(session.run))
        return `Mention me with what should happen next, or review it, and I'll continue. ${stop}`;
      return `Review the pull request, or mention me there, and I'll address it. Merge when you're happy. ${stop}`;
    case 'waiting(pause)':
      return session.waiting.pausedBy === undefined
        ? `I'll resume when the operator ends the pause. ${stop}`
        : `To resume, write \`/issuewright resume\`. ${stop}`;
    case 'waiting(person)':
      return `${reply} ${stop}`;
    case 'done':
      if (pullRequestState(session.thread) === 'merged') return '';
      if (session.run?.end?.kind === 'answered') return converse(session.thread);
      if (hasOnlyOnePlan(session)) return nextReply(again);
      if (session.thread.adopted !== undefined) return MENTION;
      return `If this isn't what you meant, add details to the issue, then ${again}.`;
    case 'failed':
      return afterFailure(session.run?.end, again);
    case 'stopped':
      return session.thread.issueClosed
        ? `To start again, reopen the issue and ${RETRY}.`
        : `To start again, ${RETRY}.`;
    default:
      return state satisfies never;
  }
}

/** Another run would end at once if the budget of the issue is used up. */
export function afterFailure(end: RunEnd | undefined, again: string): string {
  if (end?.kind !== 'limit') return `To try again, ${again}. ${FROM_HERE}`;
  return end.isOfIssue === true
    ? `The operator can raise \`BUDGET_ISSUE\`. After that, ${again} to continue from the work so far.`
    : `To continue, ${again}. ${FROM_HERE}`;
}

/** One line for each further attempt on a budget that nobody raised. */
export const stillUsedUp = (end: Extract<RunEnd, { kind: 'limit' }>): string =>
  `${[unresolved(end) ?? '', oneLine(end.reason)].join(' ').trim()} The operator can raise \`BUDGET_ISSUE\`.`;

const nextReply = (again: string): string => `For the model's next reply, ${again}. ${FROM_HERE}`;
