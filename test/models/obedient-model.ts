// A model that does what `issuewright doctor --model` asks, or fails at one of the probes.
import { randomUUID } from 'node:crypto';
import {
  readRequest,
  type Outcome,
  type PlayedModel,
} from '../../packages/local-github/src/model/played-model.ts';
import type {
  Answer,
  Wire,
  WireRequest,
} from '../../packages/local-github/src/model/wires/wire.ts';
import type { Message } from '../../src/contracts/model.ts';
import { PROBE_PATHS, PROBE_WORDS, PROBES } from '../../src/agent/prompts/probe.ts';
import type { Fields } from './family-shapes.ts';

export interface Said {
  readonly text?: string;
  readonly calls?: readonly { readonly tool: string; readonly given: unknown }[];
  readonly isCut?: boolean;
}

/** What it does in place of what was asked; `undefined`: what was asked. */
export type Disobedience = (asked: string, body: Fields) => Said | undefined;

const reads = (...paths: readonly string[]): Said => ({
  calls: paths.map((path) => ({ tool: 'read_file', given: { path } })),
});

const QUESTIONS = [{ question: 'Which colour do you want?', default: 'blue' }];
const LAST = 300;
/** Fewer tokens than that are no room for all numbers. */
const ROOM = 500;

export class ObedientModel implements PlayedModel {
  readonly #disobeys: Disobedience;

  constructor(disobeys: Disobedience = () => undefined) {
    this.#disobeys = disobeys;
  }

  close(): void {}

  answer(wire: Wire, path: string, body: string): Promise<Outcome> {
    const request = readRequest(wire, path, body);
    if ('status' in request) return Promise.resolve({ problem: request });
    const fields = JSON.parse(body) as Fields;
    const asked = lastWords(request.messages);
    const said = this.#disobeys(asked, fields) ?? obey(request.messages, fields);
    return Promise.resolve({ request, answer: answerOf(said, request), dies: false });
  }
}

/** What came since the last reply. */
function lastWords(messages: readonly Message[]): string {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages
    .slice(last + 1)
    .map((one) =>
      one.role === 'results'
        ? one.results.map(({ output }) => output).join('\n')
        : one.role === 'user'
          ? one.text
          : '',
    )
    .join('\n');
}

/** What was asked for. */
export function obey(messages: readonly Message[], body: Fields): Said {
  const asked = lastWords(messages);
  const is = (question: string): boolean => asked.includes(question);
  if (is(PROBES.afterResult)) return { text: PROBE_WORDS.answer };
  if (is(PROBES.result)) return { text: `It is ${PROBE_WORDS.result}.` };
  if (is(PROBES.call)) return reads(PROBE_PATHS.one);
  if (is(PROBES.parallel)) return reads(...PROBE_PATHS.both);
  if (is(PROBES.question))
    return { calls: [{ tool: 'ask_question', given: { questions: QUESTIONS } }] };
  if (is(PROBES.image)) return { text: 'Red.' };
  if (is(PROBES.numbers))
    return mostTokens(body) < ROOM ? { text: numbers(4), isCut: true } : { text: numbers(LAST) };
  if (is(PROBES.recall))
    return {
      text: JSON.stringify(messages).includes(PROBES.remember) ? PROBE_WORDS.first : '?',
    };
  throw new Error(`nobody asks this: ${asked}`);
}

export const numbers = (last: number): string =>
  Array.from({ length: last }, (_none, index) => index + 1).join('\n');

/** By the names of all APIs. */
const mostTokens = (body: Fields): number =>
  body['max_completion_tokens'] ??
  body['max_tokens'] ??
  body['max_output_tokens'] ??
  body['generationConfig']?.maxOutputTokens ??
  body['options']?.num_predict;

function answerOf({ text = '', calls = [], isCut = false }: Said, request: WireRequest): Answer {
  const inText = calls.length > 0 && !request.hasTools;
  const object = {
    plan: 'I do it.',
    tool_calls: calls.map(({ tool, given }) => ({ tool_name: tool, arguments: given })),
  };
  return {
    id: randomUUID(),
    model: request.model,
    created: new Date(),
    reasoning: undefined,
    text: inText ? JSON.stringify(object) : text,
    calls: inText
      ? []
      : calls.map(({ tool, given }) => ({
          id: `call_${randomUUID()}`,
          tool,
          json: typeof given === 'string' ? given : JSON.stringify(given),
        })),
    isCut,
    usage: { input: 1000, cached: 0, output: 20, reasoning: 0 },
  };
}
