import OpenAI from 'openai';
import type { OpenAIEndpoint } from '../openai/openai-server.ts';
import { jsonFetch } from './json-fetch.ts';
import type { Embed } from './vectors.ts';

/** OpenAI's `/embeddings`, and the same API of other servers. */
export function openAIEmbeddings({ model, baseUrl, headers }: OpenAIEndpoint): Embed {
  const client = new OpenAI({
    baseURL: baseUrl,
    // The client requires a key and reads everything else that is missing from the environment.
    apiKey: 'none',
    organization: null,
    project: null,
    defaultHeaders: { authorization: null, ...headers },
    maxRetries: 0,
    logLevel: 'off',
    fetch: jsonFetch,
  });
  return async (texts, signal) => {
    const { data, usage } = await client.embeddings.create(
      { model, input: [...texts], encoding_format: 'float' },
      { signal },
    );
    const inOrder = data.toSorted((one, other) => one.index - other.index);
    return { vectors: inOrder.map(({ embedding }) => embedding), tokens: usage?.prompt_tokens };
  };
}
