// What is said in a review thread once the round of review is over. Markdown.
import type { RunEnd } from '../../contracts/entries.ts';
import type { Reviews, ReviewRound, RoundThread } from '../parts/session-reviews.ts';
import { sections, unquoted, type Body } from './body.ts';
import { shortSha } from './format.ts';
import { code, oneLine } from './markdown.ts';

/** The agent's words, or what is known without them. GitHub makes a link of a commit's name. */
export function threadReply(
  { threads, suggestions }: Reviews,
  round: ReviewRound,
  { thread, reply, comments, asksNothing }: RoundThread,
): Body {
  const isApplied = suggestions.some(
    ({ comment, outcome }) => outcome === 'applied' && comments.includes(comment),
  );
  const path = threads[thread - 1]?.path ?? '';
  const changed = commitsOf(round, path).map(shortSha).join(', ');
  const deed = isApplied ? 'Applied the suggestion' : `Changed ${code(path)}`;
  if (reply !== undefined)
    return sections(changed === '' ? '' : `${deed} in ${changed}.`, unquoted(reply));
  if (asksNothing !== undefined) return [NOTHING_ASKED[asksNothing]];
  if (changed !== '' && isApplied) return [`${deed} in ${changed}.`];
  if (changed !== '')
    return [
      `I changed ${code(path)} in ${changed}. Please check whether that settles this comment.`,
    ];
  return [`I didn't change anything for this comment${why(round.end)}`];
}

const NOTHING_ASKED = {
  praise: 'Thank you. Nothing to change here.',
  for_others: "This comment is for someone else, so I didn't change anything for it.",
} as const;

/** The commits of a round that changed a file. */
export const commitsOf = ({ commits }: ReviewRound, path: string): readonly string[] =>
  commits.flatMap(({ sha, paths }) => (paths.includes(path) ? [sha] : []));

function why(end: RunEnd | undefined): string {
  switch (end?.kind) {
    case 'limit':
    case 'failed':
    case 'stopped':
      return `, because the work ended before I got to it: ${oneLine(end.reason)}`;
    case 'finished':
    case 'answered':
      return '. If something should change here, reply in this thread and say what.';
    case 'asked':
    case undefined:
      return '.';
    default:
      return end satisfies never;
  }
}
