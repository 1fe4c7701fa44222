// The search of memories by meaning: with vectors of an embedding model, compared one by one.
import type { Effect } from '../../../contracts/effect.ts';
import type { Embedder, Embedding } from '../../../contracts/embedder.ts';
import type { MemoryStore } from '../../../contracts/memory.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Service } from '../../service/service.ts';

/** Memories that get their vectors during one search. The next search continues. */
const MOST_ADDED = 64;
const LONGEST_MS = 20_000;
const CANDIDATES = 50;

export interface ByMeaning {
  /** Numbers of memories, the nearest first; `undefined` if the query, or every memory, could not be embedded. */
  readonly numbers: readonly number[] | undefined;
  readonly effects: readonly Effect[];
}

interface Parts {
  readonly session: string;
  readonly memories: MemoryStore;
  readonly embedder: Embedder;
  readonly redact: Service['redact'];
  readonly log: Pick<Service['log'], 'warn'>;
}

/**
 * A memory gets its vector when it is first searched, or when the model has changed, under its name or behind it. An embedding server that
 * fails is logged, and never fails the search.
 */
export async function byMeaning(
  parts: Parts,
  query: string,
  signal: AbortSignal,
): Promise<ByMeaning> {
  const { session, memories, embedder, redact } = parts;
  const effects: Effect[] = [];
  const asked = await embed(parts, [query], signal, effects);
  const [direction] = asked?.vectors ?? [];
  if (direction === undefined) return { numbers: undefined, effects };
  const kind = { model: embedder.name, dimensions: direction.length };
  const { known, missing } = await memories.vectors(session, kind, MOST_ADDED);
  // What is a secret may be known only since it was stored.
  const texts = missing.map(({ text }) => redact(text));
  const more = texts.length === 0 ? undefined : await embed(parts, texts, signal, effects);
  const added = (more?.vectors ?? []).flatMap((vector, at) => {
    const number = missing[at]?.number;
    const isComparable = vector.length === direction.length;
    return number === undefined || !isComparable ? [] : [{ number, vector }];
  });
  await memories.saveVectors(session, embedder.name, added);
  if (known.length + added.length === 0 && missing.length > 0)
    return { numbers: undefined, effects };
  const near = [...known, ...added]
    .map(({ number, vector }) => ({ number, nearness: product(vector, direction) }))
    .toSorted((one, other) => other.nearness - one.nearness);
  return { numbers: near.slice(0, CANDIDATES).map(({ number }) => number), effects };
}

/** The cosine of two vectors of length 1 and as many dimensions. */
function product(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

async function embed(
  { embedder, log }: Parts,
  texts: readonly string[],
  signal: AbortSignal,
  effects: Effect[],
): Promise<Embedding | undefined> {
  try {
    const embedding = await embedder.embed(
      texts,
      AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]),
    );
    const { usage, cost } = embedding;
    effects.push({ type: 'embedded', destination: embedder.destination, usage, cost });
    return embedding;
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ model: embedder.name, reason: messageOf(error) }, 'embedding failed');
    return undefined;
  }
}
