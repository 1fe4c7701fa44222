import OpenAI, { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import type { ChatCompletionChunk, ChatCompletionMessageParam } from 'openai/resources';
import type { Model, ModelReply, ModelRequest } from '../agent/model.ts';
import { messageOf, TellPerson, TryLater } from '../lib/errors.ts';

export interface OpenAISettings {
  readonly apiKey: string | undefined;
  /** Any server that speaks Chat Completions; `undefined` for OpenAI's own. */
  readonly baseUrl: string | undefined;
}

/** Many times what a reply may hold: a server that never ends is cut off. */
const MAX_REPLY_CHARACTERS = 4_000_000;
const NO_API =
  'The model server answers with a web page, not in the form of the OpenAI API. Check OPENAI_BASE_URL: it usually ends in `/v1`.';
/** From the first byte sent to the last received. */
const REPLY_DEADLINE_MS = 15 * 60_000;

/**
 * Chat Completions, always streamed. Retries are the caller's: a client that retries by itself
 * waits for no `retry-after` (measured).
 */
export function openAIModel(model: string, settings: OpenAISettings): Model {
  // Servers without keys still need one: the client refuses to be built without.
  const client = new OpenAI({
    apiKey: settings.apiKey ?? 'none',
    baseURL: settings.baseUrl ?? null,
    maxRetries: 0,
    timeout: REPLY_DEADLINE_MS,
    logLevel: 'off',
  });
  const isOpenAI = new URL(client.baseURL).hostname.endsWith('openai.com');
  return {
    name: `openai:${model}`,
    reply: async (request) => {
      try {
        const { data, response } = await client.chat.completions
          .create(
            { model, ...body(request), ...extras(request, isOpenAI) },
            { signal: AbortSignal.any([request.signal, AbortSignal.timeout(REPLY_DEADLINE_MS)]) },
          )
          .withResponse();
        if (/html/.test(response.headers.get('content-type') ?? '')) throw new TellPerson(NO_API);
        return await collect(data);
      } catch (error) {
        request.signal.throwIfAborted();
        throw decided(error, model);
      }
    },
  };
}

function body({ system, messages }: ModelRequest) {
  const spoken: ChatCompletionMessageParam[] = [
    { role: 'system', content: system },
    ...messages.map(({ role, text }) => ({ role, content: text })),
  ];
  return { messages: spoken, stream: true, stream_options: { include_usage: true } } as const;
}

/** Parameters that OpenAI names in its own way, and that other servers may refuse. */
const extras = ({ maxOutputTokens, cacheKey }: ModelRequest, isOpenAI: boolean) =>
  isOpenAI
    ? { max_completion_tokens: maxOutputTokens, prompt_cache_key: cacheKey }
    : { max_tokens: maxOutputTokens };

async function collect(stream: AsyncIterable<ChatCompletionChunk>): Promise<ModelReply> {
  let text = '';
  let finish: string | undefined;
  let usage: ChatCompletionChunk['usage'];
  for await (const chunk of stream) {
    const [choice] = chunk.choices;
    text += choice?.delta.content ?? '';
    if (text.length > MAX_REPLY_CHARACTERS) {
      throw new TellPerson('The model server sent a reply without end. Check OPENAI_BASE_URL.');
    }
    finish = choice?.finish_reason ?? finish;
    usage = chunk.usage ?? usage;
  }
  if (finish === undefined) throw new TryLater('the reply of the model ended early');
  return { text, stop: stopOf(finish), usage: usageOf(usage) };
}

function stopOf(finish: string): ModelReply['stop'] {
  if (finish === 'length') return 'cut';
  return finish === 'content_filter' ? 'refused' : 'end';
}

const usageOf = (usage: ChatCompletionChunk['usage']): ModelReply['usage'] => ({
  input: usage?.prompt_tokens ?? 0,
  cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
  output: usage?.completion_tokens ?? 0,
  reasoning: usage?.completion_tokens_details?.reasoning_tokens ?? 0,
});

/** What to do about an error of the client: try again, or tell the person and stop. */
function decided(error: unknown, model: string): Error {
  if (error instanceof TellPerson || error instanceof TryLater) return error;
  if (error instanceof APIConnectionError || error instanceof APIUserAbortError) {
    return new TryLater(`the model server cannot be reached: ${messageOf(error)}`, {
      cause: error,
    });
  }
  if (!(error instanceof APIError) || error.status === undefined) {
    return new TryLater(`the reply of the model broke off: ${messageOf(error)}`, { cause: error });
  }
  return answered(error, error.status, model);
}

/** The words of the provider may quote the key: the log has them, and the issue only the code. */
function answered(error: APIError, status: number, model: string): Error {
  const cause = { cause: error };
  const code = typeof error.code === 'string' ? `${status}, ${error.code}` : String(status);
  if (error.code === 'context_length_exceeded') {
    return new TellPerson(
      `This conversation has grown longer than ${model} can read. A new issue starts a new one.`,
      cause,
    );
  }
  if (status === 401 || status === 403) {
    return new TellPerson(`The model provider refused the key for ${model} (${code}).`, cause);
  }
  if (status === 404) {
    return new TellPerson(`The model provider does not know ${model} (${code}).`, cause);
  }
  if (status === 429 && error.code === 'insufficient_quota') {
    return new TellPerson(`The quota of the model provider is used up (${code}).`, cause);
  }
  if (status === 408 || status === 409 || status === 429 || status >= 500) {
    const retryAfterMs = retryAfter(error.headers);
    return new TryLater(`the model provider answered ${code}`, { ...cause, retryAfterMs });
  }
  return new TellPerson(`The model provider refused the request (${code}).`, cause);
}

function retryAfter(headers: Headers | undefined): number | undefined {
  const seconds = Number(headers?.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds * 1000 : undefined;
}
