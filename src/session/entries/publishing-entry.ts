/** What GitHub shows of a session, and what it does not let be shown. */
export type PublishingEntry =
  | {
      readonly type: 'published';
      readonly key: string;
      readonly id: number;
      readonly url: string;
    }
  /** GitHub did not let be written what is to be read there; `null`: that is over, or tried anew. */
  | { readonly type: 'publishing_blocked'; readonly block: PublishingBlock | null };

/** Why something is not published. */
export interface PublishingBlock {
  readonly reason: string;
  /** What was refused, by the keys of the publications; `*`: everything. */
  readonly keys: readonly string[];
  /** When it is tried again, an ISO time; `null`: only when somebody does something. */
  readonly until: string | null;
}
