import type OpenAI from 'openai';
import type { ModelRequest, Message, Call, ToolSpec, Usage } from '../../contracts/model.ts';
import type { LimitedAttempt } from '../wire/attempt-limits.ts';
import {
  nativeKey,
  replayable,
  nativeOf,
  cacheName,
  sentText,
  sentId,
  sentName,
  sentValue,
  dataUrl,
  nameOf,
} from '../wire/sent-text.ts';
import { OpenAIServer, type OpenAIEndpoint, type OutgoingRequest } from './openai-server.ts';
import { ServerFault } from '../wire/server-fault.ts';
import type { ModelAdapter, UnpricedReply } from '../provider.ts';
import { readArguments, sentArguments } from '../wire/calls.ts';
import { coherent, tokenCount } from '../wire/token-count.ts';

type Body = OpenAI.Responses.ResponseCreateParamsStreaming;
type Event = OpenAI.Responses.ResponseStreamEvent;

/**
 * OpenAI's Responses API, always streamed. The provider stores nothing: reasoning arrives encrypted and is
 * sent back with the conversation.
 */
export function responses(endpoint: OpenAIEndpoint): ModelAdapter {
  const server = new OpenAIServer<Body>(endpoint);
  const key = nativeKey('responses', endpoint.baseUrl, endpoint.model);
  return {
    callsTools: true,
    imageTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    learnt: () => server.learnt,
    reply: (request) =>
      server.ask(
        request,
        () => outgoing(server, request, key),
        (events: AsyncIterable<Event>, line) => collected(events, line, key),
      ),
  };
}

function outgoing(
  { endpoint, optional, efforts }: OpenAIServer<Body>,
  request: ModelRequest,
  key: string,
): OutgoingRequest<Body> {
  const { system, maxOutputTokens, cacheKey } = request;
  const tools = responsesTools(request.tools);
  const effort = efforts.valueOf(request.effort);
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
      ...(effort === undefined ? {} : { reasoning: { effort: effort as OpenAI.ReasoningEffort } }),
      ...extras,
    },
    sent: Object.keys(extras),
    effort,
  };
}

async function collected(
  events: AsyncIterable<Event>,
  line: LimitedAttempt,
  key: string,
): Promise<UnpricedReply | undefined> {
  const items: OpenAI.Responses.ResponseOutputItem[] = [];
  for await (const event of events) {
    const { type } = event;
    // Without a stream, although one was asked for.
    if (isWholeResponse(event)) return responsesReply(event, items, key);
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

const isWholeResponse = (event: object): event is Response =>
  'object' in event && event.object === 'response';

/** The matching HTTP status: a failure with a code is the request's fault unless the code is the server's. */
function failure(error: { readonly code: string | null } | null): ServerFault {
  return new ServerFault(error, { status: error?.code ? 400 : undefined });
}

type InputItem = OpenAI.Responses.ResponseInputItem;
type Assistant = Extract<Message, { role: 'assistant' }>;
type UserMessage = Extract<Message, { role: 'user' }>;

/** A message as it is sent. Items stored under `key` are sent back unchanged. */
function responsesItems(message: Message, key: string): readonly InputItem[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: userContent(message) }];
    case 'assistant':
      return replayed(message, key) ?? rebuilt(message);
    case 'results':
      return message.results.map(({ id, output }) => ({
        type: 'function_call_output',
        call_id: sentId(id),
        output: sentText(output),
      }));
  }
}

function userContent({
  text,
  images = [],
}: UserMessage): OpenAI.Responses.EasyInputMessage['content'] {
  if (images.length === 0) return sentText(text);
  return [
    { type: 'input_text', text: sentText(text) },
    ...images.flatMap((image): OpenAI.Responses.ResponseInputContent[] => [
      { type: 'input_text', text: nameOf(image) },
      { type: 'input_image', detail: 'auto', image_url: dataUrl(image) },
    ]),
  ];
}

