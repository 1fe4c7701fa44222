import type {
  ContentBlockParam,
  MessageParam,
  Tool,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { Call, CallResult, Message, ToolSpec } from '../../contracts/model.ts';
import { sentArguments } from '../wire/calls.ts';
import { nameOf, replayable, sentId, sentName, sentText, sentValue } from '../wire/sent-text.ts';

type Assistant = Extract<Message, { role: 'assistant' }>;
type UserMessage = Extract<Message, { role: 'user' }>;

interface SpokenMessage {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlockParam[];
}

/**
 * The conversation in the form of the Messages API: roles alternate, no block is blank, and the results of
 * one reply are in one message. In a request without tools, calls become text, because the API does not
 * accept call blocks there. Blocks stored under `key` are sent back unchanged, but for thinking without a signature: only
 * some compatible servers accept it (`withUnsigned`).
 */
export function messageParams(
  messages: readonly Message[],
  tools: readonly ToolSpec[],
  key: string,
  withUnsigned: boolean,
): MessageParam[] {
  const turns: SpokenMessage[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const all = tools.length === 0 ? inWords(message, key) : inBlocks(message, key);
    const blocks = all.filter(
      (block) => withUnsigned || block.type !== 'thinking' || Boolean(block.signature),
    );
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else if (blocks.length > 0) turns.push({ role, content: [...blocks] });
  }
  return turns;
}

export const toolParams = (tools: readonly ToolSpec[]): Tool[] =>
  tools.map(({ name, description, parameters }) => ({
    name,
    description,
    // Our schemas always describe an object; the type wants it stated.
    input_schema: { type: 'object', ...parameters },
  }));

function inBlocks(message: Message, key: string): ContentBlockParam[] {
  if (message.role === 'user') return saidBlocks(message);
  if (message.role === 'results') return message.results.map(resultBlock);
  return nativeBlocks(message, key) ?? replyBlocks(message.text, message.calls);
}

const saidBlocks = ({ text, images = [] }: UserMessage): ContentBlockParam[] => [
  ...textBlocks(text),
  ...images.flatMap((image): ContentBlockParam[] => [
    { type: 'text', text: nameOf(image) },
    { type: 'image', source: { type: 'base64', media_type: image.type, data: image.data } },
  ]),
];

function inWords(message: Message, key: string): ContentBlockParam[] {
  if (message.role === 'user') return saidBlocks(message);
  if (message.role === 'results') {
    return message.results.flatMap(({ tool, ok, output }) =>
      textBlocks(`${tool} ${ok ? 'gave' : 'failed'}: ${output}`),
    );
  }
  const { text, calls } = message;
  if (calls.length === 0) return nativeBlocks(message, key) ?? textBlocks(text);
  const called = calls.map((call) => `Called ${call.tool}: ${JSON.stringify(call.arguments)}`);
  return textBlocks([text, ...called].join('\n'));
}

const nativeBlocks = (message: Assistant, key: string): ContentBlockParam[] | undefined =>
  replayable(message, key, (blocks: ContentBlockParam[]) =>
    blocks.flatMap((block) => (block.type === 'tool_use' ? block.id : [])),
  );

/** A reply as the blocks that the API would have sent. */
export const replyBlocks = (text: string, calls: readonly Call[]): ContentBlockParam[] => [
  ...textBlocks(text),
  ...calls.map(callBlock),
];

const callBlock = (call: Call): ToolUseBlockParam => ({
  type: 'tool_use',
  id: sentId(call.id),
  name: sentName(call.tool),
  input: sentValue(sentArguments(call)),
});

const resultBlock = ({ id, ok, output }: CallResult): ToolResultBlockParam => ({
  type: 'tool_result',
  tool_use_id: sentId(id),
  // The API does not accept an error without content, and may not accept blank text.
  content: isBlank(output) ? '(no output)' : sentText(output),
  ...(ok ? {} : { is_error: true }),
});

const textBlocks = (text: string): ContentBlockParam[] =>
  isBlank(text) ? [] : [{ type: 'text', text: sentText(text) }];

/** The API does not accept blank text. */
export const isBlank = (text: string): boolean => text.trim() === '';
