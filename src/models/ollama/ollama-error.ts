import { hostOf } from '../provider.ts';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { TellPerson, TryLater } from '../../lib/errors.ts';
import type { Attempt, ServerError } from '../wire/server-error.ts';
import { connectionFailed, errorFor, notTheApi } from '../wire/server-error.ts';
import { OllamaError } from './ollama-reply.ts';

export interface OllamaServer {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** The context window in tokens, request and reply together. */
  readonly context: number;
}

/** No answer came at all. */
export function unreachable(cause: unknown, { baseUrl }: OllamaServer): TryLater {
  const { code = 'no reason given' } = Object(cause) as { code?: unknown };
  return new TryLater(`cannot connect to Ollama at ${hostOf(baseUrl)} (${String(code)})`, {
    cause,
  });
}

/** The error to throw for an answer that is not a reply. */
export async function errorOfAnswer(
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
  return ollamaErrorFor({ status, codes: [], words: words ?? text, headers }, server, attempt);
}

/** The error to throw for a reply that broke off or ended in an error. */
export function errorOfReply(error: unknown, server: OllamaServer, attempt: Attempt): Error {
  if (!(error instanceof OllamaError)) return connectionFailed(error);
  return ollamaErrorFor(
    { status: undefined, codes: [], words: error.message },
    server,
    attempt,
    error,
  );
}

function ollamaErrorFor(
  failure: ServerError,
  { baseUrl, context }: OllamaServer,
  attempt: Attempt,
  cause: Error = new OllamaError(failure.words),
): Error {
  const { model } = attempt;
  if (failure.status === 404) {
    const words = `Ollama at ${hostOf(baseUrl)} does not have the model ${model}. Run \`ollama pull ${model}\` there.`;
    return new TellPerson(words, { cause });
  }
  if (NO_MEMORY.test(failure.words)) {
    const words = `The Ollama server does not have enough memory for ${model} with a context of ${context} tokens. Lower OLLAMA_CONTEXT, or use a smaller model.`;
    return new TellPerson(words, { cause });
  }
  return errorFor(failure, attempt, cause);
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

/** Ollama's error message; `undefined` if the answer is not Ollama's. */
function errorIn(text: string): string | undefined {
  try {
    return z.object({ error: z.string() }).parse(JSON.parse(text)).error;
  } catch {
    return undefined;
  }
}
