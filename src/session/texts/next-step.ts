import type { Session } from '../session.ts';
import { stateOf } from '../state.ts';
import { hasOnlyOnePlan } from './headline.ts';
import { code } from './markdown.ts';

const STOP = 'To stop, write `/issuewright stop` or close this issue.';
export const GO_ON = 'Reply to this issue in plain words, and the conversation goes on.';

const RETRY = 'write `/issuewright retry`';

/** What a person can do now: how to go on, how to stop, how to start again. Markdown, short. */
export function nextStep(session: Session): string {
  const again =
    session.label === ''
      ? RETRY
      : `${RETRY}, or remove the label ${code(session.label)} and add it again`;
  const isAtLimit = session.run?.end?.kind === 'limit';
  const state = stateOf(session);
  switch (state) {
    case 'ignored':
    case 'queued':
      return STOP;
    case 'working':
      return session.run?.parked === undefined ? STOP : `It goes on by itself. ${STOP}`;
    case 'waiting(answer)':
      return `Reply to this issue in plain words, and the work goes on. ${STOP}`;
    case 'waiting(approval)':
      return `Answer *approve* or *go*, or react to the plan with 👍, and the work begins; say anything else, and the plan changes. ${STOP}`;
    case 'waiting(review)':
      if (hasOnlyOnePlan(session)) return `${nextReply(again)} ${STOP}`;
      return `Request changes in a review, and they are worked in; merge it when you are content. ${STOP}`;
    case 'waiting(pause)':
      return session.pausedBy === undefined
        ? `It goes on when the operator lets it. ${STOP}`
        : `To go on, write \`/issuewright resume\`. ${STOP}`;
    case 'waiting(person)':
      return `Reply to this issue, and the work goes on. ${STOP}`;
    case 'done':
      if (session.pullRequest?.state === 'merged') return '';
      if (session.run?.end?.kind === 'answered') return GO_ON;
      if (hasOnlyOnePlan(session)) return nextReply(again);
      return `If that is not what you meant, say more in the issue; then ${again}.`;
    case 'failed':
      return `To ${isAtLimit ? 'go on' : 'try again'}, ${again}: the work goes on from what is there.`;
    case 'stopped':
      return session.issueClosed
        ? `To start again, reopen the issue and ${RETRY}.`
        : `To start again, ${RETRY}.`;
    default:
      return state satisfies never;
  }
}

const nextReply = (again: string): string =>
  `For the model's next reply, ${again}: the work goes on from what is there.`;
