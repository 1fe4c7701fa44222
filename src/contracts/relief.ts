/** When a conversation is too long, and what is done about it. */
export interface ReliefSettings {
  /** Older messages are replaced by a summary; `undefined`: they are only dropped. */
  readonly compaction: Compaction | undefined;
  /** Maximum messages per request when compaction is off. */
  readonly maxMessages: number;
}

interface Compaction {
  /** Above so many messages, if set. */
  readonly messages: number | undefined;
  /** Above this part of the model's context window, from 0 to 1, if set. */
  readonly share: number | undefined;
  /** The newest messages, which stay as they are. */
  readonly keepRecent: number;
}
