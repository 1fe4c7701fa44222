import { fieldsOf } from './token-count.ts';
import { z } from 'zod';
import { boundedResponse } from '../../lib/bounded-response.ts';

/** The answer's head. No status for an error inside a stream. */
interface AnswerHead {
  readonly status?: number | undefined;
  readonly headers?: Headers;
}

/** An error that a server sent instead of a reply, or inside one. */
export class ServerFault extends Error {
  override readonly name = 'ServerFault';
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
  readonly code: unknown;
  readonly type: unknown;
  /** The part of the request that caused it. */
  readonly param: unknown;

  /** `error`: the server's error object, or whatever it sent instead. */
  constructor(error: unknown, { status, headers }: AnswerHead) {
    const { code, status_code: statusCode, type, param } = fieldsOf(error);
    super(messageOfFault(error));
    this.code = code ?? statusCode;
    this.status = status ?? statusIn(this.code);
    this.headers = headers;
    this.type = type;
    this.param = param;
  }
}

/** Inside a stream, many servers send the HTTP status as `code`. */
function statusIn(code: unknown): number | undefined {
  const status = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined;
}

function messageOfFault(error: unknown): string {
  const { message, msg, status_msg: statusMessage, detail, metadata } = fieldsOf(error);
  const words = [message, msg, statusMessage, detail].find((one) => typeof one === 'string');
  // What the provider behind OpenRouter said.
  const { raw } = fieldsOf(metadata);
  if (typeof words === 'string' && typeof raw === 'string') return `${words}: ${raw}`;
  return words ?? (typeof error === 'string' ? error : JSON.stringify(message ?? error));
}

/** The error in the body of an unsuccessful answer. Servers put it under `error`, or it is the whole body. */
export function faultInBody(body: string, answer: AnswerHead): ServerFault {
  const value = jsonOf(body);
  return new ServerFault(errorIn(value) ?? value, answer);
}

/**
 * The error in an event, or in a body that came with status 200; `undefined` if it is none. Besides the known fields for an
 * error, that is an object which has a code and a message, and nothing of a reply.
 */
export function faultInEvent(
  name: string,
  data: unknown,
  headers: Headers,
): ServerFault | undefined {
  const error = errorIn(data) ?? (name === 'error' ? data : undefined);
  if (error !== undefined) return new ServerFault(error, { headers });
  const { object, choices, type, code, message, msg } = fieldsOf(data);
  const isCoded =
    ![undefined, null, 0, 200].includes(code as number) && typeof (message ?? msg) === 'string';
  const isOther = choices !== undefined || type !== undefined;
  return object === 'error' || (isCoded && !isOther)
    ? new ServerFault(data, { headers })
    : undefined;
}

function errorIn(value: unknown): unknown {
  const { error, base_resp: base, code } = fieldsOf(value);
  if (typeof error === 'string' && error !== '') return { message: error, code };
  if (error) return error;
  // MiniMax: 0 is success.
  const { status_code: own } = fieldsOf(base);
  return own ? { ...fieldsOf(base), code: MINIMAX_STATUS.get(own) ?? own } : undefined;
}

/**
 * MiniMax answers 200 to everything, with codes of its own: those that waiting does not help, as the HTTP status that means the
 * same. 2013 also says that a conversation is too long (MiniMax-AI/MiniMax-M2#119). *Unproven*: the meaning of the others.
 */
const MINIMAX_STATUS: ReadonlyMap<unknown, number> = new Map([
  [1004, 401],
  [1008, 402],
  [2013, 400],
  [2049, 401],
]);

