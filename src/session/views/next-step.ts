import type { Session } from '../session.ts';
import { stateOf } from '../state.ts';
import { code } from './markdown.ts';

const STOP = 'To stop, close this issue.';

/** What a person can do now: how to go on, how to stop, how to start again. Markdown, short. */
export function nextStep(session: Session): string {
  const again = `remove the label ${code(session.label)} and add it again`;
  const state = stateOf(session);
  switch (state) {
    case 'ignored':
    case 'queued':
    case 'working':
      return STOP;
    case 'waiting(answer)':
      return `Reply to this issue in plain words, and the work goes on. ${STOP}`;
    case 'waiting(review)':
      return `Request changes in a review, and they are worked in; merge it when you are content. ${STOP}`;
    case 'done':
      return session.pullRequest?.state === 'merged'
        ? ''
        : `If that is not what you meant, say more in the issue; then ${again}.`;
    case 'failed':
      return `To try again, ${again}: the work goes on from what is there.`;
    case 'stopped':
      return `To start again, reopen the issue where it is closed, and ${again}.`;
    default:
      return state satisfies never;
  }
}
