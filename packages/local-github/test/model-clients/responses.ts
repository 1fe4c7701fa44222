import OpenAI from 'openai';
import { missingEnd, MODEL, readArgs, TOOL, type Talk } from './talk.ts';

export const responses = (url: string, key: string): Talk => {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  let input: OpenAI.Responses.ResponseInput = [];
  let called: OpenAI.Responses.ResponseFunctionToolCall[] = [];
  return {
    say: (content) => void input.push({ role: 'user', content }),
    give: (...outputs) =>
      void input.push(
        ...outputs.map((output, index) => ({
          type: 'function_call_output' as const,
          call_id: called[index]?.call_id ?? '',
          output,
        })),
      ),
    forgetReasoning: () => {
      input = input.filter((item) => item.type !== 'reasoning');
    },
    ask: async ({ tools = false, system = 'Be brief.' } = {}) => {
      const stream = await client.responses.create({
        model: MODEL,
        instructions: system,
        input,
        stream: true,
        store: false,
        include: ['reasoning.encrypted_content'],
        ...(tools ? { tools: [{ type: 'function', ...TOOL, strict: false }] } : {}),
      });
      let pieces = 0;
      let done: OpenAI.Responses.Response | undefined;
      for await (const event of stream) {
        if (/(output_text|arguments)\.delta$/.test(event.type)) pieces += 1;
        if (event.type === 'response.completed' || event.type === 'response.incomplete')
          done = event.response;
      }
      if (done?.usage === undefined) throw missingEnd();
      const output = done.output as OpenAI.Responses.ResponseInput;
      input.push(...output);
      called = done.output.filter((item) => item.type === 'function_call');
      const thought = done.output.filter((item) => item.type === 'reasoning');
      return {
        text: done.output
          .flatMap((item) => (item.type === 'message' ? item.content : []))
          .map((part) => (part.type === 'output_text' ? part.text : ''))
          .join(''),
        reasoning: thought.flatMap(({ summary }) => summary.map(({ text }) => text)).join(''),
        pieces,
        calls: called.map((call) => ({
          id: call.call_id,
          name: call.name,
          args: readArgs(call.arguments),
        })),
        isCut: done.incomplete_details?.reason === 'max_output_tokens',
        usage: {
          input: done.usage.input_tokens,
          cached: done.usage.input_tokens_details.cached_tokens,
          output: done.usage.output_tokens,
          reasoning: done.usage.output_tokens_details.reasoning_tokens,
        },
      };
    },
  };
};
