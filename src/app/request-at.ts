// What the model was sent at some time, without reading the steps that had left its conversation by then.
import type { Protocol } from '../agent/protocol.ts';
import type { Tool } from '../contracts/tool.ts';
import type { Entry } from '../session/entry.ts';
import { conversationSince, NOT_IN_OUTLINE } from '../session/kept-entries.ts';
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

type RequestStore = Pick<Store, 'session' | 'journal' | 'replies'>;

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
  store: RequestStore,
  id: string,
  at?: number,
): Promise<ShownRequest | undefined> {
  const { lastSeq = 0 } = (await store.session(id)) ?? {};
  if (lastSeq === 0 || (at !== undefined && at > lastSeq)) return undefined;
  const replies = await store.replies(id);
  if (at === undefined || replies.includes(at)) return shown(store, id, { at, replies, lastSeq });
  const [entry] = await store.journal(id, at - 1, { upTo: at });
  if (entry === undefined) return undefined;
  if ('reply' in entry) return shown(store, id, { at: entry.reply, replies, lastSeq });
  return SHOWN_AFTER.has(entry.type) ? shown(store, id, { at, replies, lastSeq }) : undefined;
}

interface Place extends Pick<ShownRequest, 'at' | 'replies'> {
  readonly lastSeq: number;
}

async function shown(
  store: RequestStore,
  id: string,
  { at, replies, lastSeq }: Place,
): Promise<ShownRequest> {
  const isReply = at !== undefined && replies.includes(at);
  const upTo = isReply ? at - 1 : (at ?? lastSeq);
  const entries = await conversationUpTo(store, { id, upTo, replies });
  return { at, replies, prompt: promptOf(entries) };
}

async function conversationUpTo(
  store: RequestStore,
  {
    id,
    upTo,
    replies,
  }: { readonly id: string; readonly upTo: number } & Pick<ShownRequest, 'replies'>,
): Promise<readonly Entry[]> {
  const outline = await store.journal(id, 0, { upTo, without: NOT_IN_OUTLINE });
  const since = conversationSince(outline, replies);
  const rest = await store.journal(id, since, { upTo, without: ['call_output'] });
  return [...outline.filter(({ seq }) => seq <= since), ...rest];
}
