// An error's class says what to do about it. The code that knows the cause chooses the class, so that no
// caller has to compare messages.

/** The model gets the message as the result of its call, and the run continues. */
export class TellModel extends Error {
  override readonly name = 'TellModel';
}

/** The run ends, and people read the message on the issue: what happened, why, what to do. */
export class TellPerson extends Error {
  override readonly name = 'TellPerson';
}

/**
 * The base branch is not merged into the branch, and only people can change that. The run ends in the same way, and those after it
 * continue without the merge, until someone asks for it again.
 */
export class MergeRejected extends TellPerson {}

/** The server does not have the commit that is to be merged, or not any more. */
export class MergedCommitGone extends TellPerson {}

/** A webhook is answered with 400 and the message, which names what is missing or wrong. */
export class InvalidPayload extends Error {
  override readonly name = 'InvalidPayload';
}

/** The step may succeed later. The message is logged, and shown to people while the run waits or if it gives up. */
export class TryLater extends Error {
  override readonly name = 'TryLater';
  /** Milliseconds that the server asked us to wait, if it did. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & { retryAfterMs?: number | undefined } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The reason of a run's signal when its work is over. Any other reason is a shutdown, after which the run is resumed. */
export class Termination extends Error {
  override readonly name = 'Termination';
}

/** The text of anything that was thrown. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** The `code` that Node and isomorphic-git give their errors, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  const hasCodeField = typeof error === 'object' && error !== null && 'code' in error;
  return hasCodeField && typeof error.code === 'string' ? error.code : undefined;
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = codeOf(error);
  return code !== undefined && codes.includes(code);
}

/** What `work` resolves with; `undefined` if it fails with an error of this class. */
export const unless = <T>(
  kind: new (...args: never[]) => Error,
  work: Promise<T>,
): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (error instanceof kind) return undefined;
    throw error;
  });
