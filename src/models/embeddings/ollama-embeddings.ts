import { z } from 'zod';
import { jsonFetch, type Embed } from './vectors.ts';

const Answer = z.object({ embeddings: z.unknown(), prompt_eval_count: z.unknown() });

/** Ollama's `/api/embed`. */
export const ollamaEmbeddings =
  (
    model: string,
    server: { readonly baseUrl: string; readonly apiKey: string | undefined },
  ): Embed =>
  async (texts, signal) => {
    const response = await jsonFetch(`${server.baseUrl}/api/embed`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(server.apiKey === undefined ? {} : { authorization: `Bearer ${server.apiKey}` }),
      },
      body: JSON.stringify({ model, input: texts }),
      signal,
    });
    if (!response.ok) throw new Error(`Ollama answered ${response.status}`);
    const { embeddings, prompt_eval_count: tokens } = Answer.parse(await response.json());
    return { vectors: embeddings, tokens };
  };
