// What is said in a review thread once the round of review is over. Markdown.
import type { RunEnd } from '../../contracts/entries.ts';
import type { Reviews, ReviewRound, RoundThread } from '../parts/session-reviews.ts';
import { sections, unquoted, type Body } from './body.ts';
import { shortSha } from './format.ts';
import { code, oneLine } from './markdown.ts';
import type { Session } from '../session.ts';
import type { Adopted, Thread } from '../parts/session-thread.ts';

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
  if (asksNothing === 'for_others') return [FOR_OTHERS];
  if (changed !== '' && isApplied) return [`${deed} in ${changed}.`];
  if (changed !== '')
    return [
      `I changed ${code(path)} in ${changed}. Please check whether that settles this comment.`,
    ];
  return [`I didn't change anything for this comment${why(round.end)}`];
}

const FOR_OTHERS = "This comment is for someone else, so I didn't change anything for it.";

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

/** "issue", or "pull request" for one of someone else. */
export const threadName = ({ adopted }: Pick<Thread, 'adopted'>): string =>
  adopted === undefined ? 'issue' : 'pull request';

/** Said once, in the comment that is kept up to date. Empty for an issue. */
export function aboutAdopted({
  thread: { adopted },
  work,
}: Pick<Session, 'thread' | 'work'>): string {
  if (adopted === undefined) return '';
  if (adopted.fork !== undefined) return fromFork(adopted);
  if (work.commits.length > 0) return onItsBranch(adopted);
  if (adopted.pushing === 'not_allowed') return withoutPushing(adopted);
  return work.hasReviewed ? onlyReviewed(adopted) : mayPush(adopted);
}

const onItsBranch = ({ author, branch }: Adopted): string =>
  `I work on the pull request of ${oneLine(author)}: what I change, I push to its branch ${code(branch)}, on top of what is there and never by force.`;

const mayPush = ({ author, branch }: Adopted): string =>
  `I look at the pull request of ${oneLine(author)}. If I change something, I push it to its branch ${code(branch)}, on top of what is there and never by force.`;

const onlyReviewed = ({ author }: Adopted): string =>
  `I only reviewed the pull request of ${oneLine(author)}, and changed nothing. To have something changed, mention me and say what.`;

const withoutPushing = ({ author, branch }: Adopted): string =>
  `I only look at the pull request of ${oneLine(author)}, and change nothing: nobody has let me push to its branch ${code(branch)}.`;

const fromFork = ({ author }: Adopted): string =>
  `I work on the pull request of ${oneLine(author)}. Its branch is in a fork, so I can't push to it: I'll answer with a patch. I run none of its code, because anyone can write what is in a fork.`;
