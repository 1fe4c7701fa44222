// What the model is told of the review threads it works on.
import type { Notice } from '../../agent/agent-run.ts';
import { threadResolved } from '../../agent/prompts/notices.ts';
import type { Session } from '../../session/session.ts';
import { openRound } from '../../session/parts/session-reviews.ts';

/** Nobody waits for an answer in those that were resolved in the meantime. */
export function threadNotices({ reviews }: Session): readonly Notice[] {
  const round = openRound(reviews);
  if (round === undefined) return [];
  const wereOpen = round.threads.filter(({ wasResolved }) => !wasResolved);
  const inRound = new Set(wereOpen.map(({ thread }) => thread));
  return reviews.threads
    .filter(({ number, isResolved }) => isResolved && inRound.has(number))
    .map(({ number }) => ({
      topic: `thread-resolved:${round.number}:${number}`,
      text: threadResolved(number),
    }));
}
