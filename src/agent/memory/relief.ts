import type { Message } from '../../contracts/model.ts';
import type { Memory, Size } from './settings.ts';
import { keepFrom } from './truncate.ts';

/** The messages from 1 up to, and without, `keepFrom` are to leave the conversation. */
export interface Relief {
  readonly kind: 'summarise' | 'drop';
  readonly keepFrom: number;
}

interface Conversation {
  readonly messages: readonly Message[];
  readonly size: Size;
  /** Messages that came since the last compaction; all if there was none. */
  readonly sinceCompaction: number;
  /** Tokens that the model can read; `undefined` if it is not known. */
  readonly contextWindow: number | undefined;
}

/** Most models of today read more; one that does not says so, and is relieved then. */
const USUAL_WINDOW = 128_000;
/** Less is not worth a request of its own, and a prefix that no cache knows. */
const LEAST_WORTH = 4;

/** Whether a conversation has to be relieved before the next request, and how. */
export function reliefNeeded(conversation: Conversation, memory: Memory): Relief | undefined {
  const { messages, size, sinceCompaction } = conversation;
  const { compaction, maxMessages } = memory;
  if (compaction === undefined) {
    // To half at once: the prefix that providers cache then changes rarely.
    if (messages.length <= maxMessages) return undefined;
    return { kind: 'drop', keepFrom: keepFrom(messages, Math.floor(maxMessages / 2)) };
  }
  const window = conversation.contextWindow ?? USUAL_WINDOW;
  const isLong = compaction.messages !== undefined && messages.length > compaction.messages;
  const isLarge = compaction.share !== undefined && size.tokens > window * compaction.share;
  if (!isLong && !isLarge) return undefined;
  // What stays may alone be above the threshold: that must not cost a summary in every turn.
  if (sinceCompaction <= compaction.keepRecent) return undefined;
  const from = keepFrom(messages, compaction.keepRecent + 1);
  return from - 1 < LEAST_WORTH ? undefined : { kind: 'summarise', keepFrom: from };
}

/**
 * What to do when the server itself says that the conversation is too long, to be tried in this
 * order: as usual, then with less, then all but the first message.
 */
export function reliefsForced(messages: readonly Message[], memory: Memory): readonly Relief[] {
  const kind = memory.compaction === undefined ? 'drop' : 'summarise';
  const recent = memory.compaction?.keepRecent ?? Math.floor(memory.maxMessages / 2);
  const from = [recent, 2, 0].map((keep) => keepFrom(messages, keep + 1));
  const worthwhile = from.filter((index) => index - 1 >= LEAST_WORTH);
  return [...worthwhile, Math.max(...from)].map((index) => ({ kind, keepFrom: index }));
}
