import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import { lineNumber } from '../arguments.ts';

/** The most comments of one run, since comments notify people. */
const MAX_COMMENTS = 5;

const schema = z.object({
  body: z.string().trim().min(1).max(20_000).describe('Markdown'),
  number: lineNumber()
    .optional()
    .describe("Issue or pull request; this session's issue by default"),
});

export const githubCreateComment = defineTool({
  name: 'github_create_comment',
  aliases: [],
  description: `Comments on an issue or pull request, at most ${MAX_COMMENTS} times in a run. Your plan, progress and summary are published without it.`,
  arguments: schema,
  argumentAliases: { issue_number: 'number', comment: 'body' },
  safety: 'safe',
  worksOn: ['issues', 'pull requests of others'],
  example: { number: 12, body: 'This is the same cause as #7.' },
  rendering: { arguments: { body: 'prose' }, output: 'plain' },
  title: ({ number }) => `Comment on ${number === undefined ? 'the issue' : `#${number}`}`,
  run: async ({ body, number }, { forge, work }: Needs<'forge' | 'work'>, { startedAt: at }) => {
    if (work.comments() >= MAX_COMMENTS)
      throw new TellModel(
        `You have used all ${MAX_COMMENTS} comments of this run. Put the rest in the summary of finish.`,
      );
    const issue = number ?? work.issue().number;
    const { url } = await forge.comment({ issue, body, at });
    return { output: `Commented: ${url}`, effects: [{ type: 'comment', issue, url }] };
  },
});