function replayed(message: Assistant, key: string): readonly InputItem[] | undefined {
  const items = replayable<readonly InputItem[]>(message, key, (all) =>
    all.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : [])),
  );
  return items === undefined ? undefined : sentValue(items);
}

/** An assistant message without text and calls has no items: empty text is not accepted. */
function rebuilt({ text, calls }: Assistant): readonly InputItem[] {
  return [
    ...(text === '' ? [] : [{ role: 'assistant' as const, content: sentText(text) }]),
    ...calls.map((call) => ({
      type: 'function_call' as const,
      call_id: sentId(call.id),
      name: sentName(call.tool),
      arguments: JSON.stringify(sentArguments(call)),
    })),
  ];
}

/** With `strict`, every property of a schema would have to be required. */
const responsesTools = (tools: readonly ToolSpec[]): OpenAI.Responses.FunctionTool[] =>
  tools.map(({ name, description, parameters }) => ({
    type: 'function',
    name,
    description,
    parameters,
    strict: false,
  }));

type OutputItem = OpenAI.Responses.ResponseOutputItem;
type Response = OpenAI.Responses.Response;

/** `streamed` are the items from the stream: some servers leave them out of the final response. */
export function responsesReply(
  response: Response,
  streamed: readonly OutputItem[],
  key: string,
): UnpricedReply {
  const items = response.output?.length > 0 ? response.output : streamed;
  const stop = stopOf(response, items);
  return {
    text: textsOf(items, 'output_text') || textsOf(items, 'refusal'),
    reasoning: items.map(thoughtOf).filter(Boolean).join('\n\n'),
    calls: stop === 'filtered' ? [] : items.flatMap(callsOf),
    stop,
    usage: usageOf(response.usage),
    native: nativeOf(stop, key, items.every(isPlain) ? null : items.map(sendable)),
  };
}

function stopOf(
  { status, incomplete_details: details }: Response,
  items: readonly OutputItem[],
): UnpricedReply['stop'] {
  if (details?.reason === 'content_filter' || textsOf(items, 'refusal') !== '') return 'filtered';
  return status === 'incomplete' ? 'cut' : 'end';
}

const textsOf = (items: readonly OutputItem[], type: 'output_text' | 'refusal'): string =>
  items
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .filter((part) => part.type === type)
    .map((part) => (part.type === 'refusal' ? part.refusal : part.text))
    .join('');

function thoughtOf(item: OutputItem): string {
  if (item.type !== 'reasoning') return '';
  const parts = item.summary?.length > 0 ? item.summary : (item.content ?? []);
  return parts.map(({ text }) => text).join('\n\n');
}

function callsOf(item: OutputItem): readonly Call[] {
  if (item.type !== 'function_call') return [];
  return [{ tool: item.name, id: item.call_id, ...readArguments(item.arguments) }];
}

const PLAIN_FIELDS = new Set('type id status role content call_id name arguments'.split(' '));

/** Whether an item can be rebuilt from the reply's parts without loss. A text must be the first item. */
function isPlain(item: OutputItem, place: number): boolean {
  if (item.type !== 'function_call' && (item.type !== 'message' || place > 0)) return false;
  return Object.entries(item).every(([name, value]) => PLAIN_FIELDS.has(name) || value === null);
}

/** Some servers parse the arguments of calls that are sent back. */
function sendable(item: OutputItem): OutputItem {
  if (item.type !== 'function_call') return item;
  const isFaulty = readArguments(item.arguments).fault !== undefined;
  return isFaulty ? { ...item, arguments: '{}' } : item;
}

function usageOf(usage: Response['usage']): Usage {
  return coherent({
    input: tokenCount(usage?.input_tokens),
    cached: tokenCount(usage?.input_tokens_details?.cached_tokens),
    written: tokenCount(usage?.input_tokens_details?.cache_write_tokens),
    output: tokenCount(usage?.output_tokens),
    reasoning: tokenCount(usage?.output_tokens_details?.reasoning_tokens),
  });
}
