import { z } from 'zod';
import type { Call } from '../agent/model.ts';
import type { Tool } from '../agent/tool.ts';
import { cutCharacters } from '../lib/text.ts';
import type { Effect, FinishOutcome } from '../session/entry.ts';
import { commitEffect } from './commit.ts';
import { pullRequestEffect } from './create-pull-request.ts';
import type { OpenedPullRequest, Ports } from './ports.ts';

const NAME = 'finish';
const MAX_TITLE = 120;
const MAX_SUMMARY = 20_000;

const schema = z.object({
  summary: z
    .string()
    .trim()
    .min(1)
    .max(MAX_SUMMARY)
    .describe('For the people on the issue: a short first line, then what was done and why'),
  outcome: z
    .enum(['done', 'nothing_to_do', 'cannot'])
    .default('done')
    .describe('"cannot": the summary says why, and what a person could do'),
});

export const finish = (ports: Ports): Tool<Effect, typeof schema> => ({
  name: NAME,
  aliases: [],
  description: 'Ends the work: commits what is left, opens the pull request and marks it ready.',
  arguments: schema,
  argumentAliases: { message: 'summary' },
  safety: 'safe',
  title: () => 'Finish',
  run: async ({ summary, outcome }, { startedAt }) => {
    const effects: Effect[] = [];
    const committed = await ports.git.commit({ message: titleOf(summary), at: startedAt });
    if (committed !== undefined) effects.push(commitEffect(committed, titleOf(summary)));
    const hasWork = committed !== undefined || ports.work.hasCommits();
    if (hasWork) {
      const pullRequest = await openPullRequest(ports, summary, effects);
      // What could not be done stays a draft: nobody should merge it by habit.
      if (outcome !== 'cannot') await ports.forge.markReady(pullRequest.number);
    }
    const ended = outcomeOf(outcome, hasWork, committed !== undefined);
    effects.push({ type: 'finish', outcome: ended, summary });
    return { output: 'Finished.', effects, halt: 'finished' };
  },
});

/** The call that ends the work in the name of a model that ended it in words. */
export const finishingCall = (words: string): Call => ({
  tool: NAME,
  arguments: { summary: cutCharacters(words.trim(), MAX_SUMMARY) },
});

async function openPullRequest(
  { forge, work }: Ports,
  summary: string,
  effects: Effect[],
): Promise<OpenedPullRequest> {
  const open = work.openPullRequest();
  if (open !== undefined) return open;
  const title = titleOf(summary);
  const opened = await forge.openPullRequest({ title, body: summary });
  effects.push(pullRequestEffect(opened, title, summary));
  return opened;
}

/** What the model says, but for what the work itself says otherwise. */
function outcomeOf(said: FinishOutcome, hasWork: boolean, hasNewWork: boolean): FinishOutcome {
  if (said === 'done' && !hasWork) return 'nothing_to_do';
  return said === 'nothing_to_do' && hasNewWork ? 'done' : said;
}

/** The first line, without the signs of a heading or a list. */
function titleOf(summary: string): string {
  const [first = ''] = summary.split('\n', 1);
  const line = first.replace(/^[#>*\s-]+/, '').trim() || 'Finish the work on the issue';
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1).toWellFormed()}…` : line;
}
