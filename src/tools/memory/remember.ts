import { z } from 'zod';
import type { RememberedFact } from '../../contracts/memory.ts';
import { TellModel } from '../../lib/errors.ts';
import { brief } from '../arguments.ts';
import { defineTool, type Needs } from '../define-tool.ts';

const MAX_LENGTH = 1000;
/** So that one run, whatever it has read, cannot push out what others remembered. */
const MAX_MEMORIES = 20;

const schema = z.object({
  text: z.string().trim().min(1).describe('One fact, in words that later questions may use'),
});

export const remember = defineTool({
  name: 'remember',
  aliases: ['save_memory'],
  description:
    'Stores a fact about this repository for later sessions, such as how it is built or why something is as it is. Never a secret.',
  arguments: schema,
  argumentAliases: { content: 'text', memory: 'text', fact: 'text' },
  safety: 'safe',
  example: { text: 'The tests of the parser need `npm run grammar` first.' },
  rendering: { arguments: { text: 'plain' }, output: 'plain' },
  title: ({ text }) => `Remember: ${brief(text)}`,
  run: async ({ text }, { memories, work }: Needs<'memories' | 'work'>, { startedAt }) => {
    if (text.length > MAX_LENGTH)
      throw new TellModel(
        `The text has ${text.length} characters, and a memory has at most ${MAX_LENGTH}. Shorten it, or remember several facts one by one.`,
      );
    if (work.memories() >= MAX_MEMORIES)
      throw new TellModel(`You have stored all ${MAX_MEMORIES} memories of this run.`);
    const stored = await memories.remember(text, startedAt);
    return {
      output: describe(stored),
      effects: stored.isKnown ? [] : [{ type: 'memory', number: stored.number }],
    };
  },
});

function describe({
  number,
  isKnown,
  dropped,
  isRedacted,
}: RememberedFact & { isRedacted: boolean }) {
  return [
    isKnown ? `This is known already, as memory ${number}.` : `Remembered as memory ${number}.`,
    ...(isRedacted ? ['Secrets in it were redacted.'] : []),
    ...(dropped > 0
      ? ['The repository had too many memories, so the least used was deleted.']
      : []),
  ].join(' ');
}