/** The error that was thrown inside a client, which wraps it. */
export function faultBelow(error: unknown): ServerFault | undefined {
  if (error instanceof ServerFault) return error;
  return error instanceof Error ? faultBelow(error.cause) : undefined;
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

// Phrases of servers' error messages that need a decision of their own. Few servers have codes for them,
// and compatible servers use different codes, so the message is all there is. All are lower-case.

/** The model, or its server as it was started, does not support tools. */
const TOOLS_UNSUPPORTED = [
  'does not support tools', // Ollama; SambaNova, Together
  'does not support tool', // "…tool use", "…tool calling", "…tool_choice": Groq, Mistral, LM Studio
  'does not support function call', // DeepSeek, Fireworks, Qwen
  "doesn't support tool",
  'requires --enable-auto-tool-choice', // vLLM
  'tools param requires --jinja', // llama.cpp
  'unsupported param: tools', // llama.cpp, before it had templates
  'support tool use', // OpenRouter: "No endpoints found that support tool use"
  "support the provided 'tool_choice' value", // OpenRouter
  'tools is not supported', // OpenAI, Azure, GitHub Models
  'tools are not supported',
  'tool use is not supported', // Bedrock's proxies
  'tool calling is not supported', // Groq, LiteLLM
  'function calling is not supported', // Cloudflare, Perplexity
  'function calling is not enabled', // Gemini and Gemma
  "unsupported parameter: 'tools'", // OpenAI
  "unknown parameter: 'tools'",
  "'tools' is not supported",
  'unrecognized request argument supplied: tools', // Azure's older models
  'unrecognized request arguments supplied: tool_choice, tools',
];

/** The request is longer than the model, or the limit of this key, allows. */
const OVERFLOW = [
  'context_length_exceeded', // OpenAI, Azure, Groq
  'exceed_context_size_error', // llama.cpp
  'exceeds the available context size', // llama.cpp, before it had the code
  'model_context_window_exceeded', // Anthropic
  'tokens_limit_reached', // GitHub Models
  "model's maximum context length", // OpenAI, vLLM, SGLang, DeepSeek
  'maximum context length is', // OpenRouter, vLLM, TensorRT-LLM
  'maximum model length', // vLLM: "longer than the maximum model length of"
  "longer than the model's context length", // SGLang
  'input length and `max_tokens` exceed context limit', // Anthropic
  'prompt is too long', // Anthropic
  'input is too long', // Bedrock
  'input token count', // Gemini: "The input token count (…) exceeds the maximum number of tokens"
  'exceeds the maximum number of tokens', // Vertex
  'context the overflows', // LM Studio: "Trying to keep the first … tokens when …"
  'greater than the context length', // LM Studio
  'reached context length of', // LM Studio
  'context size has been exceeded', // LM Studio
  'input length exceeds', // Ollama: "… the context length"
  'exceeds the context window', // OpenAI's Responses, Together
  'exceeds context window', // MiniMax
  'exceed context window', // llama-cpp-python
  'too large for model with', // Mistral: "Prompt contains … tokens, too large for model with …"
  'maximum prompt length is', // xAI
  'exceeded model token limit', // Moonshot
  'reduce the length of the messages', // Groq
  'range of input length should be', // Qwen at DashScope
  'request too large for', // OpenAI and Groq: more tokens in one request than in a minute
];

/** The images of the request, whatever it is about them; asked only of a request that has some. */
const IMAGES = [
  'image', // OpenAI, Anthropic, OpenRouter, llama.cpp
  'failed to process inputs', // Ollama
];

/** The requested length of the reply is more than the model can write. */
const OUTPUT_TOO_LONG = [
  'completion tokens, whereas', // OpenAI: "This model supports at most … completion tokens, whereas"
  "invalid 'max_output_tokens': integer above maximum", // OpenAI's Responses
  'maximum value for `max_tokens`', // Groq
  'maximum tokens you requested exceeds', // Bedrock
  'maximum allowed number of output tokens', // Anthropic
  'valid range of max_tokens', // DeepSeek
  'range of max_tokens should be', // Qwen at DashScope
];

/** Waiting does not help. (A rate limit that mentions a quota says how long to wait, and is not listed.) */
const QUOTA = [
  'insufficient_quota', // OpenAI
  'billing_not_active',
  'billing_hard_limit_reached',
  'credit balance is too low', // Anthropic
  'insufficient balance', // DeepSeek
  'insufficient credits', // OpenRouter
];

/** The model wrote what its server cannot read. Waiting does not help. */
const UNREADABLE = [
  'the model produced output that does not match', // llama.cpp: "… the expected peg-native format"
  'failed to parse tool call arguments', // llama.cpp
];

/** The server is overloaded. */
const OVERLOADED = [
  'overloaded', // Anthropic, DeepSeek, Gemini; in a stream it has no status
  'rate_limit_exceeded', // OpenAI, in a stream
  'server_error',
  'slow_down', // OpenAI
  'resource_exhausted', // Gemini
  'unavailable', // Gemini
];

/** Only the beginning counts: servers may quote the request after it. */
const READ_CHARACTERS = 2000;

const sayingOneOf =
  (phrases: readonly string[]) =>
  (words: string): boolean => {
    const read = words.slice(0, READ_CHARACTERS).toLowerCase();
    return phrases.some((phrase) => read.includes(phrase));
  };

export const saysToolsUnsupported = sayingOneOf(TOOLS_UNSUPPORTED);
export const saysOverflow = sayingOneOf(OVERFLOW);
export const saysImages = sayingOneOf(IMAGES);
export const saysOutputTooLong = sayingOneOf(OUTPUT_TOO_LONG);
export const saysUnreadable = sayingOneOf(UNREADABLE);
export const saysQuota = sayingOneOf(QUOTA);
export const saysOverloaded = sayingOneOf(OVERLOADED);

// How many tokens a model can read, as servers state it: in a rejection, or where they can be asked.

/** A number of tokens among words: no part of a name, a version or a date. */
const NUMBER = /(?<![\w.,-])\d{1,3}(?:,\d{3}){1,2}(?![\w,-])|(?<![\w.,-])\d{4,8}(?![\w-])/g;
/** Only the beginning counts: servers may quote the request after it. */

/**
 * The window that a rejection names. Servers say how much was requested and how much is allowed, in any order and any words: the
 * largest number is what was requested, and two that add up to it are its parts. `undefined` if there is no number.
 */
export function windowInRejection(words: string): number | undefined {
  const found = words.slice(0, READ_CHARACTERS).match(NUMBER) ?? [];
  const numbers = [...new Set(found.map((one) => Number(one.replaceAll(',', ''))))];
  const [requested, ...others] = numbers.toSorted((one, other) => other - one);
  if (requested === undefined) return undefined;
  const isPart = (one: number): boolean =>
    others.some((other) => other !== one && one + other === requested);
  return others.find((one) => !isPart(one)) ?? requested;
}

const Tokens = z.number().int().min(1024).max(100_000_000).optional().catch(undefined);

const ListedModel = z.object({
  id: z.string(),
  /** vLLM, SGLang */
  max_model_len: Tokens,
  /** OpenRouter, Together */
  context_length: Tokens,
  /** Groq */
  context_window: Tokens,
  /** Mistral, LM Studio */
  max_context_length: Tokens,
});

const ModelList = z.object({ data: z.array(ListedModel.or(z.unknown())) });

/** The window of a model in the answer to `GET /models`; `undefined` if that does not say. */
export function windowInList(list: unknown, model: string): number | undefined {
  const read = ModelList.safeParse(list);
  const entries = read.data?.data.flatMap((entry) => ListedModel.safeParse(entry).data ?? []) ?? [];
  const entry = entries.find(({ id }) => id === model);
  return (
    entry?.max_model_len ??
    entry?.context_length ??
    entry?.context_window ??
    entry?.max_context_length
  );
}

const Properties = z.object({ default_generation_settings: z.object({ n_ctx: Tokens }) });

/** The window in the answer to llama.cpp's `GET /props`: that of one slot, as the server was started. */
export const windowInProperties = (properties: unknown): number | undefined =>
  Properties.safeParse(properties).data?.default_generation_settings.n_ctx;

/** The window in the answer to Ollama's `POST /api/show`: that of the model's architecture. */
export function windowInShow(shown: unknown): number | undefined {
  const information = fieldsOf(fieldsOf(shown)['model_info']);
  const name = `${String(information['general.architecture'])}.context_length`;
  return Tokens.parse(information[name]);
}

const LOOK_UP_MS = 2_000;
/** The longest lists have a few hundred models; Ollama's answer has the whole vocabulary of some. */
const MOST_MIB = 4;

/** Asks a server about its models. `undefined` if it does not answer in time, or not with JSON. */
export async function lookUp(url: string, init: RequestInit): Promise<unknown> {
  const signal = AbortSignal.timeout(LOOK_UP_MS);
  try {
    const answer = await fetch(url, { ...init, signal, redirect: 'error' });
    return answer.ok ? await boundedResponse(answer, MOST_MIB).json() : undefined;
  } catch {
    // Then the server says it when it rejects a request.
    return undefined;
  }
}
