import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import type { Effect } from '../../contracts/effect.ts';
import { brief } from '../arguments.ts';
import type { OpenedPullRequest } from '../../contracts/forge.ts';

const schema = z.object({
  title: z.string().trim().min(1).max(250),
  body: z.string().max(60_000).optional().describe('Markdown'),
});

export const createPullRequest = defineTool({
  name: 'create_pull_request',
  aliases: [],
  description: 'Opens the pull request of this session with the commits made so far.',
  arguments: schema,
  argumentAliases: { description: 'body' },
  safety: 'safe',
  waitsFor: 'edits',
  worksOn: ['issues', 'issues by hand'],
  example: { title: 'Count long durations in days', body: 'Hours were hard to read.' },
  rendering: { arguments: { body: 'prose' }, output: 'plain' },
  title: ({ title }) => `Open a pull request: ${brief(title)}`,
  run: async ({ title, body = '' }, { forge, work }: Needs<'forge' | 'work'>) => {
    const open = work.openPullRequest();
    if (open !== undefined)
      return {
        output: `Pull request #${open.number} is already open (${open.url}). New commits appear in it.`,
      };
    if (!work.hasCommits())
      throw new TellModel('Nothing is committed yet: commit your changes first.');
    const opened = await forge.openPullRequest({ title, body });
    return {
      output: `Opened pull request #${opened.number}: ${opened.url}`,
      effects: [pullRequestEffect(opened, title, body)],
    };
  },
});

export const pullRequestEffect = (
  { number, url }: OpenedPullRequest,
  title: string,
  said: string,
): Effect => ({ type: 'pull_request', number, url, title, description: said });
