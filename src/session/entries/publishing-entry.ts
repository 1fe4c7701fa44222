/** What GitHub shows of a session, and what it does not let be shown. */
export type PublishingEntry =
  | {
      readonly type: 'published';
      readonly key: string;
      readonly id: number;
      readonly url: string;
    }
  /** Why GitHub denied publications; `null`: that is over, or they are retried. */
  | { readonly type: 'publishing_blocked'; readonly block: PublishingBlock | null };

/** Why something is not published. */
export interface PublishingBlock {
  readonly reason: string;
  /** What was refused, by the keys of the publications; `*`: everything. */
  readonly keys: readonly string[];
  /** When it is tried again, an ISO time; `null`: only when somebody does something. */
  readonly until: string | null;
}
