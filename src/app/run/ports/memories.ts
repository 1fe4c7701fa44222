import { createHash } from 'node:crypto';
import type { Memories, MemoryStore } from '../../../contracts/memory.ts';
import { GitHubDenied } from '../../../github/errors.ts';
import type { GitHubRepository } from '../../../github/repository.ts';
import { messageOf, TellModel } from '../../../lib/errors.ts';
import { withoutInvisible } from '../../../lib/text/invisible.ts';
import type { JournalTracker } from '../../service/journal-tracker.ts';
import type { Service } from '../../service/service.ts';
import type { SessionStore } from '../../../store/store.ts';
import { standings } from './issues.ts';
import type { Effect } from '../../../contracts/effect.ts';
import type { Embedder, Embedding } from '../../../contracts/model.ts';

export interface MemoryParts {
  readonly tracker: Pick<JournalTracker, 'id' | 'session'>;
  readonly github: Pick<GitHubRepository, 'issue' | 'permissionOf'>;
  readonly store: Pick<SessionStore, 'memories'>;
  readonly redact: Service['redact'];
  readonly embedder?: Service['embedder'];
  readonly log: Pick<Service['log'], 'warn'>;
}

const NOTHING_STORED = 'Nothing is remembered beyond this session.';

const NO_MEMORIES: Memories = {
  remember: () => Promise.reject(new TellModel(NOTHING_STORED)),
  search: () => Promise.resolve({ memories: [], effects: [] }),
};

/** What sessions of this repository wrote down for later ones. */
export function memoriesFor(parts: MemoryParts): Memories {
  const { tracker, store, redact } = parts;
  const { memories } = store;
  if (memories === undefined) return NO_MEMORIES;
  const isIssueByStranger = issueJudge(parts);
  return {
    remember: async (given, at) => {
      const seen = withoutInvisible(given).trim();
      const text = redact(seen);
      if (text === '') throw new TellModel('Nothing in this text is visible: write it in words.');
      const { thread, work } = tracker.session;
      const areKnown = work.strangersRead || thread.adopted?.fork !== undefined;
      const fromStrangers = areKnown || (await isIssueByStranger());
      // The same for a call that is repeated after a crash, and another for any other call.
      const digest = createHash('sha256').update(given).digest('hex').slice(0, 12);
      const call = `${at.getTime()}-${digest}`;
      const stored = await memories.remember(tracker.id, { call, text, fromStrangers });
      return { ...stored, isRedacted: text !== seen };
    },
    search: async (query, limit, signal) => {
      const asked = redact(withoutInvisible(query));
      const { byWords, byTrigrams } = await memories.rank(tracker.id, asked);
      const { numbers, effects } = await byMeaning({ ...parts, memories }, asked, signal);
      const best = fuse(byWords, byTrigrams, numbers ?? []).slice(0, limit);
      const found = await memories.recall(tracker.id, best);
      return {
        memories: found,
        effects,
        ...(numbers === undefined ? { isByWordsOnly: true } : {}),
      };
    },
  };
}

/** Tells, once looked up, whether someone who may not write to the repository opened the session's issue. */
function issueJudge({ tracker, github }: MemoryParts): () => Promise<boolean> {
  const standingOf = standings(github);
  let judged: Promise<boolean> | undefined;
  const judge = async (): Promise<boolean> => {
    try {
      const { opening } = await github.issue(tracker.session.thread.issue, 1);
      return (await standingOf(opening)) !== 'writer';
    } catch (error) {
      if (error instanceof GitHubDenied) return true;
      throw error;
    }
  };
  return () => {
    judged ??= judge();
    judged.catch(() => (judged = undefined));
    return judged;
  };
}

// The search of memories by meaning: with vectors of an embedding model, compared one by one.

/** Memories that get their vectors during one search. The next search continues. */
const MOST_ADDED = 64;
const LONGEST_MS = 20_000;
const CANDIDATES = 50;

interface ByMeaning {
  /** Numbers of memories, the nearest first; `undefined` if the query, or every memory, could not be embedded. */
  readonly numbers: readonly number[] | undefined;
  readonly effects: readonly Effect[];
}

/**
 * A memory gets its vector when it is first searched, or when the model has changed, under its name or behind it. An embedding server that
 * fails is logged, and never fails the search. Without an embedding model nothing is found, and nothing failed.
 */
async function byMeaning(
  { tracker, memories, embedder, redact, log }: MemoryParts & { readonly memories: MemoryStore },
  query: string,
  signal: AbortSignal,
): Promise<ByMeaning> {
  if (embedder === undefined) return { numbers: [], effects: [] };
  const effects: Effect[] = [];
  const asked = await embed({ embedder, log }, [query], signal, effects);
  const [direction] = asked?.vectors ?? [];
  if (direction === undefined) return { numbers: undefined, effects };
  const kind = { model: embedder.name, dimensions: direction.length };
  const { known, missing } = await memories.vectors(tracker.id, kind, MOST_ADDED);
  // What is a secret may be known only since it was stored.
  const texts = missing.map(({ text }) => redact(text));
  const more =
    texts.length === 0 ? undefined : await embed({ embedder, log }, texts, signal, effects);
  const added = (more?.vectors ?? []).flatMap((vector, at) => {
    const number = missing[at]?.number;
    const isComparable = vector.length === direction.length;
    return number === undefined || !isComparable ? [] : [{ number, vector }];
  });
  await memories.saveVectors(tracker.id, embedder.name, added);
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
  { embedder, log }: Pick<MemoryParts, 'log'> & { readonly embedder: Embedder },
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

/** The usual constant: it decides how much more the first places of a list count than the next ones. */
const K = 60;

/** Lists of the same things, each with the best first, as one: by reciprocal rank fusion. */
export function fuse<T>(...lists: readonly (readonly T[])[]): readonly T[] {
  const scores = new Map<T, number>();
  for (const list of lists)
    for (const [at, item] of list.entries())
      scores.set(item, (scores.get(item) ?? 0) + 1 / (K + at + 1));
  return [...scores].toSorted(([, one], [, other]) => other - one).map(([item]) => item);
}
