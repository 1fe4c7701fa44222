import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { TellPerson, TryLater } from '../../lib/errors.ts';
import type { Attempt, Refusal } from '../wire/decision.ts';
import { brokenOff, decisionOn, notTheApi } from '../wire/decision.ts';
import { OllamaError } from './reply.ts';
import { hostOf } from '../wire/host-of.ts';

export interface OllamaServer {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Tokens that a request and its reply may hold together. */
  readonly context: number;
}

/** No answer came at all. */
export function unreached(cause: unknown, { baseUrl }: OllamaServer): TryLater {
  const { code = 'no reason given' } = Object(cause) as { code?: unknown };
  return new TryLater(`cannot connect to Ollama at ${hostOf(baseUrl)} (${String(code)})`, {
    cause,
  });
}

/** The decision about an answer that is no reply, for the caller to throw. */
export async function refused(
  answer: IncomingMessage,
  server: OllamaServer,
  attempt: Attempt,
): Promise<Error> {
  const status = answer.statusCode ?? 0;
  const text = await beginningOf(answer);
  const words = errorIn(text);
  if (words === undefined && status < 500) return notTheApi(attempt);
  const wait = answer.headers['retry-after'];
  const headers = new Headers(wait === undefined ? {} : { 'retry-after': wait });
  return decision({ status, codes: [], words: words ?? text, headers }, server, attempt);
}

/** The same about a reply that broke off, or ended in an error. */
export function spoilt(error: unknown, server: OllamaServer, attempt: Attempt): Error {
  if (!(error instanceof OllamaError)) return brokenOff(error);
  return decision({ status: undefined, codes: [], words: error.message }, server, attempt, error);
}

function decision(
  refusal: Refusal,
  { baseUrl, context }: OllamaServer,
  attempt: Attempt,
  cause: Error = new OllamaError(refusal.words),
): Error {
  const { model } = attempt;
  if (refusal.status === 404) {
    const words = `Ollama at ${hostOf(baseUrl)} does not have the model ${model}. Run \`ollama pull ${model}\` there.`;
    return new TellPerson(words, { cause });
  }
  if (NO_MEMORY.test(refusal.words)) {
    const words = `The Ollama server does not have enough memory for ${model} with a context of ${context} tokens. Lower OLLAMA_CONTEXT, or use a smaller model.`;
    return new TellPerson(words, { cause });
  }
  return decisionOn(refusal, attempt, cause);
}

const LONGEST_ERROR_BYTES = 100_000;
const NO_MEMORY = /more (system )?memory|out of memory/i;

async function beginningOf(answer: IncomingMessage): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    bytes += piece.byteLength;
    if (bytes > LONGEST_ERROR_BYTES) break;
  }
  return Buffer.concat(pieces).toString();
}

/** The words of an error of Ollama's; `undefined` for an answer of something else. */
function errorIn(text: string): string | undefined {
  try {
    return z.object({ error: z.string() }).parse(JSON.parse(text)).error;
  } catch {
    return undefined;
  }
}
