import { z } from 'zod';
import { boundedResponse } from '../../lib/bounded-response.ts';

/** What the wires read of an answer: the vectors as they came, in the order of the texts. */
interface RawEmbedding {
  readonly vectors: unknown;
  readonly tokens: unknown;
}

/** Asks a server for the vectors of some texts, once. */
export type Embed = (texts: readonly string[], signal: AbortSignal) => Promise<RawEmbedding>;

const MOST_DIMENSIONS = 16_384;

const Vectors = z.array(z.array(z.number()).min(1).max(MOST_DIMENSIONS));

/** The vectors of an answer, each of length 1. @throws {Error} if they are not those of `count` texts */
export function unitVectors(given: unknown, count: number): readonly Float32Array[] {
  const vectors = Vectors.parse(given);
  const [first = []] = vectors;
  if (vectors.length !== count || vectors.some(({ length }) => length !== first.length))
    throw new Error(`the server answered ${count} texts with other vectors`);
  return vectors.map(unit);
}

function unit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector);
  if (!Number.isFinite(length) || length === 0) throw new Error('a vector has no direction');
  return Float32Array.from(vector, (value) => value / length);
}

/** More than the vectors of a hundred texts need. */
const MOST_MIB = 61;

/**
 * A `fetch` for one answer in JSON. It follows no redirect, because the key would go with it.
 * @throws {Error} while the answer is read, if it is too long
 */
export const jsonFetch: typeof fetch = async (input, init) =>
  boundedResponse(await fetch(input, { ...init, redirect: 'error' }), MOST_MIB);

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
