// The errors of requests to GitHub. If a person has to act, the error extends TellPerson and its message
// is shown on the issue. If the problem may pass, it extends TryLater.
import { TellPerson, TryLater, unless } from '../lib/errors.ts';

/** GitHub denied a request, and would deny it again. `reasons` are GitHub's own messages. */
export class GitHubDenied extends TellPerson {
  readonly status: number;
  readonly reasons: readonly string[];

  constructor(message: string, status: number, reasons: readonly string[] = []) {
    super(message);
    this.status = status;
    this.reasons = reasons;
  }
}

/** The requested thing does not exist (any more), or the App may not see it. */
export class NotFound extends GitHubDenied {}

/** What GitHub answers; `undefined` if it says that there is nothing. */
export const ifFound = <T>(answer: Promise<T>): Promise<T | undefined> => unless(NotFound, answer);

/** The issue or repository has moved elsewhere; requests there are handled as a different issue. */
export class Moved extends NotFound {}

/** The thing exists, but the App may not do this to it. */
export class Forbidden extends GitHubDenied {}

/** The repository is read-only until it is unarchived. */
export class Archived extends Forbidden {}

/**
 * The App has no access to the repository until someone gives it back; GitHub then sends an event. The wait is in case that is
 * lost.
 */
export class NoAccess extends TryLater {
  constructor(message: string) {
    super(message, { retryAfterMs: NO_ACCESS_MS });
  }
}

const NO_ACCESS_MS = 60 * 60_000;

/** The App is not installed on the repository, or not any more. */
export class NotInstalled extends NoAccess {}

/** The installation is suspended. */
export class Suspended extends NoAccess {}

/** GitHub does not accept the credentials that came with the request. */
export class Unauthorized extends GitHubDenied {}

/**
 * No complete response arrived, so GitHub may or may not have done what was requested. Before a write is
 * repeated after this error, look up whether it succeeded.
 */
export class ResponseLost extends TryLater {}

/** GitHub currently cannot render a text. Other writes need not wait for it. */
export class RenderingFailed extends TryLater {}

/**
 * Whoever waited for GitHub's limits, or to repeat a request that failed, was stopped meanwhile. The request was not sent
 * after the wait. `cause`: the failure that it would have been repeated for, if there was one.
 */
export class WaitEnded extends Error {}

/** There is no room to write for now: the write budget is used up. Nothing was sent. */
export class WriteBudgetExhausted extends TryLater {}
