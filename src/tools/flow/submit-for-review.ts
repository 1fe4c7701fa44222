import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import { held } from '../git/commit.ts';
import { askForWorkflows, inSteps, publishWork, submit } from './publish-work.ts';

const NOTHING_TO_REVIEW =
  'There is nothing to review: nothing was changed. If no change is needed, call finish with the outcome nothing_to_do.';

const schema = z.object({
  summary: z
    .string()
    .trim()
    .max(20_000)
    .optional()
    .describe('A short first line, then what was done and why'),
});

export const submitForReview = defineTool({
  name: 'submit_for_review',
  aliases: [],
  description:
    'Commits the remaining changes, opens the pull request, marks it ready and requests a review.',
  arguments: schema,
  argumentAliases: { message: 'summary' },
  safety: 'safe',
  waitsFor: 'edits and tests',
  keepsArguments: true,
  worksOn: ['issues', 'issues by hand'],
  example: { summary: 'Count long durations in days' },
  rendering: { arguments: { summary: 'prose' }, output: 'plain' },
  title: () => 'Submit for review',
  run: async (
    { summary = '' },
    ports: Needs<'git' | 'forge' | 'work' | 'reviewer'>,
    { startedAt: at, signal },
  ) => {
    const words = summary === '' ? ports.work.issue().title : summary;
    if (ports.work.heldCommits() !== undefined) return held(ports, words);
    return inSteps(signal, async (effects) => {
      const published = await publishWork(ports, { summary: words, at, signal }, effects);
      if ('held' in published) return { output: published.held, ok: false };
      const { pullRequest } = published;
      const waits = await askForWorkflows(ports, effects);
      if (waits !== undefined) return waits;
      if (pullRequest === undefined) throw new TellModel(NOTHING_TO_REVIEW);
      const output = await submit(ports, pullRequest, ports.work.reviewers(), effects);
      return { output };
    });
  },
});
