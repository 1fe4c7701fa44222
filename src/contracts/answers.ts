/** What GitHub answered to a read, as JSON, and the ETag of that. */
export interface StoredAnswer {
  readonly etag: string;
  readonly answer: string;
}

/** Where processes find each other's answers. Nothing is lost with it. */
export interface AnswerStore {
  find(installation: number, question: string): Promise<StoredAnswer | undefined>;
  /** Takes the place of an earlier answer. The oldest ones of an installation that has many are dropped. */
  keep(installation: number, question: string, answer: StoredAnswer): Promise<void>;
}
