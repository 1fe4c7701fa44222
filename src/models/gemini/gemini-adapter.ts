import {
  ApiError,
  GoogleGenAI,
  ThinkingLevel,
  type GenerateContentConfig,
  type GenerateContentParameters,
  type GoogleGenAIOptions,
} from '@google/genai';
import type { ModelRequest } from '../../contracts/model.ts';
import {
  apiFetch,
  thrownBelow,
  withinAttemptLimits,
  type LimitedAttempt,
} from '../wire/attempt-limits.ts';
import {
  attemptOf,
  connectionFailed,
  errorFor,
  type AttemptedRequest,
  type ServerError,
} from '../wire/server-error.ts';
import { contentsOf, declarationsOf, readGeminiReply } from './gemini-reply.ts';
import { Efforts, GEMINI_EFFORTS, type GeminiEffort } from '../wire/learnt-from-errors.ts';
import { nativeKey, sentText } from '../wire/sent-text.ts';
import type { ModelAdapter, UnpricedReply } from '../provider.ts';
import { z } from 'zod';
import { jsonFetch, type Embed } from '../wire/vectors.ts';

/** The server of a model: the Gemini API or Vertex AI. */
export interface GeminiServer {
  readonly options: GoogleGenAIOptions;
  /** Identifies the server. Thought signatures are valid only where they were made. */
  readonly place: string;
  readonly addressSetting: string;
  /** The error for a request that was never sent because the sign-in failed. */
  readonly unsigned: (error: unknown) => Error;
}

/** Parts that some models and servers do not accept. They are left out after the first such error. */
interface OptionalParts {
  /** Summaries of the model's thoughts, for people. */
  thoughts: boolean;
  /** The ids that the server gave to its calls. */
  ids: boolean;
}

export function geminiAdapter(model: string, server: GeminiServer): ModelAdapter {
  const client = new GoogleGenAI(server.options);
  const key = nativeKey('gemini', server.place, model);
  const extras: OptionalParts = { thoughts: true, ids: true };
  const efforts = new Efforts(GEMINI_EFFORTS);

  const attempted = async (request: ModelRequest, line: LimitedAttempt): Promise<UnpricedReply> => {
    const { addressSetting, unsigned } = server;
    const attempt = attemptOf(request, { model, addressSetting });
    const sent = { ...extras };
    const effort = efforts.valueOf(request.effort);
    let isSigned = false;
    const fetch: typeof globalThis.fetch = (input, init) => {
      isSigned = true;
      return apiFetch(line.fetch, attempt)(input, init);
    };
    try {
      const body = bodyOf(request, key, sent, effort);
      const config = { ...body.config, ...ONE_REQUEST, httpOptions: { fetch } };
      const sending = client.models.generateContentStream({
        model,
        contents: body.contents,
        config: { ...config, abortSignal: line.signal },
      });
      const chunks = await Promise.race([sending, abortOf(line.signal)]);
      return await readGeminiReply(chunks, request.tools, key, line);
    } catch (error) {
      if (!isSigned) throw unsigned(error);
      const isOther = error instanceof ApiError && efforts.rejects(effort, error);
      if (!isOther && !leavesOut(extras, sent, error)) throw decided(error, attempt);
      return await attempted(request, line);
    }
  };
  return {
    callsTools: true,
    imageTypes: ['image/png', 'image/jpeg', 'image/webp'],
    learnt: () => [
      ...(extras.thoughts ? [] : ['leaves out `thinkingConfig`']),
      ...(extras.ids ? [] : ['leaves out the ids of calls']),
    ],
    reply: (request) => withinAttemptLimits(request.signal, (line) => attempted(request, line)),
  };
}

/** The client would send further requests by itself, for long replies and for calls. */
const ONE_REQUEST = {
  automaticContinuation: false,
  automaticFunctionCalling: { disable: true },
};

type Body = Pick<GenerateContentParameters, 'contents' | 'config'>;

function bodyOf(
  { system, messages, tools, maxOutputTokens }: ModelRequest,
  key: string,
  sent: OptionalParts,
  effort: GeminiEffort | undefined,
): Body {
  return {
    contents: contentsOf(messages, key, sent.ids),
    config: {
      maxOutputTokens,
      ...(system === '' ? {} : { systemInstruction: sentText(system) }),
      ...(tools.length > 0 ? { tools: [{ functionDeclarations: declarationsOf(tools) }] } : {}),
      ...thinkingOf(sent, effort),
    },
  };
}

