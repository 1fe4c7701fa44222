import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import type { Call } from '../../contracts/model.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import type { FinishOutcome } from '../../contracts/effect.ts';
import { madeAtTheEnd } from '../git/commit.ts';
import { askForWorkflows, inSteps, offerPatch, publishWork, submit } from './publish-work.ts';

const NAME = 'finish';
const MAX_SUMMARY = 20_000;

const schema = z.object({
  // Models are asked to give one, but it is optional.
  summary: z
    .preprocess((value) => value ?? '', z.string().trim().max(MAX_SUMMARY))
    .describe('A short first line, then what was done and why'),
  outcome: z
    .preprocess(
      (value) =>
        typeof value === 'string'
          ? value
              .trim()
              .toLowerCase()
              .replaceAll(/[\s-]+/g, '_')
          : value,
      z.enum(['done', 'partial', 'nothing_to_do', 'cannot']),
    )
    .default('done')
    .describe('Unless it is done, the summary says why, what is left, and what a person could do'),
});

export const finish = defineTool({
  name: NAME,
  aliases: [],
  description:
    'Ends the work: commits the rest, opens the pull request and marks it ready for review.',
  descriptions: {
    folders: 'Ends the work: commits the rest.',
    'pull requests of others':
      'Ends the work: commits the rest, for the people of the pull request.',
  },
  arguments: schema,
  argumentAliases: { message: 'summary' },
  safety: 'safe',
  waitsFor: 'edits and tests',
  endsWork: true,
  keepsArguments: true,
  isAllowedBeforeApproval: ({ outcome }) => outcome === 'nothing_to_do' || outcome === 'cannot',
  example: {
    summary: 'Count long durations in days.\n\nHours were hard to read.',
    outcome: 'done',
  },
  rendering: { arguments: { summary: 'prose' }, output: 'plain' },
  title: () => 'Finish',
  run: async (
    { summary, outcome },
    ports: Needs<'git' | 'forge' | 'work' | 'reviewer' | 'patches'>,
    { startedAt: at, signal },
  ) => {
    if (summary === '' && (await lacksReason(ports, outcome)) && !ports.work.wasAskedWhy())
      return { output: ASK_WHY, ok: false, effects: [{ type: 'reason_asked' }] };
    return inSteps(signal, async (effects) => {
      const unfinished = outcome === 'partial' || outcome === 'cannot' ? outcome : undefined;
      const isDone = unfinished === undefined;
      const publish = ports.work.goesTo() === 'patch' ? offerPatch : publishWork;
      const wanted = { summary, at, signal, unfinished };
      const published = await publish(ports, wanted, effects);
      if ('held' in published) return { output: published.held, ok: false };
      const { hasWork, pullRequest, committed } = published;
      const waits = isDone ? await askForWorkflows(ports, effects) : undefined;
      if (waits !== undefined) return waits;
      // Unfinished work stays a draft, so that it is not merged by habit.
      if (pullRequest !== undefined && isDone)
        await submit(ports, pullRequest, reviewersToAsk(ports, committed), effects);
      const ended = outcomeOf(outcome, hasWork, committed);
      effects.push({ type: 'finish', outcome: ended, summary });
      return { output: ['Finished.', ...(await madeAtTheEnd(ports))].join(' '), halt: 'finished' };
    });
  },
});

/** The `finish` call for a model that ended its work with a text instead of a call. */
export const finishingCall = (words: string): Call => ({
  tool: NAME,
  arguments: { summary: cutCharacters(words.trim(), MAX_SUMMARY) },
});

const ASK_WHY =
  'Nothing was changed, or not all of it was done, and people would read no reason. Call finish again, with the reason as the summary.';

/** Whether people have to be told why: nothing is there for them to see, or less than they asked for. */
const lacksReason = async (
  { git, work }: Needs<'git' | 'work'>,
  outcome: FinishOutcome,
): Promise<boolean> =>
  outcome !== 'done' || (!work.hasNewCommits() && (await git.changes()).length === 0);

/** Those who were not asked yet, and those whose request for changes was just worked on. */
function reviewersToAsk({ work }: Needs<'work'>, committed: boolean): readonly string[] {
  const asked = work.openPullRequest()?.reviewers ?? [];
  const again = committed ? work.changesRequestedBy() : [];
  return [...new Set([...work.reviewers().filter((login) => !asked.includes(login)), ...again])];
}

/** The outcome that the model states, corrected by whether there is work. */
function outcomeOf(said: FinishOutcome, hasWork: boolean, hasNewWork: boolean): FinishOutcome {
  if (said === 'done' && !hasWork) return 'nothing_to_do';
  if (said === 'partial' && !hasWork) return 'cannot';
  return said === 'nothing_to_do' && hasNewWork ? 'done' : said;
}
