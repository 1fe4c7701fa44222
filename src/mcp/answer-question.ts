import type { AskedCall, ServerQuestion } from '../contracts/mcp.ts';
import type { Arguments, Tool } from '../contracts/tool.ts';
import { TellModel } from '../lib/errors.ts';
import { jsonArguments } from './json-arguments.ts';
import { ANSWER_TOOL, type BoundServerTool } from './server-tool.ts';

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
 * belong to which field, but only after people have said something.
 */
export const answerQuestion = (
  tools: ReadonlyMap<string, BoundServerTool>,
  pending: () => PendingQuestion | undefined,
): Tool => ({
  name: ANSWER_TOOL,
  aliases: [],
  description:
    'Answers the question of an MCP server with what people said, and makes its call again.',
  arguments: jsonArguments(PARAMETERS),
  safety: 'safe',
  rendering: { arguments: {}, output: 'plain' },
  title: () => 'Pass on the answer to an MCP server',
  run: async (args, context) => {
    const { call, isAnswered } = pending() ?? nothingAsked();
    const tool = tools.get(call.tool);
    if (tool === undefined) throw new TellModel(`There is no tool ${call.tool} any more.`);
    const content = contentOf(args, call.question, isAnswered);
    const answered = [...call.answered, { ...call.question, content }];
    return tool.resume(call.arguments, answered, context);
  },
});

function nothingAsked(): never {
  throw new TellModel('No MCP server waits for an answer.');
}

function contentOf(
  { answers, decline }: Arguments,
  { parameters }: ServerQuestion,
  isAnswered: boolean,
): Arguments | null {
  if (decline === true) return null;
  if (!isAnswered)
    throw new TellModel('Nobody has answered the question. Decline it, or ask again.');
  const checked = jsonArguments(parameters).check(answers ?? {});
  if ('wrong' in checked)
    throw new TellModel(
      `These answers do not fit the form of the question: ${checked.wrong}. The form: ${JSON.stringify(parameters)}`,
    );
  return checked.args;
}
