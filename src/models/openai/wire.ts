import type { OpenAIEndpoint } from './openai-server.ts';
import type { Embed } from '../embeddings/vectors.ts';
import type { ModelAdapter } from '../provider.ts';
import { windowInList } from '../wire/stated-window.ts';

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

const LOOK_UP_MS = 2_000;
/** The longest lists have a few hundred models. */
const MAX_LIST_BYTES = 4_000_000;

/** By the server's list of models. */
async function lookUpWindow({
  baseUrl,
  headers,
  model,
}: OpenAIEndpoint): Promise<number | undefined> {
  const signal = AbortSignal.timeout(LOOK_UP_MS);
  try {
    const answer = await fetch(`${baseUrl}/models`, { headers, signal, redirect: 'error' });
    if (!answer.ok || answer.body === null) return undefined;
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of answer.body) {
      bytes += piece.byteLength;
      if (bytes > MAX_LIST_BYTES) return undefined;
      pieces.push(piece);
    }
    return windowInList(JSON.parse(Buffer.concat(pieces).toString()), model);
  } catch {
    // Then the server says it when it rejects a request.
    return undefined;
  }
}

/** Opens an embedding model, which both APIs reach in the same way. */
export async function openEmbeddings(endpoint: OpenAIEndpoint): Promise<Embed> {
  const { openAIEmbeddings } = await import('../embeddings/openai-embeddings.ts');
  return openAIEmbeddings(endpoint);
}
