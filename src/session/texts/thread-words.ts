// What a session is about, and how its work gets there, in words.
import type { Thread } from '../session-thread.ts';
import { code, oneLine } from './markdown.ts';

/** "issue", or "pull request" for one of someone else. */
export const threadName = ({ adopted }: Pick<Thread, 'adopted'>): string =>
  adopted === undefined ? 'issue' : 'pull request';

/** Said once, in the comment that is kept up to date. Empty for an issue. */
export const aboutAdopted = ({ adopted }: Pick<Thread, 'adopted'>): string =>
  adopted === undefined
    ? ''
    : `I work on the pull request of ${oneLine(adopted.author)}: what I change, I push to its branch ${code(adopted.branch)}, on top of what is there and never by force.`;
