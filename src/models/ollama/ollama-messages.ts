import type { Call, Message, ModelRequest } from '../../contracts/model.ts';
import { sentArguments } from '../wire/calls.ts';
import { replayable } from '../wire/native.ts';
import { sentId, sentName, sentText, sentValue } from '../wire/sent-text.ts';

type Assistant = Extract<Message, { role: 'assistant' }>;

/** A message of Ollama's chat API. */
export type OllamaMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string; readonly images?: readonly string[] }
  | OllamaReply
  | {
      readonly role: 'tool';
      readonly tool_name: string;
      readonly tool_call_id: string;
      readonly content: string;
    };

export interface OllamaReply {
  readonly role: 'assistant';
  readonly content: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly OllamaCall[];
}

export interface OllamaCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: unknown };
}

/** The conversation in Ollama's form. Replies stored under `key` are sent back unchanged. */
export function ollamaMessages(
  { system, messages }: Pick<ModelRequest, 'system' | 'messages'>,
  key: string,
): OllamaMessage[] {
  const first: OllamaMessage[] =
    system === '' ? [] : [{ role: 'system', content: sentText(system) }];
  return [...first, ...messages.flatMap((message) => ollamaMessage(message, key))];
}

export const ollamaTools = ({ tools }: Pick<ModelRequest, 'tools'>) =>
  tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));

function ollamaMessage(message: Message, key: string): OllamaMessage[] {
  switch (message.role) {
    case 'user':
      return [said(message)];
    case 'assistant':
      return [repliedBefore(message, key)];
    case 'results':
      return message.results.map(({ id, tool, output }) => ({
        role: 'tool',
        tool_name: sentName(tool),
        tool_call_id: sentId(id),
        content: sentText(output),
      }));
  }
}

/** The images have no names: they are in the order in which the text attaches them. */
const said = ({ text, images }: Extract<Message, { role: 'user' }>): OllamaMessage => ({
  role: 'user',
  content: sentText(text),
  ...(images === undefined ? {} : { images: images.map(({ data }) => data) }),
});

function repliedBefore(message: Assistant, key: string): OllamaReply {
  const native = replayable(message, key, ({ tool_calls: calls = [] }: OllamaReply) =>
    calls.map(({ id }) => id),
  );
  return native ?? rebuilt(message.text, message.calls);
}

/** A reply rebuilt from its parts. */
export const rebuilt = (text: string, calls: readonly Call[]): OllamaReply => ({
  role: 'assistant',
  content: sentText(text),
  ...(calls.length === 0 ? {} : { tool_calls: calls.map(rebuiltCall) }),
});

const rebuiltCall = (call: Call): OllamaCall => ({
  id: sentId(call.id),
  function: { name: sentName(call.tool), arguments: sentValue(sentArguments(call)) },
});
