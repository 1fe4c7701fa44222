import { GoogleGenAI } from '@google/genai';
import type { GeminiServer } from '../gemini/gemini-adapter.ts';
import { jsonFetch, type Embed } from './vectors.ts';

/** The embeddings of the Gemini API and of Vertex AI. */
export function geminiEmbeddings(model: string, { options }: Pick<GeminiServer, 'options'>): Embed {
  const client = new GoogleGenAI(options);
  return async (texts, signal) => {
    const { embeddings = [] } = await client.models.embedContent({
      model,
      contents: [...texts],
      config: { abortSignal: signal, httpOptions: { fetch: jsonFetch } },
    });
    const counts = embeddings.map(({ statistics }) => statistics?.tokenCount ?? 0);
    return {
      vectors: embeddings.map(({ values }) => values),
      tokens: counts.reduce((sum, count) => sum + count, 0),
    };
  };
}
