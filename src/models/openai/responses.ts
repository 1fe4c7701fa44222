import type OpenAI from 'openai';
import type { ModelRequest } from '../../contracts/model.ts';
import type { Line } from '../wire/attempt-limits.ts';
import { nativeKey } from '../wire/native.ts';
import { type OpenAIEndpoint, type Outgoing, OpenAIServer } from './openai-server.ts';
import { ServerFault } from './server-fault.ts';
import type { ModelAdapter, UnpricedReply } from '../provider.ts';
import { responsesReply } from './responses-reply.ts';
import { responsesItems, responsesTools } from './responses-request.ts';
import { cacheName, sentText } from '../wire/sent-text.ts';

type Event = OpenAI.Responses.ResponseStreamEvent;

/**
 * OpenAI's Responses API, always streamed. The provider stores nothing: reasoning arrives encrypted and is
 * sent back with the conversation.
 */
export function responses(endpoint: OpenAIEndpoint): ModelAdapter {
  const server = new OpenAIServer(endpoint);
  const key = nativeKey('responses', endpoint.baseUrl, endpoint.model);
  return {
    callsTools: true,
    imageTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    reply: (request) =>
      server.ask(
        request,
        () => outgoing(server, request, key),
        (events: AsyncIterable<Event>, line) => collected(events, line, key),
      ),
  };
}

function outgoing(
  { endpoint, optional }: OpenAIServer,
  request: ModelRequest,
  key: string,
): Outgoing<OpenAI.Responses.ResponseCreateParamsStreaming> {
  const { system, maxOutputTokens, cacheKey } = request;
  const tools = responsesTools(request);
  const extras = optional.allowed({
    // Some servers do not accept it for models without reasoning.
    include: ['reasoning.encrypted_content' as const],
    ...(endpoint.isOpenAI ? { prompt_cache_key: cacheName(cacheKey) } : {}),
  });
  return {
    path: 'responses',
    body: {
      model: endpoint.model,
      instructions: sentText(system),
      input: request.messages.flatMap((message) => responsesItems(message, key)),
      ...(tools.length > 0 ? { tools } : {}),
      max_output_tokens: maxOutputTokens,
      store: false,
      stream: true,
      ...extras,
    },
    sent: Object.keys(extras),
  };
}

async function collected(
  events: AsyncIterable<Event>,
  line: Line,
  key: string,
): Promise<UnpricedReply | undefined> {
  const items: OpenAI.Responses.ResponseOutputItem[] = [];
  for await (const event of events) {
    const { type } = event;
    if ('delta' in event && typeof event.delta === 'string') line.heard(event.delta.length);
    if (type === 'response.output_item.done') items.push(event.item);
    if (type === 'response.completed' || type === 'response.incomplete') {
      return responsesReply(event.response, items, key);
    }
    if (type === 'response.failed') throw failure(event.response.error);
    if (type === 'error') throw failure(event);
  }
  return undefined;
}

/** The matching HTTP status: a failure with a code is the request's fault unless the code is the server's. */
function failure(error: { readonly code: string | null } | null): ServerFault {
  return new ServerFault(error, { status: error?.code ? 400 : undefined });
}
