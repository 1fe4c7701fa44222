// What people are told of the pull request that another one is based on. Markdown.
import type { EntryOf } from '../entry.ts';
import type { NotBased } from '../merge-entry.ts';
import type { Session } from '../session.ts';
import { basedOn } from '../merging.ts';
import { code, mention, oneLine, type Body } from './markdown.ts';

/** For the body of the pull request; empty if it is based on no other. */
export function basedOnLine(session: Session): string {
  const base = basedOn(session);
  if (base === undefined) return '';
  return base.state === 'closed'
    ? `⚠️ **Based on #${base.pullRequest}**, which was closed without being merged.`
    : `**Based on #${base.pullRequest}**; merge that first.`;
}

/** For the status comment. */
export function baseLine(session: Session): string {
  const { base, notBased } = session.thread;
  if (notBased !== undefined) return notBasedWords(notBased);
  if (base?.state === 'merged')
    return `#${base.pullRequest}, which this was based on, was merged. This goes to ${code(base.baseBranch)} now.`;
  return basedOnLine(session);
}

const WHY = {
  none: 'I have no open pull request there',
  merged: 'my pull request there is merged',
  itself: 'that is this work itself',
} as const;

function notBasedWords(found: NotBased): string {
  if (found.kind === 'several') {
    const list = found.pullRequests.map((number) => `#${number}`).join(', ');
    return `Not based on another pull request: several are open (${list}). Choose one with \`/issuewright base #${found.pullRequests[0] ?? 0}\` before I open mine.`;
  }
  const each = found.named.map(({ number, because }) => `#${number}: ${WHY[because]}`).join('; ');
  return `Not based on another pull request. ${each}.`;
}

/** The comment about a pull request below that was closed, or that could not be left; `undefined`: nothing to say. */
export function baseComment(session: Session, entry: EntryOf<'base_changed'>): Body | undefined {
  const { requester } = session.requests;
  const { pullRequest: own } = session.thread;
  const to = requester === undefined ? '' : `${mention(requester.login)} `;
  const what = own === undefined ? 'this work' : 'this pull request';
  if (entry.problem !== undefined)
    return [
      `${to}#${entry.pullRequest}, which ${what} is based on, was merged, but I couldn't change the base: ${oneLine(entry.problem)} Please choose it with *Edit*, next to the title.`,
    ];
  if (entry.state !== 'closed') return undefined;
  return [
    `${to}#${entry.pullRequest}, which ${what} is based on, was closed without a merge; its commits are still in here. ${
      own === undefined
        ? 'Reopen it, or write `/issuewright stop`.'
        : 'Reopen it, close this too, or choose another base with *Edit*, next to the title, and tell me what to take out.'
    }`,
  ];
}
