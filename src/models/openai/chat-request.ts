// Writes the conversation in the form of Chat Completions.
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
  ChatCompletionTool,
  ChatCompletionUserMessageParam,
} from 'openai/resources';
import type { Call, Message, ToolSpec } from '../../contracts/model.ts';
import { sentArguments } from '../wire/calls.ts';
import {
  dataUrl,
  nameOf,
  replayable,
  sentId,
  sentName,
  sentText,
  sentValue,
} from '../wire/sent-text.ts';

type Assistant = Extract<Message, { role: 'assistant' }>;
type UserMessage = Extract<Message, { role: 'user' }>;

/**
 * A message as it is sent. Wire messages stored under `key` are sent back unchanged; with `undefined`,
 * every message is rebuilt.
 */
export function chatMessage(
  message: Message,
  key: string | undefined,
): readonly ChatCompletionMessageParam[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: userContent(message) }];
    case 'assistant':
      return [replayed(message, key) ?? rebuilt(message)];
    case 'results':
      return message.results.map(({ id, output }) => ({
        role: 'tool',
        tool_call_id: sentId(id),
        content: sentText(output),
      }));
  }
}

function userContent({
  text,
  images = [],
}: UserMessage): ChatCompletionUserMessageParam['content'] {
  if (images.length === 0) return sentText(text);
  return [
    { type: 'text', text: sentText(text) },
    ...images.flatMap((image): ChatCompletionContentPart[] => [
      { type: 'text', text: nameOf(image) },
      { type: 'image_url', image_url: { url: dataUrl(image) } },
    ]),
  ];
}

function replayed(
  message: Assistant,
  key: string | undefined,
): ChatCompletionAssistantMessageParam | undefined {
  if (key === undefined) return undefined;
  const idsOf = ({ tool_calls: calls = [] }: ChatCompletionAssistantMessageParam) =>
    calls.map(({ id }) => id);
  const wire = replayable(message, key, idsOf);
  return wire === undefined ? undefined : sentValue(wire);
}

const PLAIN_FIELDS = new Set(['role', 'content', 'tool_calls', 'id', 'type', 'function']);

/** The names of extra fields, which a server may not accept back. */
export const opaqueNames = (sent: readonly ChatCompletionMessageParam[]): readonly string[] => [
  ...new Set(sent.flatMap(opaqueNamesOf)),
];

const opaqueNamesOf = (message: ChatCompletionMessageParam): readonly string[] =>
  message.role === 'assistant'
    ? [message, ...(message.tool_calls ?? [])]
        .flatMap(Object.keys)
        .filter((name) => !PLAIN_FIELDS.has(name))
    : [];

/** A reply rebuilt from its parts, without extra fields. */
export function rebuilt({
  text,
  calls,
}: Pick<Assistant, 'text' | 'calls'>): ChatCompletionAssistantMessageParam {
  if (calls.length === 0) return { role: 'assistant', content: sentText(text) };
  return {
    role: 'assistant',
    content: text === '' ? null : sentText(text),
    tool_calls: calls.map(rebuiltCall),
  };
}

const rebuiltCall = (call: Call) => ({
  id: sentId(call.id),
  type: 'function' as const,
  function: { name: sentName(call.tool), arguments: JSON.stringify(sentArguments(call)) },
});

export const chatTools = (tools: readonly ToolSpec[]): ChatCompletionTool[] =>
  tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
