import type { OpenAIEndpoint } from './client.ts';
import type { ModelAdapter } from '../provider.ts';

export type OpenAIWire = 'responses' | 'chat';

/** Opens one of OpenAI's wires; their client is loaded here. */
export async function openOpenAI(
  wire: OpenAIWire,
  endpoint: OpenAIEndpoint,
): Promise<ModelAdapter> {
  if (wire === 'responses') return (await import('./responses.ts')).responses(endpoint);
  return (await import('./chat-completions.ts')).chatCompletions(endpoint);
}
