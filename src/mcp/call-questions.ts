import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import type { ServerAnswer, ServerQuestion } from '../contracts/mcp.ts';
import { withoutInvisible } from '../lib/text/invisible.ts';
import { cutCharacters } from '../lib/text/text.ts';
import { redactedJson, type Redact } from './plain-line.ts';
import { safeSchema, SchemaFault } from './safe-schema.ts';

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
