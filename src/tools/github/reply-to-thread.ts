import { z } from 'zod';
import { TellModel } from '../../lib/errors.ts';
import { lineNumber } from '../arguments.ts';
import { defineTool, type Needs } from '../define-tool.ts';

const schema = z.object({
  thread: lineNumber(),
  text: z.string().trim().min(1).max(10_000).describe('What changed, or why not'),
});

export const replyToThread = defineTool({
  name: 'reply_to_thread',
  aliases: [],
  description: 'Answers a review thread, once for each round; published after the push.',
  arguments: schema,
  argumentAliases: { number: 'thread', body: 'text' },
  safety: 'safe',
  isAllowedBeforeApproval: () => true,
  worksOn: ['issues', 'pull requests of others'],
  example: { thread: 2, text: 'Renamed it in both places.' },
  rendering: { arguments: { text: 'prose' }, output: 'plain' },
  title: ({ thread }) => `Reply to review thread ${thread}`,
  run: ({ thread, text }, { work }: Needs<'work'>) => {
    const known = work.reviewThreads();
    if (!known.includes(thread))
      throw new TellModel(
        known.length === 0
          ? 'There are no review threads.'
          : `There is no review thread ${thread}. The threads are ${known.join(', ')}.`,
      );
    return Promise.resolve({
      output: `Noted for thread ${thread}. A second reply to it would replace this one.`,
      effects: [{ type: 'thread_reply', thread, text }],
    });
  },
});
