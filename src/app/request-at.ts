// What the model was sent at some time, without reading the steps that had left its conversation by then.
import type { Entry } from '../session/entry.ts';
import { conversationSince, entryAt, NOT_IN_OUTLINE } from '../session/kept-entries.ts';
import type { Store } from '../store/store.ts';
import type { Prompt, ShownRequest } from '../web/session-source.ts';
import { conversationOf } from './run/conversation.ts';

/** What the model is sent after these entries. */
export function promptOf(entries: readonly Entry[]): Prompt {
  const { prompt, messages } = conversationOf(entries);
  return { system: prompt.instructions, messages };
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
 * The request that the reply `at` answers; the next one after another entry of the conversation; or the next one.
 * `undefined`: there is no such session or entry.
 */
export async function requestAt(
  store: RequestStore,
  id: string,
  at?: number,
): Promise<ShownRequest | undefined> {
  const { lastSeq = 0 } = (await store.session(id)) ?? {};
  if (lastSeq === 0 || (at !== undefined && at > lastSeq)) return undefined;
  const replies = await store.replies(id);
  const isReply = at !== undefined && replies.includes(at);
  const upTo = isReply ? at - 1 : (at ?? lastSeq);
  const entries = await conversationUpTo(store, { id, upTo, replies });
  const last = at === undefined ? undefined : entryAt(entries, at);
  if (at !== undefined && !isReply && (last === undefined || !SHOWN_AFTER.has(last.type)))
    return undefined;
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