function thinkingOf(
  { thoughts }: OptionalParts,
  effort: GeminiEffort | undefined,
): Pick<GenerateContentConfig, 'thinkingConfig'> {
  if (!thoughts && effort === undefined) return {};
  return {
    thinkingConfig: {
      ...(thoughts ? { includeThoughts: true } : {}),
      ...(typeof effort === 'number' ? { thinkingBudget: effort } : {}),
      ...(typeof effort === 'string' ? { thinkingLevel: ThinkingLevel[effort] } : {}),
    },
  };
}

/** The client heeds the signal only once it sends. Before that, it may wait for a token. */
const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

/** Whether an error is about an optional part that can be left out from now on. */
function leavesOut(extras: OptionalParts, sent: OptionalParts, error: unknown): boolean {
  if (!(error instanceof ApiError) || error.status !== 400) return false;
  const { words } = serverErrorIn(error);
  // "Thinking is not enabled for …", "thinking is not supported by this model".
  if (sent.thoughts && /thinking/i.test(words)) extras.thoughts = false;
  // Vertex's older servers: "Unknown name "id" at 'contents[1].parts[0].function_call'".
  else if (sent.ids && /unknown name "id"/i.test(words)) extras.ids = false;
  else return false;
  return true;
}

function decided(error: unknown, attempt: AttemptedRequest): Error {
  const thrown = thrownBelow(error);
  if (thrown !== undefined) return thrown;
  if (!(error instanceof ApiError)) return connectionFailed(error);
  return errorFor(serverErrorIn(error), attempt, error);
}

/** The fields of a `google.rpc.Status` that are used. Any may be missing or of another type. */
const Status = z.object({
  message: z.string().catch(''),
  status: z.string().optional().catch(undefined),
  details: z
    .array(
      z.object({
        reason: z.string().optional().catch(undefined),
        /** Seconds: `34.07s`. */
        retryDelay: z.string().optional().catch(undefined),
        violations: z.array(z.object({ quotaId: z.string().catch('') })).catch([]),
      }),
    )
    .catch([]),
});

type Status = z.infer<typeof Status>;

/** Reads an error of the client. Its message ends with the server's answer as JSON. */
function serverErrorIn(error: { readonly status: number; readonly message: string }): ServerError {
  const { message, status, details } = statusIn(error.message);
  const reasons = details.map(({ reason }) => reason);
  // Gemini calls every limit a quota. For a daily one it also asks to wait seconds, which does not help.
  const isSpent = details.some(({ violations }) =>
    violations.some(({ quotaId }) => quotaId.includes('PerDay')),
  );
  return {
    // Gemini answers 400 to an unknown key.
    status: reasons.includes('API_KEY_INVALID') ? 401 : error.status,
    codes: [status, ...reasons, ...(isSpent ? ['insufficient_quota'] : [])],
    words: message,
    retryAfterMs: isSpent ? undefined : delayIn(details),
  };
}

function statusIn(text: string): Status {
  const nothing = { message: text, status: undefined, details: [] };
  try {
    const answer: unknown = JSON.parse(text.slice(Math.max(0, text.indexOf('{'))));
    return z.object({ error: Status }).parse(answer).error;
  } catch {
    return nothing;
  }
}

function delayIn(details: Status['details']): number | undefined {
  const [delay] = details.flatMap(({ retryDelay }) => retryDelay ?? []);
  const seconds = /^(\d+(\.\d+)?)s$/.exec(delay ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** The embeddings of the Gemini API and of Vertex AI. */
export function geminiEmbeddings(model: string, { options }: Pick<GeminiServer, 'options'>): Embed {
  const client = new GoogleGenAI(options);
  return async (texts, signal) => {
    const { embeddings = [] } = await client.models.embedContent({
      model,
      contents: [...texts],
      config: { abortSignal: signal, httpOptions: { fetch: jsonFetch } },
    });
    const counts = embeddings.map(({ statistics }) => statistics?.tokenCount ?? 0);
    return {
      vectors: embeddings.map(({ values }) => values),
      tokens: counts.reduce((sum, count) => sum + count, 0),
    };
  };
}
