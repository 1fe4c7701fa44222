import { clientOf, type OpenAIEndpoint } from '../openai/openai-server.ts';
import { jsonFetch, type Embed } from './vectors.ts';

/** OpenAI's `/embeddings`, and the same API of other servers. */
export function openAIEmbeddings(endpoint: OpenAIEndpoint): Embed {
  const { model } = endpoint;
  const client = clientOf(endpoint, jsonFetch);
  return async (texts, signal) => {
    const { data, usage } = await client.embeddings.create(
      { model, input: [...texts], encoding_format: 'float' },
      { signal },
    );
    const inOrder = data.toSorted((one, other) => one.index - other.index);
    return { vectors: inOrder.map(({ embedding }) => embedding), tokens: usage?.prompt_tokens };
  };
}
