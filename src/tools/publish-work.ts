import { commitEffect } from './commit.ts';
import { pullRequestEffect } from './create-pull-request.ts';
import type { Effect } from '../session/entry.ts';
import type { OpenedPullRequest } from './forge-port.ts';
import type { Ports } from './ports.ts';

const MAX_TITLE = 120;

export interface WorkToPublish {
  /** What the agent says of it; its first line names the commit and the pull request. */
  readonly summary: string;
  readonly at: Date;
}

export interface PublishedWork {
  readonly pullRequest: OpenedPullRequest | undefined;
  readonly committed: boolean;
  readonly effects: readonly Effect[];
}

/**
 * Commits all that is left and opens the pull request where none is open. Without any work there is
 * none. Safe to repeat.
 */
export async function publishWork(
  { git, forge, work }: Ports,
  { summary, at }: WorkToPublish,
): Promise<PublishedWork> {
  const title = titleOf(summary);
  const done = await git.commit({ message: title, at });
  const committed = done !== undefined;
  const effects: Effect[] = committed ? [commitEffect(done, title)] : [];
  if (!committed && !work.hasCommits()) return { pullRequest: undefined, committed, effects };
  const open = work.openPullRequest();
  if (open !== undefined) return { pullRequest: open, committed, effects };
  const pullRequest = await forge.openPullRequest({ title, body: summary });
  effects.push(pullRequestEffect(pullRequest, title, summary));
  return { pullRequest, committed, effects };
}

/** Takes the pull request out of draft and asks people to review it. */
export async function submit(
  { forge }: Ports,
  { number }: OpenedPullRequest,
  reviewers: readonly string[],
): Promise<{ readonly words: string; readonly effects: readonly Effect[] }> {
  await forge.markReady(number);
  if (reviewers.length === 0) return { words: '', effects: [] };
  const { asked, refused } = await forge.requestReview(number, reviewers);
  const words = [
    asked.length === 0 ? '' : `Asked to review: ${asked.join(', ')}.`,
    refused.length === 0 ? '' : `Cannot be asked: ${refused.join(', ')}.`,
  ];
  return {
    words: words.filter((part) => part !== '').join(' '),
    effects:
      asked.length === 0 ? [] : [{ type: 'review_requested', pullRequest: number, from: asked }],
  };
}

/** The first line, without the signs of a heading or a list. */
function titleOf(summary: string): string {
  const [first = ''] = summary.split('\n', 1);
  const line = first.replace(/^[#>*\s-]+/, '').trim() || 'Finish the work on the issue';
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1).toWellFormed()}…` : line;
}
