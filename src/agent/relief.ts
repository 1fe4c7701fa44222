// What is done about a conversation that grows too long.
import type { ImageFacts } from '../contracts/image.ts';
import type { Message, Model } from '../contracts/model.ts';
import type { ReliefSettings } from '../contracts/entries.ts';

/** How large a conversation is, as far as can be told without the provider's tokenizer. */
export interface Size {
  readonly messages: number;
  readonly tokens: number;
  /** The provider counted them last, with the system prompt and the tools. */
  readonly isCounted: boolean;
}

/** A token is seldom less than so many characters of code. */
const CHARACTERS_PER_TOKEN = 3;

/** Tokens of a text, rather too many than too few. A real tokenizer may take minutes on hostile text. */
export const estimateTokens = (text: string): number => tokensIn(text.length);

/** Tokens of so many characters, rather too many than too few. */
export const tokensIn = (characters: number): number =>
  Math.ceil(characters / CHARACTERS_PER_TOKEN);

/** Characters that fill this share of what a model can read, at most `most`. */
export const shareOfWindow = (
  { contextWindow = Infinity }: Pick<Model, 'contextWindow'>,
  share: number,
  most: number,
): number => Math.min(charactersIn(contextWindow * share), most);

/** Characters that are no more than so many tokens. */
export const charactersIn = (tokens: number): number => Math.floor(tokens * CHARACTERS_PER_TOKEN);

/** Of an image, whatever its size. */
const LEAST_IMAGE_TOKENS = 1_200;
/** A provider makes larger images smaller first. */
const MOST_IMAGE_TOKENS = 5_000;
const PIXELS_PER_TOKEN = 750;

/** Rather too many: providers count differently, and say what it was with the reply. */
const tokensOfImage = ({ width, height }: ImageFacts): number =>
  Math.min(
    MOST_IMAGE_TOKENS,
    Math.max(LEAST_IMAGE_TOKENS, Math.ceil((width * height) / PIXELS_PER_TOKEN)),
  );

export function weightOf(message: Message): number {
  switch (message.role) {
    case 'user':
      return (message.images ?? []).reduce(
        (sum, image) => sum + tokensOfImage(image),
        estimateTokens(message.text),
      );
    case 'assistant':
      return estimateTokens(message.text) + estimateTokens(JSON.stringify(message.calls));
    case 'results':
      return message.results.reduce((sum, { output }) => sum + estimateTokens(output), 0);
    default:
      return message satisfies never;
  }
}

export const hasImages = (messages: readonly Message[]): boolean =>
  messages.some((message) => message.role === 'user' && message.images !== undefined);

/** The messages from 1 up to, and without, `keepFrom` are to leave the conversation. */
export interface Relief {
  readonly kind: 'summarise' | 'drop';
  readonly keepFrom: number;
}

interface Conversation {
  readonly messages: readonly Message[];
  readonly size: Pick<Size, 'tokens'>;
  /** Messages that came since the last compaction; all if there was none. */
  readonly sinceCompaction: number;
  /** Tokens that the model can read; `undefined` if it is not known. */
  readonly contextWindow: number | undefined;
}

/** Most models of today read more; one that does not says so, and is relieved then. */
const USUAL_WINDOW = 128_000;
/** A model that sees fewer messages loses what it is doing: that costs more than a cached prefix. */
const LEAST_KEPT = 10;
/** Less is not worth a separate request, and a prefix that no cache contains. */
const LEAST_WORTH = 4;

/** Whether a conversation has to be relieved before the next request, and how. */
export function reliefNeeded(
  conversation: Conversation,
  settings: ReliefSettings,
): Relief | undefined {
  const { messages, size, sinceCompaction } = conversation;
  const { compaction, maxMessages } = settings;
  if (compaction === undefined) {
    if (messages.length <= maxMessages) return undefined;
    // To half at once: the prefix that providers cache then changes rarely.
    const kept = Math.max(Math.floor(maxMessages / 2), Math.min(maxMessages, LEAST_KEPT));
    const from = keepFrom(messages, kept);
    return from === 1 ? undefined : { kind: 'drop', keepFrom: from };
  }
  const window = conversation.contextWindow ?? USUAL_WINDOW;
  const isLong = compaction.messages !== undefined && messages.length > compaction.messages;
  const isLarge = compaction.share !== undefined && size.tokens > window * compaction.share;
  if (!isLong && !isLarge) return undefined;
  // What stays may alone be above the threshold: that must not cost a summary in every turn.
  if (sinceCompaction <= compaction.keepRecent) return undefined;
  const from = Math.min(keepFrom(messages, compaction.keepRecent + 1), firstUnread(messages));
  return from - 1 < LEAST_WORTH ? undefined : { kind: 'summarise', keepFrom: from };
}

const kindOf = ({ compaction }: ReliefSettings): Relief['kind'] =>
  compaction === undefined ? 'drop' : 'summarise';

/**
 * What leaves of a conversation that is longer than its model can read, to be tried in this order: as usual, then all that the
 * model has read.
 */
export function reliefsForced(
  messages: readonly Message[],
  settings: ReliefSettings,
): readonly Relief[] {
  const recent = settings.compaction?.keepRecent ?? Math.floor(settings.maxMessages / 2);
  const unread = firstUnread(messages);
  return [recent, 2]
    .map((keep) => Math.min(keepFrom(messages, keep + 1), unread))
    .filter((index) => index > 1)
    .map((index) => ({ kind: kindOf(settings), keepFrom: index }));
}

/** The last relief there is: all but the first message, what the model has not read included. */
export const reliefOfAll = (messages: readonly Message[], settings: ReliefSettings): Relief => ({
  kind: kindOf(settings),
  keepFrom: messages.length,
});

/** The index of the last reply: the model has not read what came of it. */
const firstUnread = (messages: readonly Message[]): number => {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return last < 0 ? messages.length : last;
};

/**
 * The index at which the kept part begins when a conversation is cut to its first message and the newest
 * ones, `max` in total. No result is separated from its call, so one more than `max` may be kept. At
 * least 1; the length of the conversation if only the first message is kept.
 */
export function keepFrom(messages: readonly Message[], max: number): number {
  const whole = messages.length;
  if (whole <= max) return 1;
  const from = Math.max(1, whole - Math.max(1, max) + 1);
  // Results follow the message with their calls, all together.
  return messages[from]?.role === 'results' ? Math.max(1, from - 1) : from;
}
