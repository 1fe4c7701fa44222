// What a session is about, and how its work gets there, in words.
import type { Session } from '../session.ts';
import type { Adopted, Thread } from '../parts/session-thread.ts';
import { code, oneLine } from './markdown.ts';

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
