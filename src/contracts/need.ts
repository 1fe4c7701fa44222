/** Something that the service cannot work without. */
export interface Need {
  /** What is wrong without it, for anyone who asks: "the database does not answer". */
  readonly lack: string;
  /** Rejects if it is not there, with the details for the log. */
  readonly check: () => Promise<void>;
}
