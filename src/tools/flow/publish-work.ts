import type { ToolResult } from '../../contracts/tool.ts';
import { TellPerson } from '../../lib/errors.ts';
import type { Effect } from '../../contracts/effect.ts';
import { commitEffect } from '../git/commit.ts';
import { pullRequestEffect } from '../github/create-pull-request.ts';
import type { OpenedPullRequest } from '../../contracts/forge.ts';
import type { Needs } from '../define-tool.ts';

const MAX_TITLE = 120;

export interface WorkToPublish {
  /** What the agent says of it; its first line names the commit and the pull request. */
  readonly summary: string;
  readonly at: Date;
}

export interface PublishedWork {
  readonly pullRequest: OpenedPullRequest | undefined;
  readonly committed: boolean;
}

/** What was done is in the result, also where a later step is refused for good: it has happened. */
export async function inSteps(
  take: (effects: Effect[]) => Promise<Omit<ToolResult, 'effects'>>,
): Promise<ToolResult> {
  const effects: Effect[] = [];
  try {
    return { ...(await take(effects)), effects };
  } catch (error) {
    if (!(error instanceof TellPerson) || effects.length === 0) throw error;
    return { output: error.message, effects, halt: 'failed' };
  }
}

/**
 * Commits all that is left and opens the pull request where none is open. Without any work there is
 * none. What was done is added to `effects`. Safe to repeat.
 */
export async function publishWork(
  { git, forge, work }: Needs<'git' | 'forge' | 'work'>,
  { summary, at }: WorkToPublish,
  effects: Effect[],
): Promise<PublishedWork> {
  const title = titleOf(summary);
  const done = await git.commit({ message: title, at });
  const committed = done !== undefined;
  if (committed) effects.push(commitEffect(done, title));
  if (!committed && !work.hasCommits()) return { pullRequest: undefined, committed };
  const open = work.openPullRequest();
  if (open !== undefined) return { pullRequest: open, committed };
  const pullRequest = await forge.openPullRequest({ title, body: summary });
  effects.push(pullRequestEffect(pullRequest, title, summary));
  return { pullRequest, committed };
}

/** Takes the pull request out of draft and asks people to review it. Answers in words whom. */
export async function submit(
  { forge }: Needs<'forge'>,
  { number }: OpenedPullRequest,
  reviewers: readonly string[],
  effects: Effect[],
): Promise<string> {
  await forge.markReady(number);
  if (reviewers.length === 0) return '';
  const { asked, refused } = await forge.requestReview(number, reviewers);
  if (asked.length > 0)
    effects.push({ type: 'review_requested', pullRequest: number, reviewers: asked });
  const words = [
    asked.length === 0 ? '' : `Asked to review: ${asked.join(', ')}.`,
    refused.length === 0 ? '' : `Cannot be asked: ${refused.join(', ')}.`,
  ];
  return words.filter((part) => part !== '').join(' ');
}

/** The first line, without the signs of a heading or a list. */
function titleOf(summary: string): string {
  const [first = ''] = summary.split('\n', 1);
  const line = first.replace(/^[#>*\s-]+/, '').trim() || 'Finish the work on the issue';
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1).toWellFormed()}…` : line;
}
