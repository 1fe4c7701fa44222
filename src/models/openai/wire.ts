import { chatCompletions } from './chat-completions.ts';
import type { OpenAIEndpoint } from './openai-server.ts';
import { openAIEmbeddings } from '../embeddings/openai-embeddings.ts';
import type { Embed } from '../embeddings/vectors.ts';
import { responses } from './responses.ts';
import type { ModelAdapter } from '../provider.ts';

export type OpenAIWire = 'responses' | 'chat';

/** Opens a model through one of OpenAI's two APIs. */
export const openOpenAI = async (
  wire: OpenAIWire,
  endpoint: OpenAIEndpoint,
): Promise<ModelAdapter> =>
  wire === 'responses' ? responses(endpoint) : chatCompletions(endpoint);

/** Opens an embedding model, which both APIs reach in the same way. */
export const openEmbeddings = async (endpoint: OpenAIEndpoint): Promise<Embed> =>
  openAIEmbeddings(endpoint);
