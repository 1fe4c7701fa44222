// What MCP servers ask during a call, and how people's answers reach them.
import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { AskedCall, ServerAnswer, ServerQuestion } from '../contracts/mcp.ts';
import { withoutInvisible } from '../lib/text/invisible.ts';
import { cutCharacters } from '../lib/text/text.ts';
import {
  SchemaFault,
  isSchemaObject,
  jsonArguments,
  redactedJson,
  safeSchema,
  type Redact,
  type Schema,
  withDefaults,
} from './made-safe.ts';
import type { Arguments, CallContext, Tool, ToolArguments, ToolResult } from '../contracts/tool.ts';
import { TellModel } from '../lib/errors.ts';
import { ANSWER_TOOL } from '../lib/server-tool-name.ts';

const MAX_MESSAGE = 2_000;
const MAX_FIELDS = 20;
/** A server that asks again and again gets no more answers. */
const MAX_ANSWERED = 5;

const CANCEL: ElicitResult = { action: 'cancel' };

/**
 * What a server asks during one call. A question that people have answered gets their answer. Any other ends the
 * call: it is made again once they have.
 */
export class CallQuestions {
  /** The first question without an answer. */
  asked: ServerQuestion | undefined;
  /** What could not be asked, and why. */
  notAsked: string | undefined;
  readonly #answered: readonly ServerAnswer[];
  readonly #over = new AbortController();

  readonly #redact: Redact;

  constructor(answered: readonly ServerAnswer[], redact: Redact) {
    this.#answered = answered;
    this.#redact = redact;
  }

  /** Raised once there is a question. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  answer({ params }: ElicitRequest): ElicitResult {
    const question = questionIn(params, this.#redact);
    if (question === undefined) {
      this.notAsked = 'its question cannot be shown to people';
      return CANCEL;
    }
    const key = keyOf(question);
    const answer = this.#answered.find((one) => keyOf(one) === key);
    if (answer !== undefined) return resultOf(answer);
    if (this.#answered.length >= MAX_ANSWERED) {
      this.notAsked = `it asked more than ${MAX_ANSWERED} questions`;
      return CANCEL;
    }
    this.asked ??= question;
    // Not at once: the answer to this request goes out first.
    setImmediate(() => this.#over.abort(new Error('asked')));
    return CANCEL;
  }
}

const keyOf = ({ message, parameters }: ServerQuestion): string =>
  JSON.stringify([message, parameters]);

const resultOf = ({ content }: ServerAnswer): ElicitResult =>
  content === null
    ? { action: 'decline' }
    : { action: 'accept', content: content as NonNullable<ElicitResult['content']> };

/** `undefined` for a question by link, and for a form that is too large or none. */
function questionIn(params: ElicitRequest['params'], redact: Redact): ServerQuestion | undefined {
  if (!('requestedSchema' in params)) return undefined;
  try {
    const parameters = safeSchema(redactedJson(params.requestedSchema, redact));
    const message = cutCharacters(
      redact(withoutInvisible(params.message.slice(0, 10_000))),
      MAX_MESSAGE,
    );
    const fields = Object.keys(parameters['properties'] ?? {});
    return fields.length > MAX_FIELDS ? undefined : { message, parameters };
  } catch (error) {
    if (error instanceof SchemaFault) return undefined;
    throw error;
  }
}

/** A tool of a server that can also be called with people's answers to its questions. */
export interface BoundServerTool extends Tool {
  resume(
    args: Arguments,
    answered: readonly ServerAnswer[],
    context: CallContext,
  ): Promise<ToolResult>;
}

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
