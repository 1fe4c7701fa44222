import type { RunEnd } from '../../contracts/entries.ts';
import type { Session } from '../session.ts';
import { stateOf } from '../state.ts';
import { hasOnlyOnePlan } from './headline.ts';
import { code } from './markdown.ts';

const STOP = 'To stop, write `/issuewright stop` or close this issue.';
const REPLY = "Reply to this issue and I'll continue.";
export const CONVERSE = 'Reply to this issue to continue the conversation.';

const RETRY = 'write `/issuewright retry`';
const FROM_HERE = "I'll continue from the work so far.";

/** What a person can do now: continue, stop or start again. Markdown, short. */
export function nextStep(session: Session): string {
  const again =
    session.thread.label === ''
      ? RETRY
      : `${RETRY}, or remove the label ${code(session.thread.label)} and add it again`;
  const state = stateOf(session);
  switch (state) {
    case 'ignored':
    case 'queued':
      return STOP;
    case 'working':
      return session.run?.deferred === undefined || session.run.deferred.cause === 'installation'
        ? STOP
        : `I'll resume automatically. ${STOP}`;
    case 'waiting(answer)':
      return `${REPLY} ${STOP}`;
    case 'waiting(approval)':
      return `To approve the plan, reply *approve* or *go*, or react to it with 👍. Any other reply changes the plan. ${STOP}`;
    case 'waiting(review)':
      if (hasOnlyOnePlan(session)) return `${nextReply(again)} ${STOP}`;
      if (session.run?.finish?.outcome === 'cannot')
        return `Reply or review with what should happen next, and I'll continue. ${STOP}`;
      return `Comment on the pull request or request changes in a review, and I'll address it. Merge when you're happy. ${STOP}`;
    case 'waiting(pause)':
      return session.waiting.pausedBy === undefined
        ? `I'll resume when the operator ends the pause. ${STOP}`
        : `To resume, write \`/issuewright resume\`. ${STOP}`;
    case 'waiting(person)':
      return `${REPLY} ${STOP}`;
    case 'done':
      if (session.thread.pullRequest?.state === 'merged') return '';
      if (session.run?.end?.kind === 'answered') return CONVERSE;
      if (hasOnlyOnePlan(session)) return nextReply(again);
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
function afterFailure(end: RunEnd | undefined, again: string): string {
  if (end?.kind !== 'limit') return `To try again, ${again}. ${FROM_HERE}`;
  return end.isOfIssue === true
    ? `The operator can raise \`BUDGET_ISSUE\`. After that, ${again} to continue from the work so far.`
    : `To continue, ${again}. ${FROM_HERE}`;
}

const nextReply = (again: string): string => `For the model's next reply, ${again}. ${FROM_HERE}`;
