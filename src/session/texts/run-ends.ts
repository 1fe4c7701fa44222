// Why a run ended, or is deferred. Plain text; it is journaled, and shown wherever the end is.
import type { EndCause } from '../../contracts/entries.ts';
import type { Session } from '../session.ts';
import { isClosed } from '../state.ts';

/** A sentence about an end, or what follows "Waiting until 14:03 UTC". */
export function reasonFor(end: {
  readonly kind: 'limit' | 'failed' | 'deferred';
  readonly cause: EndCause;
}): string {
  const { cause } = end;
  const isDeferred = end.kind === 'deferred';
  switch (cause.because) {
    case 'limit':
      return isDeferred
        ? `the limit of ${cause.limit} is reached`
        : `The limit of ${cause.limit} was reached before the work was finished.`;
    case 'filtered':
      return 'The safety filter of the model provider stopped the reply. Describe the task in other words, or choose another model.';
    case 'unreadable_replies':
      return `The model replied ${cause.times} times in a row in a form that could not be read, although it was told what was wrong each time. Choose another model.`;
    case 'repeated_call': {
      const call = cause.call === undefined ? 'an invalid call' : `“${cause.call}”`;
      return `The model made the same call ${cause.times} times in a row (${call}), although it had the result. Describe the task in more detail, or choose another model.`;
    }
    case 'no_reply':
      return `The run was resumed ${cause.resumes} times without getting a reply from the model.`;
    case 'internal_error':
      return isDeferred
        ? 'an internal error occurred, and the work is retried'
        : 'Internal error. The operator can find the details in the service log under the ID of this session.';
    case 'error':
    case 'installation':
    case 'write_budget': {
      const { message, attempts = 1 } = cause;
      return isDeferred || attempts === 1
        ? message
        : `Gave up after ${attempts} attempts. Last error: ${message}`;
    }
    default:
      return cause satisfies never;
  }
}

/** Why nothing is left to be done; `undefined` as long as there may be. */
export function terminationReason(session: Session): string | undefined {
  if (isClosed(session)) return 'The issue or its pull request was closed.';
  return session.requests.stop?.reason;
}

export const ISSUE_CLOSED = 'The issue was closed.';
export const NO_LONGER_SERVED = 'This account is no longer served.';

/** `role`: the least that is needed. */
export const noLongerAllowed = (login: string, role: string): string =>
  `${login} no longer has the role that requesting work needs in this repository (${role} or higher).`;

export const stoppedBy = (login: string): string => `${login} asked to stop.`;

export const unlabelledBy = (login: string, label: string): string =>
  `${login} removed the label \`${label}\`.`;

/** `movedTo`: a repository and number; `undefined` if the issue was deleted. */
export const issueGone = (login: string, movedTo: string | undefined): string =>
  movedTo === undefined
    ? `${login} deleted the issue: the work on it ends here.`
    : `${login} moved the issue to ${movedTo}: the work on it ends here. Ask for it there.`;
