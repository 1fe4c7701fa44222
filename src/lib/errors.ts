// An error carries the decision what to do about it; it is set where the fact is known, so that
// nobody further up compares messages.

/** The model is told, as the result of its call, and goes on. The message is written for the model. */
export class TellModel extends Error {
  override readonly name = 'TellModel';
}

/** The run ends and the person reads the message on the issue: what happened, why, what to do. */
export class TellPerson extends Error {
  override readonly name = 'TellPerson';
}

/** Nobody is told; the same step may succeed later. */
export class TryLater extends Error {
  override readonly name = 'TryLater';
  /** Milliseconds that the other side asked us to wait, where it did. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & { retryAfterMs?: number | undefined } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The text of anything that was thrown. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
