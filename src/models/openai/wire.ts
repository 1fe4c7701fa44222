import type { OpenAIEndpoint } from './openai-server.ts';
import type { Embed } from '../embeddings/vectors.ts';
import type { ModelAdapter } from '../provider.ts';

export type OpenAIWire = 'responses' | 'chat';

// OpenAI's client is loaded when a model is opened: it is a fourth of all modules, and a service may use another.

/** Opens a model through one of OpenAI's two APIs. */
export async function openOpenAI(
  wire: OpenAIWire,
  endpoint: OpenAIEndpoint,
): Promise<ModelAdapter> {
  if (wire === 'responses') return (await import('./responses.ts')).responses(endpoint);
  return (await import('./chat-completions.ts')).chatCompletions(endpoint);
}

/** Opens an embedding model, which both APIs reach in the same way. */
export async function openEmbeddings(endpoint: OpenAIEndpoint): Promise<Embed> {
  const { openAIEmbeddings } = await import('../embeddings/openai-embeddings.ts');
  return openAIEmbeddings(endpoint);
}
