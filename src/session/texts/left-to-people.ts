// What people do themselves on the pull request, because GitHub denied it to the App. Markdown.
import type { LeftStep } from '../../contracts/effect.ts';
import type { Session } from '../session.ts';
import { code, oneLine } from './markdown.ts';

/** What is left on the pull request while it is open. */
export function leftSteps({
  thread: { pullRequest },
}: Pick<Session, 'thread'>): readonly LeftStep[] {
  return pullRequest?.state === 'open' ? pullRequest.left : [];
}

/** For the status comment. */
export function leftToPeople(session: Session): string {
  const steps = leftSteps(session);
  if (steps.length === 0) return '';
  const number = session.thread.pullRequest?.number;
  const list = steps.map((one) => `- ${whatToDo(one)} (${oneLine(one.reason)})`).join('\n');
  return `⚠️ **Please do this on #${number}**, because GitHub did not let me:\n${list}`;
}

function whatToDo(left: LeftStep): string {
  if (left.step === 'ready_for_review') return 'Click **Ready for review**.';
  return `Request a review from ${left.reviewers.map(code).join(', ')}.`;
}
