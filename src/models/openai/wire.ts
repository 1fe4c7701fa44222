import type { OpenAIEndpoint } from './openai-server.ts';
import type { Embed } from '../wire/vectors.ts';
import type { ModelAdapter } from '../provider.ts';
import { lookUp, windowInList, windowInProperties } from '../wire/server-fault.ts';

export type OpenAIWire = 'responses' | 'chat';

// OpenAI's client is loaded when a model is opened: it is a fourth of all modules, and a service may use another.

/** Opens a model through one of OpenAI's two APIs. */
export async function openOpenAI(
  wire: OpenAIWire,
  endpoint: OpenAIEndpoint,
): Promise<ModelAdapter> {
  const adapter =
    wire === 'responses'
      ? (await import('./responses.ts')).responses(endpoint)
      : (await import('./chat-completions.ts')).chatCompletions(endpoint);
  // OpenAI's own list does not say.
  return endpoint.isOpenAI ? adapter : { ...adapter, lookUpWindow: () => lookUpWindow(endpoint) };
}

/** By the server's list of models or, on llama.cpp, by its properties. */
async function lookUpWindow(endpoint: OpenAIEndpoint): Promise<number | undefined> {
  const { baseUrl, headers, model } = endpoint;
  const listed = windowInList(await lookUp(`${baseUrl}/models`, { headers }), model);
  if (listed !== undefined) return listed;
  return windowInProperties(await lookUp(`${baseUrl.replace(/\/v1$/, '')}/props`, { headers }));
}

/** Opens an embedding model, which both APIs reach in the same way. */
export async function openEmbeddings(endpoint: OpenAIEndpoint): Promise<Embed> {
  const { openAIEmbeddings } = await import('./openai-server.ts');
  return openAIEmbeddings(endpoint);
}
