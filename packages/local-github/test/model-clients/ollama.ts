import { missingEnd, MODEL, TOOL, type Talk } from './talk.ts';

interface OllamaLine {
  message: {
    content: string;
    thinking?: string;
    tool_calls?: { id: string; function: { name: string; arguments: unknown } }[];
  };
  done_reason?: string;
  prompt_eval_count: number;
  eval_count: number;
}

export const ollama = (url: string): Talk => {
  const said: object[] = [];
  let calls: NonNullable<OllamaLine['message']['tool_calls']> = [];
  return {
    say: (content) => void said.push({ role: 'user', content }),
    give: (...outputs) =>
      void said.push(
        ...outputs.map((content, index) => ({
          role: 'tool',
          tool_name: calls[index]?.function.name,
          content,
        })),
      ),
    forgetReasoning: () => {},
    ask: async ({ tools = false, system = 'Be brief.' } = {}) => {
      const answer = await fetch(`${url}/api/chat`, {
        method: 'POST',
        body: JSON.stringify({
          model: MODEL,
          messages: [{ role: 'system', content: system }, ...said],
          ...(tools ? { tools: [{ type: 'function', function: TOOL }] } : {}),
        }),
      });
      const body = await answer.text();
      if (!answer.ok) throw Object.assign(new Error(body), { status: answer.status });
      const lines = body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as OllamaLine);
      const last = lines.at(-1);
      if (last?.done_reason === undefined) throw missingEnd();
      const text = lines.map(({ message }) => message.content).join('');
      const thinking = lines.map(({ message }) => message.thinking ?? '').join('');
      calls = lines.flatMap(({ message }) => message.tool_calls ?? []);
      said.push({ role: 'assistant', content: text, thinking, tool_calls: calls });
      return {
        text,
        reasoning: thinking,
        pieces: lines.length,
        calls: calls.map((call) => ({
          id: call.id,
          name: call.function.name,
          args: call.function.arguments,
        })),
        isCut: last.done_reason === 'length',
        usage: { input: last.prompt_eval_count, cached: 0, output: last.eval_count, reasoning: 0 },
      };
    },
  };
};
