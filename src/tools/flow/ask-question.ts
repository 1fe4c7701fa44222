import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import type { AskedQuestion } from '../../contracts/effect.ts';
import { MOST_ASKED } from '../../session/texts/comments.ts';
import { count } from '../arguments.ts';

const MAX_QUESTIONS = 10;

const question = z.preprocess(
  (value) => (typeof value === 'string' ? { question: value } : value),
  z.strictObject({
    question: z.string().trim().min(1).max(5000),
    // Models are asked to give one, but it is optional.
    default: z
      .preprocess((value) => value ?? '', z.string().trim().max(2000))
      .describe('The answer that you propose'),
  }),
);

const schema = z.object({
  // Also accepts a single question as a string.
  questions: z.preprocess(
    (value = []) => (Array.isArray(value) ? value : [value]),
    z.array(question).max(MAX_QUESTIONS),
  ),
});
type Questions = z.infer<typeof schema>['questions'];

const ASKS_AT_TERMINAL =
  'Asks the person at the terminal, and waits: their answer is the next message.';

export const askQuestion = defineTool({
  name: 'ask_question',
  aliases: [],
  description: 'Asks the people on the issue, and waits: their answer is the next message.',
  descriptions: { folders: ASKS_AT_TERMINAL, 'issues by hand': ASKS_AT_TERMINAL },
  arguments: schema,
  argumentAliases: { question: 'questions', question_text: 'questions' },
  safety: 'safe',
  reach: 'workspace',
  isAllowedBeforeApproval: () => true,
  example: {
    questions: [{ question: 'Is a day 24 hours here?', default: 'Yes, as everywhere else.' }],
  },
  rendering: { arguments: { questions: 'prose' }, output: 'plain' },
  title: ({ questions }) =>
    questions.length > 1 ? `Ask ${count(questions.length, 'question')}` : 'Ask a question',
  run: async ({ questions }, { work }: Needs<'work'>, { startedAt }) => {
    if (questions.length === 0)
      throw new TellModel('There is no question: give at least one in questions.');
    if (questions.map((one) => one.question + one.default).join('').length > MOST_ASKED)
      throw new TellModel(
        `The questions and their defaults are longer than the ${MOST_ASKED} characters that people are shown. Make them shorter.`,
      );
    const items = questions.map(asked);
    const waits = work.answerWait(startedAt);
    const effect = { type: 'question', text: asText(items), items } as const;
    return {
      output: 'Asked. The answer comes as a message.',
      effects: [waits === undefined ? effect : { ...effect, deadline: waits }],
      halt: 'asked',
    };
  },
});

const asked = ({ question: text, default: proposedAnswer }: Questions[number]): AskedQuestion =>
  proposedAnswer === '' ? { text } : { text, proposedAnswer };

function asText(items: readonly AskedQuestion[]): string {
  const [only] = items;
  if (items.length === 1 && only !== undefined) return only.text;
  return items.map((item, index) => `${index + 1}. ${item.text}`).join('\n');
}
