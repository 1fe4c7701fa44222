import { GoogleGenAI, type Content, type Part } from '@google/genai';
import { missingEnd, MODEL, SCHEMA, TOOL, type Talk } from './talk.ts';

const genai = (client: GoogleGenAI): Talk => {
  const contents: Content[] = [];
  let parts: Part[] = [];
  const calls = () => parts.flatMap(({ functionCall: call }) => call ?? []);
  return {
    say: (text) => void contents.push({ role: 'user', parts: [{ text }] }),
    give: (...outputs) =>
      void contents.push({
        role: 'user',
        parts: outputs.map((output, index) => ({
          functionResponse: { ...calls()[index], response: { output } },
        })),
      }),
    forgetReasoning: () => parts.forEach((part) => delete part.thoughtSignature),
    ask: async ({ tools = false, system = 'Be brief.' } = {}) => {
      const stream = await client.models.generateContentStream({
        model: MODEL,
        contents,
        config: {
          systemInstruction: system,
          ...(tools
            ? {
                tools: [
                  { functionDeclarations: [{ name: TOOL.name, parametersJsonSchema: SCHEMA }] },
                ],
              }
            : {}),
        },
      });
      parts = [];
      let [finish, pieces] = ['', 0];
      let usage: { [name: string]: unknown } = {};
      for await (const chunk of stream) {
        const [candidate] = chunk.candidates ?? [];
        parts.push(...(candidate?.content?.parts ?? []));
        pieces += 1;
        finish = candidate?.finishReason ?? finish;
        usage = Object.fromEntries(Object.entries(chunk.usageMetadata ?? {}));
      }
      if (finish === '') throw missingEnd();
      contents.push({ role: 'model', parts });
      const tokens = (name: string): number => Number(usage[`${name}TokenCount`] ?? 0);
      const said = (thought: boolean): string =>
        parts
          .map((part) => ((part.thought ?? false) === thought ? (part.text ?? '') : ''))
          .join('');
      return {
        text: said(false),
        reasoning: said(true),
        pieces,
        calls: calls().map(({ id = '', name = '', args }) => ({ id, name, args })),
        isCut: finish === 'MAX_TOKENS',
        usage: {
          input: tokens('prompt'),
          cached: tokens('cachedContent'),
          output: tokens('candidates') + tokens('thoughts'),
          reasoning: tokens('thoughts'),
        },
      };
    },
  };
};

/** The auth that the Vertex client would otherwise ask Google for. */
const googleAuth = (token: string) => ({
  authClient: { getRequestHeaders: async () => new Headers({ authorization: `Bearer ${token}` }) },
});

/** Of the test's own world: the client's would be Node's, which Jest keeps apart. */
const ownFetch: typeof fetch = (...args) => fetch(...args);

export const gemini = (url: string, key: string): Talk =>
  genai(new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url, fetch: ownFetch } }));

export const vertex = (url: string, key: string): Talk =>
  genai(
    new GoogleGenAI({
      vertexai: true,
      project: 'p',
      location: 'l',
      googleAuthOptions: googleAuth(key) as never,
      httpOptions: { baseUrl: url, fetch: ownFetch },
    }),
  );
