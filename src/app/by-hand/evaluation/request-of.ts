// What the agent reads of a closed issue.
import { createHash } from 'node:crypto';
import type { RepositoryByToken } from '../../../github/by-token.ts';
import { earlierComments } from '../../admission/earlier-comments.ts';
import type { Rules } from '../../admission/settings.ts';
import { mayAsk, type KnownRoles } from '../../admission/who-may.ts';
import type { SaidByHand } from '../session-by-hand.ts';
import type { Task } from './examine.ts';

interface Reading {
  readonly github: RepositoryByToken;
  readonly rules: Pick<Rules, 'who'>;
}

/** What people saw of the issue when the pull request was opened, as far as its authors could have requested the work. */
export async function requestOf(
  { github, rules }: Reading,
  { issue, title, openedAt }: Pick<Task, 'issue' | 'title' | 'openedAt'>,
): Promise<SaidByHand> {
  const { text } = await github.issueState(issue);
  const source = text.body ?? '';
  const shown = await github.shown({ on: 'issue', number: issue }, source, text);
  const body = `${title}\n\n${shown.body}`.trimEnd();
  const permissions: KnownRoles = new Map();
  const before = {
    commentsAsOf: async (number: number, at: string) =>
      (await github.commentsAsOf(number, at)).filter(({ writtenAt }) => writtenAt < at),
  };
  const comments = await earlierComments(
    before,
    { issue, at: openedAt, except: new Set() },
    (author) => mayAsk(github, author, rules.who, permissions),
  );
  const earlier = comments.map(({ id, author, body: said }) => ({ id, author, body: said }));
  const digest = createHash('sha256').update(`${title}\n${source}`).digest('hex');
  return {
    intent: { kind: 'start', label: '', title, body },
    verdict: {
      issue: { title, body, digest },
      ...(earlier.length === 0 ? {} : { earlier }),
    },
  };
}
