// What a session is about, and how its work gets there, in words.
import type { Adopted, Thread } from '../session-thread.ts';
import { code, oneLine } from './markdown.ts';

/** "issue", or "pull request" for one of someone else. */
export const threadName = ({ adopted }: Pick<Thread, 'adopted'>): string =>
  adopted === undefined ? 'issue' : 'pull request';

/** Said once, in the comment that is kept up to date. Empty for an issue. */
export function aboutAdopted({ adopted }: Pick<Thread, 'adopted'>): string {
  if (adopted === undefined) return '';
  return adopted.fork === undefined ? onItsBranch(adopted) : fromFork(adopted);
}

const onItsBranch = ({ author, branch }: Adopted): string =>
  `I work on the pull request of ${oneLine(author)}: what I change, I push to its branch ${code(branch)}, on top of what is there and never by force.`;

const fromFork = ({ author }: Adopted): string =>
  `I look at the pull request of ${oneLine(author)}. Its branch is in a fork, so I can't push to it: I answer and review. I run none of its code, because anyone can write what is in a fork.`;
