import { z } from 'zod';
import { brief } from '../arguments.ts';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import type { ToolResult } from '../../contracts/tool.ts';

const schema = z.object({
  to: z
    .preprocess(
      (value) => (typeof value === 'number' ? String(value) : value),
      z.string().trim().min(1).max(100),
    )
    .describe('The number of a thread, or @login'),
  text: z.string().trim().min(1).max(10_000),
});

/** The words for someone take the place of the summary where they asked. */
export const replyTool = defineTool({
  name: 'reply',
  aliases: ['reply_to_thread'],
  description: 'Answers a person (a question at once) or a review thread, after the push.',
  arguments: schema,
  argumentAliases: { thread: 'to', number: 'to', body: 'text' },
  safety: 'safe',
  isForPeople: true,
  isAllowedBeforeApproval: () => true,
  worksOn: ['issues', 'pull requests of others'],
  example: { to: '2', text: 'Renamed it in both places.' },
  rendering: { arguments: { text: 'prose' }, output: 'plain' },
  title: ({ to }) =>
    isThread(to) ? `Reply to review thread ${to}` : `Reply to ${brief(loginOf(to))}`,
  run: async ({ to, text }, { work }: Needs<'work'>) =>
    isThread(to) ? toThread(Number(to), text, work) : toPerson(loginOf(to), text, work),
});

type Work = Needs<'work'>['work'];

const isThread = (to: string): boolean => /^\d{1,9}$/.test(to);

const loginOf = (to: string): string => to.replace(/^@/, '');

function toThread(thread: number, text: string, work: Work): ToolResult {
  const known = work.reviewThreads();
  if (!known.includes(thread))
    throw new TellModel(
      known.length === 0
        ? 'There are no review threads.'
        : `There is no review thread ${thread}. The threads are ${known.join(', ')}.`,
    );
  return {
    output: `Noted for thread ${thread}. A second reply to it would replace this one.`,
    effects: [{ type: 'thread_reply', thread, text }],
  };
}

function toPerson(to: string, text: string, work: Work): ToolResult {
  const known = work.waitingForReply();
  const login = known.find((one) => one.toLowerCase() === to.toLowerCase());
  if (login === undefined)
    throw new TellModel(
      known.length === 0
        ? 'Nobody waits for a reply, other than in review threads.'
        : `Only these people wait for a reply: ${known.map((one) => `@${one}`).join(', ')}.`,
    );
  return {
    output: `Noted for @${login}. A second reply to them would replace this one.`,
    effects: [{ type: 'reply', to: login, text }],
  };
}
