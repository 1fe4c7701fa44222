import OpenAI from 'openai';
import { missingEnd, MODEL, readArgs, TOOL, type Talk } from './talk.ts';

export const chat = (url: string, key: string): Talk => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [];
  let calls: (OpenAI.ChatCompletionMessageFunctionToolCall & { extra_content?: unknown })[] = [];
  return {
    say: (content) => void messages.push({ role: 'user', content }),
    give: (...outputs) =>
      void messages.push(
        ...outputs.map((content, index) => ({
          role: 'tool' as const,
          tool_call_id: calls[index]?.id ?? '',
          content,
        })),
      ),
    forgetReasoning: () => calls.forEach((call) => delete call.extra_content),
    ask: async ({ tools = false, system = 'Be brief.' } = {}) => {
      const stream = await client.chat.completions.create({
        model: MODEL,
        messages: [{ role: 'system', content: system }, ...messages],
        stream: true,
        stream_options: { include_usage: true },
        ...(tools ? { tools: [{ type: 'function', function: TOOL }] } : {}),
      });
      calls = [];
      let [text, reasoning, finish, pieces] = ['', '', '', 0];
      let usage: OpenAI.CompletionUsage | undefined;
      for await (const chunk of stream) {
        usage = chunk.usage ?? usage;
        const [choice] = chunk.choices;
        finish = choice?.finish_reason ?? finish;
        const delta: typeof choice & { reasoning_content?: string } = { ...choice?.delta } as never;
        const { content, tool_calls: parts = [] } = choice?.delta ?? {};
        reasoning += delta.reasoning_content ?? '';
        text += content ?? '';
        pieces += (content ? 1 : 0) + parts.length;
        for (const { index, ...part } of parts)
          if (part.id !== undefined) calls[index] = structuredClone(part) as (typeof calls)[0];
          else calls[index]!.function.arguments += part.function?.arguments ?? '';
      }
      if (finish === '' || usage === undefined) throw missingEnd();
      messages.push({
        role: 'assistant',
        content: text,
        ...(calls.length > 0 ? { tool_calls: calls } : {}),
      });
      return {
        text,
        reasoning,
        pieces,
        calls: calls.map((call) => ({
          id: call.id,
          name: call.function.name,
          args: readArgs(call.function.arguments),
        })),
        isCut: finish === 'length',
        usage: {
          input: usage.prompt_tokens,
          cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
          output: usage.completion_tokens,
          reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
        },
      };
    },
  };
};
