import { createHash } from 'node:crypto';
import type { Memories, MemoryStore } from '../../../contracts/memory.ts';
import { GitHubDenied } from '../../../github/errors.ts';
import type { GitHubRepository } from '../../../github/repository.ts';
import { TellModel } from '../../../lib/errors.ts';
import { withoutInvisible } from '../../../lib/text/invisible.ts';
import { fuse } from '../../../lib/rank-fusion.ts';
import type { JournalTracker } from '../../service/journal-tracker.ts';
import type { Service } from '../../service/service.ts';
import type { SessionStore } from '../../../store/session-store.ts';
import { byMeaning, type ByMeaning } from './memory-meaning.ts';
import { standings } from './standing.ts';

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
      const call = callKey(given, at);
      const stored = await memories.remember(tracker.id, { call, text, fromStrangers });
      return { ...stored, isRedacted: text !== seen };
    },
    search: async (query, limit, signal) => {
      const asked = redact(withoutInvisible(query));
      const { byWords, byTrigrams } = await memories.rank(tracker.id, asked);
      const { numbers, effects } = await meaningOf({ ...parts, memories }, asked, signal);
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

/** Without an embedding model nothing is found by meaning, and nothing failed. */
function meaningOf(
  { tracker, memories, embedder, redact, log }: MemoryParts & { readonly memories: MemoryStore },
  query: string,
  signal: AbortSignal,
): Promise<ByMeaning> {
  if (embedder === undefined) return Promise.resolve({ numbers: [], effects: [] });
  return byMeaning({ session: tracker.id, memories, embedder, redact, log }, query, signal);
}

/** The same for a call that is repeated after a crash, and another for any other call. */
const callKey = (text: string, at: Date): string =>
  `${at.getTime()}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;

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
