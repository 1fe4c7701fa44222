import type { AskedCall } from '../contracts/mcp.ts';
import type { Arguments, Tool, ToolArguments } from '../contracts/tool.ts';
import { TellModel } from '../lib/errors.ts';
import { ANSWER_TOOL } from '../lib/server-tool-name.ts';
import { jsonArguments, isSchemaObject, withDefaults, type Schema } from './safe-schema.ts';
import type { BoundServerTool } from './server-tool.ts';

/** A question that waits for its answer. */
export interface PendingQuestion {
  readonly call: AskedCall;
  /** Whether someone who may answer has said something since. */
  readonly isAnswered: boolean;
}

const PARAMETERS = {
  type: 'object',
  properties: {
    answers: {
      type: 'object',
      additionalProperties: true,
      description: 'By field, as people said',
    },
    decline: { type: 'boolean', description: 'True if people do not want to answer' },
  },
  additionalProperties: false,
} as const;

/**
 * Passes people's answers on to the server that asked, with the call that it asked about. The model says which words
 * belong to which field, but only after people have said something. All that can be wrong is checked before the call
 * begins: a call that has begun may have passed the answer on.
 */
export const answerServerQuestion = (
  tools: ReadonlyMap<string, BoundServerTool>,
  pending: () => PendingQuestion | undefined,
): Tool => ({
  name: ANSWER_TOOL,
  aliases: [],
  description:
    'Answers the question of an MCP server with what people said, and makes its call again.',
  arguments: answersTo(pending),
  safety: 'safe',
  rendering: { arguments: {}, output: 'plain' },
  title: () => TITLE_OF_ANSWER,
  run: async ({ answers, decline }, context) => {
    const question = pending();
    if (question === undefined) throw new TellModel(NOTHING_ASKED);
    const { call } = question;
    const tool = tools.get(call.tool);
    if (tool === undefined) throw new TellModel(`There is no tool ${call.tool} any more.`);
    const content = decline === true ? null : contentOf(call, answers);
    return tool.resume(call.arguments, [...call.answered, { ...call.question, content }], context);
  },
});

export const TITLE_OF_ANSWER = 'Pass on the answer to an MCP server';

/** What people did not speak of is as the server proposes it. */
const contentOf = ({ question }: AskedCall, answers: unknown): Schema =>
  withDefaults(question.parameters, isSchemaObject(answers) ? answers : {});

const NOTHING_ASKED = 'no MCP server waits for an answer';

function answersTo(pending: () => PendingQuestion | undefined): ToolArguments {
  const form = jsonArguments(PARAMETERS);
  return {
    ...form,
    check: (given) => {
      const checked = form.check(given);
      const wrong = 'wrong' in checked ? undefined : whyNot(checked.args, pending());
      return wrong === undefined ? checked : { wrong };
    },
  };
}

/** Why these answers cannot be passed on. */
function whyNot(
  { answers, decline }: Arguments,
  question: PendingQuestion | undefined,
): string | undefined {
  if (question === undefined) return NOTHING_ASKED;
  if (decline === true) return undefined;
  if (!question.isAnswered) return 'nobody has answered the question. Decline it, or ask again';
  const { parameters } = question.call.question;
  const checked = jsonArguments(parameters).check(contentOf(question.call, answers));
  return 'wrong' in checked
    ? `these answers do not fit the form of the question: ${checked.wrong}. The form: ${JSON.stringify(parameters)}`
    : undefined;
}
