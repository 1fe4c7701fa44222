import { z } from 'zod';
import type { Tool } from '../agent/tool.ts';
import type { Effect } from '../session/entry.ts';
import type { Ports } from './ports.ts';

const schema = z.object({
  question: z
    .string()
    .trim()
    .min(1)
    .max(5000)
    .describe('One question, with what the person needs to know to answer it'),
});

export const askQuestion = (_ports: Ports): Tool<Effect, typeof schema> => ({
  name: 'ask_question',
  aliases: [],
  description: 'Asks the people on the issue, and waits: the answer comes as the next message.',
  arguments: schema,
  argumentAliases: { question_text: 'question' },
  safety: 'safe',
  title: () => 'Ask a question',
  run: async ({ question }) => ({
    output: 'Asked. The answer comes as a message.',
    effects: [{ type: 'question', text: question }],
    halt: 'asked',
  }),
});
