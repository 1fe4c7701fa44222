import type { ModelRequest } from '../../contracts/model.ts';
import { beginningOf } from '../../lib/bounded-response.ts';
import {
  ATTEMPT_LIMITS,
  patientFetch,
  thrownBelow,
  withinAttemptLimits,
  type AttemptLimits,
  type LimitedAttempt,
} from '../wire/attempt-limits.ts';
import { Efforts, OLLAMA_EFFORTS } from '../wire/learnt-from-errors.ts';
import {
  attemptOf,
  connectionFailed,
  errorFor,
  notTheApi,
  type AttemptedRequest,
  type ServerError,
} from '../wire/server-error.ts';
import { nativeKey } from '../wire/sent-text.ts';
import { lookUp, windowInShow } from '../wire/server-fault.ts';
import { linesOf } from '../wire/server-events.ts';
import { OllamaError, ollamaMessages, ollamaTools, readOllamaReply } from './ollama-reply.ts';
import { hostOf, type ModelAdapter, type UnpricedReply } from '../provider.ts';
import { z } from 'zod';
import { TellPerson, TryLater } from '../../lib/errors.ts';

/** How long the model stays in memory after a reply. A test run in between can take long. */
const KEEP_ALIVE = '30m';

export function ollamaAdapter(model: string, server: OllamaServer): ModelAdapter {
  const key = nativeKey('ollama', server.baseUrl, model);
  // Ollama's reader counts whole lines, not only the reply in them.
  const limits = { ...server.limits, characters: ATTEMPT_LIMITS.bytes };
  const efforts = new Efforts(OLLAMA_EFFORTS);
  const attempted = async (request: ModelRequest, line: LimitedAttempt): Promise<UnpricedReply> => {
    const attempt = attemptOf(request, { model, addressSetting: 'OLLAMA_BASE_URL' });
    const think = efforts.valueOf(request.effort);
    const said = think === undefined ? {} : { think };
    const answer = await patientFetch(`${server.baseUrl}/api/chat`, {
      method: 'POST',
      headers: headersOf(server.apiKey),
      body: JSON.stringify({ ...bodyOf(model, server, key, request), ...said }),
      signal: line.signal,
    }).catch((error: unknown) => {
      throw unreachable(error, server);
    });
    if (answer.status !== 200) {
      const failure = await failureIn(answer);
      if (efforts.rejects(think, failure)) return attempted(request, line);
      throw errorOfAnswer(failure, server, attempt);
    }
    if (answer.headers.get('content-type')?.includes('html') === true) throw notTheApi(attempt);
    try {
      return await readOllamaReply(linesOf(answer.body, line.heard), request.tools, key);
    } catch (error) {
      throw thrownBelow(error) ?? errorOfReply(error, server, attempt);
    }
  };
  return {
    callsTools: true,
    imageTypes: ['image/png', 'image/jpeg'],
    contextWindow: server.context,
    reply: (request) =>
      withinAttemptLimits(request.signal, (line) => attempted(request, line), limits),
  };
}

/** How many tokens the model can read, by what the server shows of it; `undefined` if it does not say. */
export const shownWindow = async (
  model: string,
  server: Pick<OllamaServer, 'baseUrl' | 'apiKey'>,
): Promise<number | undefined> =>
  windowInShow(
    await lookUp(`${server.baseUrl}/api/show`, {
      method: 'POST',
      headers: headersOf(server.apiKey),
      body: JSON.stringify({ model }),
    }),
  );

const headersOf = (apiKey: string | undefined): Record<string, string> => ({
  'content-type': 'application/json',
  ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
});

/**
 * Without `num_ctx` the context may be as small as 4,096 tokens. Ollama silently truncates what does not
 * fit, unless both kinds of truncation are turned off.
 */
const bodyOf = (model: string, { context }: OllamaServer, key: string, request: ModelRequest) => ({
  model,
  stream: true,
  truncate: false,
  shift: false,
  keep_alive: KEEP_ALIVE,
  options: { num_ctx: context, num_predict: request.maxOutputTokens },
  ...(request.tools.length > 0 ? { tools: ollamaTools(request.tools) } : {}),
  messages: ollamaMessages(request, key),
});

interface OllamaServer {
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** The context window in tokens, request and reply together. */
  readonly context: number;
  readonly limits: AttemptLimits;
}

/** No answer came at all. */
function unreachable(cause: unknown, { baseUrl }: OllamaServer): TryLater {
  const { code = 'no reason given' } = Object(cause) as { code?: unknown };
  return new TryLater(`cannot connect to Ollama at ${hostOf(baseUrl)} (${String(code)})`, {
    cause,
  });
}

/** An answer that is not a reply. */
interface Failure {
  readonly status: number;
  readonly message: string;
  /** Whether it is Ollama's. */
  readonly isOwn: boolean;
  readonly headers: Headers;
}

async function failureIn(answer: Response): Promise<Failure> {
  const { status, headers } = answer;
  const text = await beginningOf(answer, LONGEST_ERROR_BYTES).text();
  const words = errorIn(text);
  return { status, message: words ?? text, isOwn: words !== undefined, headers };
}

/** The error to throw for it. */
const errorOfAnswer = (
  { status, message: words, isOwn, headers }: Failure,
  server: OllamaServer,
  attempt: AttemptedRequest,
): Error =>
  isOwn || status >= 500
    ? ollamaErrorFor({ status, codes: [], words, headers }, server, attempt)
    : notTheApi(attempt);

/** The error to throw for a reply that broke off or ended in an error. */
function errorOfReply(error: unknown, server: OllamaServer, attempt: AttemptedRequest): Error {
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
  attempt: AttemptedRequest,
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

/** Ollama's error message; `undefined` if the answer is not Ollama's. */
function errorIn(text: string): string | undefined {
  try {
    return z.object({ error: z.string() }).parse(JSON.parse(text)).error;
  } catch {
    return undefined;
  }
}
