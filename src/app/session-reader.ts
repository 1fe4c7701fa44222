import { KeyedMutex } from '../lib/keyed-mutex.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';
import type { Entry } from '../session/entry.ts';
import type { CostSum } from '../store/spending.ts';
import type { Store } from '../store/store.ts';
import {
  partOf,
  type SentPrompt,
  type SentTools,
  type SessionSource,
  type ShownRequest,
  type Totals,
} from '../web/session-source.ts';
import { KeptJournals } from './service/journal-tracker.ts';
import type { Protocol } from '../agent/protocols/protocol.ts';
import type { Tool } from '../contracts/tool.ts';
import { conversationEntries, entryAt, keep, NOTHING_KEPT } from '../session/kept-entries.ts';
import { toolsOf } from './replay/recording.ts';
import { conversationOf } from './run/conversation.ts';

/** Sessions on a page of the list. */
const PAGE = 50;
const MEMORIES = 1000;
/** Entries of a journal that are in memory at once while all of it is sent. */
const BATCH = 200;

/** What the session pages show, read from the store. */
export function sessionReader(store: Store): SessionSource {
  const journals = new KeptJournals(store);
  // One after the other, readers of a session share what was read of it.
  const reading = new KeyedMutex();
  const isKnown = async (id: string): Promise<boolean> => (await store.session(id)) !== undefined;
  return {
    list: async (query, within) => {
      const sessions = await store.sessions({ ...query, within, limit: PAGE + 1 });
      const hasMore = sessions.length > PAGE;
      return { sessions: sessions.slice(0, PAGE), hasMore, choices: await store.choices(within) };
    },
    totals: (since, within) => totalsOf(store, since, within),
    repositoryOf: async (id) => (await store.session(id))?.repository.id,
    newest: (ids) => store.newestEntries(ids),
    part: async (id, range) => {
      if (!(await isKnown(id))) return undefined;
      return reading.run(id, () =>
        journals.read(id, ({ session, entries: marks, kept: { lastReply } }) =>
          partOf(
            {
              session,
              marks,
              lastReply,
              read: (afterSeq, upTo) => store.journal(id, afterSeq, upTo),
              repliesBefore: (seq) => store.repliesBefore(id, seq),
            },
            range,
          ),
        ),
      );
    },
    journal: async (id) => ((await isKnown(id)) ? inBatches(store, id) : undefined),
    memories: async (id) => ((await isKnown(id)) ? store.memories.list(id, MEMORIES) : undefined),
    request: (id, at) => requestAt(store, id, at),
  };
}

async function totalsOf(
  store: Store,
  since: Date | undefined,
  within: readonly number[] | undefined,
): Promise<Totals> {
  const query = { ...withoutUndefined({ since }), within };
  const [all] = await store.worth({ ...query, by: 'all' });
  const { repositories } = await store.choices(within);
  const names = new Map(repositories.map(({ id, owner, name }) => [id, `${owner}/${name}`]));
  const byRepository = await store.worth({ ...query, by: 'repository' });
  const byModel = await store.worth({ ...query, by: 'model' });
  const spent = await store.spentFor(query);
  // The sessions of a repository may be deleted; what they came to is kept.
  const nameOf = (id: number): string => names.get(id) ?? `repository ${id}`;
  return {
    all,
    byRepository: byRepository.map((sum) => ({ ...sum, name: nameOf(sum.repositoryId) })),
    spent: spent.map((sum) => ({ ...sum, name: nameIn(sum, nameOf) })),
    byModel: byModel.map((sum) => ({ ...sum, name: sum.model || 'no model' })),
  };
}

const UNKNOWN = { person: 'not known', repository: '', model: 'not known', month: '' };

function nameIn({ by, name }: CostSum, nameOf: (id: number) => string): string {
  if (by !== 'repository') return name || UNKNOWN[by];
  return name === '0' ? 'deleted repositories' : nameOf(Number(name));
}

/** A whole journal, of which little is in memory at once. */
export async function* inBatches(
  store: Pick<Store, 'journal'>,
  id: string,
): AsyncGenerator<readonly Entry[]> {
  for (let after = 0; ; after += BATCH) {
    const entries = await store.journal(id, after, after + BATCH);
    if (entries.length === 0) return;
    yield entries;
  }
}

/** What the model is sent after these entries. */
export function promptOf(entries: readonly Entry[]): SentPrompt {
  const { prompt, messages } = conversationOf(entries);
  return { system: prompt.instructions, messages, tools: sentTools(prompt.protocol, entries) };
}

const NO_TOOL: Tool['run'] = () => Promise.reject(new Error('calls are not run here'));

/** The tools of the last prepared run, as this version describes them; those of MCP servers as recorded. */
function sentTools(protocol: Protocol, entries: readonly Entry[]): SentTools {
  if (protocol.name === 'none') return [];
  if (protocol.name !== 'native') return 'described';
  const prepared = entries.findLast((entry) => entry.type === 'run_prepared');
  if (prepared?.tools === undefined) return 'not recorded';
  return protocol.specs(toolsOf(prepared, NO_TOOL));
}

/** What became part of the conversation, other than replies. */
const SHOWN_AFTER: ReadonlySet<Entry['type']> = new Set([
  'run_prepared',
  'input_read',
  'notice',
  'protocol_changed',
  'images_dropped',
  'compacted',
]);

/**
 * The request that the reply `at` answers, or the reply that made the call `at`; the next one after another entry of the
 * conversation; or the next one. `undefined`: there is no such session or entry.
 */
export async function requestAt(
  store: Pick<Store, 'journal'>,
  id: string,
  at?: number,
): Promise<ShownRequest | undefined> {
  const entries = await store.journal(id);
  if (entries.length === 0) return undefined;
  const replies = entries.flatMap(({ type, seq }) => (type === 'reply' ? [seq] : []));
  const shown = (from: number | undefined, upTo: number): ShownRequest => ({
    at: from,
    replies,
    prompt: promptOf(conversationUpTo(entries.slice(0, upTo))),
  });
  if (at === undefined) return shown(at, entries.length);
  const entry = entryAt(entries, at);
  if (entry === undefined) return undefined;
  if (entry.type === 'reply') return shown(at, at - 1);
  if ('reply' in entry && entry.reply !== undefined) return shown(entry.reply, entry.reply - 1);
  return SHOWN_AFTER.has(entry.type) ? shown(at, at) : undefined;
}

/** Without the steps that had left the conversation: a long one is rendered quickly. */
const conversationUpTo = (entries: readonly Entry[]): readonly Entry[] =>
  conversationEntries(entries, entries.reduce(keep, NOTHING_KEPT));
