// What the model was sent at some time.
import type { Protocol } from '../agent/protocol.ts';
import type { Tool } from '../contracts/tool.ts';
import type { Entry } from '../session/entry.ts';
import { conversationEntries, entryAt, keep, NOTHING_KEPT } from '../session/kept-entries.ts';
import type { Store } from '../store/store.ts';
import type { Prompt, SentTools, ShownRequest } from '../web/session-source.ts';
import { toolsOf } from './replay/recorded-tools.ts';
import { conversationOf } from './run/conversation.ts';

/** What the model is sent after these entries. */
export function promptOf(entries: readonly Entry[]): Prompt {
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
  const reply = entry.type === 'reply' ? at : 'reply' in entry ? entry.reply : undefined;
  if (reply !== undefined) return shown(reply, reply - 1);
  return SHOWN_AFTER.has(entry.type) ? shown(at, at) : undefined;
}

/** Without the steps that had left the conversation: a long one is rendered quickly. */
const conversationUpTo = (entries: readonly Entry[]): readonly Entry[] =>
  conversationEntries(entries, entries.reduce(keep, NOTHING_KEPT));
