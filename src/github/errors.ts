// What GitHub's refusals mean to us. Those for a person extend TellPerson: their message stands on
// the issue. Those that may pass extend TryLater.
import { TellPerson, TryLater } from '../lib/errors.ts';

/** GitHub refused, and would again. `reasons` are its own words. */
export class GitHubDenied extends TellPerson {
  readonly status: number;
  readonly reasons: readonly string[];

  constructor(message: string, status: number, reasons: readonly string[] = []) {
    super(message);
    this.status = status;
    this.reasons = reasons;
  }
}

/** What the request was about does not exist (any more), or the App may not see it. */
export class NotFound extends GitHubDenied {}

/** An issue is in another repository now: what is asked of it there is another issue's affair. */
export class Moved extends NotFound {}

/** It exists, and the App may not do this to it. */
export class Forbidden extends GitHubDenied {}

/** Nothing at all can be written to the repository until it is unarchived. */
export class Archived extends Forbidden {}

/** The App is no longer installed on the repository. */
export class NotInstalled extends GitHubDenied {}

/** The App may do nothing at all until it is unsuspended; GitHub then sends an event. */
export class Suspended extends TryLater {}

/** GitHub does not accept the credentials that came with the request. */
export class Unauthorized extends GitHubDenied {}

/**
 * No complete answer came: GitHub may have done it or not. Code that repeats a write after
 * this first looks up whether it succeeded.
 */
export class ResponseLost extends TryLater {}

/** GitHub cannot say now how it shows a text. Other writes need not wait for that. */
export class RenderingFailed extends TryLater {}

/** The installation has written as much as it may for now; nothing was sent. */
export class WriteBudgetExhausted extends TryLater {}
