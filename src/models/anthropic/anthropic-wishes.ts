// What servers of the Messages API want of the messages that they are sent, learnt from their errors.
import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { Wish } from '../wire/wishes.ts';

export const MESSAGE_WISHES: readonly Wish<MessageCreateParamsStreaming>[] = [
  {
    name: 'thinking of every reply',
    source:
      'DeepSeek (NousResearch/hermes-agent PR#17510, leookun/cursor-byok PR#276), Kimi (VicBilibily/GCMP#162), Fireworks (anomalyco/opencode PR#44713, earendil-works/pi#4464)',
    said: /thinking\W{0,3} in the thinking mode must be passed back|reasoning.content\W{0,3} is missing/i,
    fulfil: (body) => ({ ...body, messages: body.messages.map(withThinking) }),
  },
];

/** Its signature is that of no server: those that want thinking back without one check none. */
const NO_THINKING: ContentBlockParam = { type: 'thinking', thinking: ' ', signature: '' };

function withThinking(message: MessageParam): MessageParam {
  const { role, content } = message;
  if (role !== 'assistant' || typeof content === 'string') return message;
  const hasThinking = content.some(({ type }) => type.endsWith('thinking'));
  return hasThinking ? message : { role, content: [NO_THINKING, ...content] };
}
