import Anthropic from '@anthropic-ai/sdk';
import { MODEL, SCHEMA, TOOL, type Talk } from './talk.ts';

export const messages = (url: string, key: string): Talk => {
  const client = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
  const turns: Anthropic.MessageParam[] = [];
  let content: Anthropic.ContentBlock[] = [];
  const toolUses = () => content.filter((block) => block.type === 'tool_use');
  return {
    say: (text) => void turns.push({ role: 'user', content: [{ type: 'text', text }] }),
    give: (...outputs) =>
      void turns.push({
        role: 'user',
        content: outputs.map((output, index) => ({
          type: 'tool_result',
          tool_use_id: toolUses()[index]?.id ?? '',
          content: output,
        })),
      }),
    forgetReasoning: () =>
      turns.forEach((turn) => {
        if (typeof turn.content !== 'string')
          turn.content = turn.content.filter(({ type }) => type !== 'thinking');
      }),
    ask: async ({ tools = false, system = 'Be brief.' } = {}) => {
      let pieces = 0;
      const stream = client.messages.stream({
        model: MODEL,
        max_tokens: 1000,
        system,
        messages: structuredClone(turns),
        cache_control: { type: 'ephemeral' },
        ...(tools ? { tools: [{ name: TOOL.name, input_schema: SCHEMA }] } : {}),
      });
      stream.on('streamEvent', (event) => {
        if (event.type === 'content_block_delta') pieces += 1;
      });
      const reply = await stream.finalMessage();
      ({ content } = reply);
      turns.push({ role: 'assistant', content });
      const { usage } = reply;
      const cached = usage.cache_read_input_tokens ?? 0;
      const thinking = content.map((block) => (block.type === 'thinking' ? block.thinking : ''));
      return {
        text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        reasoning: thinking.join(''),
        pieces,
        calls: toolUses().map(({ id, name, input }) => ({ id, name, args: input })),
        isCut: reply.stop_reason === 'max_tokens',
        usage: {
          input: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
          cached,
          output: usage.output_tokens,
          reasoning: 0,
        },
      };
    },
  };
};
