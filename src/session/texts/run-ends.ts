// Why a run ended, or is deferred. Plain text; it is journaled, and shown wherever the end is.
import type { Intent, OperatorCommand, Person } from '../../contracts/intent.ts';
import type { EndCause } from '../../contracts/entries.ts';
import type { Session } from '../session.ts';
import { isClosed, isRunning } from '../state.ts';
import { day } from './format.ts';
import { addressed } from './markdown.ts';

interface End {
  readonly kind: 'limit' | 'failed' | 'deferred';
  readonly cause: EndCause;
}

/** A sentence about an end, or what follows "Waiting until 14:03 UTC". `session`: the ID, as the log has it. */
export function reasonFor({ kind, cause }: End, session: string): string {
  const isDeferred = kind === 'deferred';
  switch (cause.because) {
    case 'limit':
      if (cause.usedUp !== undefined) return `Still used up: ${cause.usedUp} for this issue.`;
      return cause.shared === undefined
        ? `The limit of ${cause.limit} was reached.`
        : sharedLimitReached(cause.limit, cause.shared);
    case 'filtered':
      return 'The safety filter of the model provider stopped the reply. Describe the task in other words, or choose another model.';
    case 'unreadable_replies':
      return `${cause.times} replies of the model in a row could not be read. Choose another model.`;
    case 'repeated_call': {
      const call = cause.call === undefined ? 'an invalid call' : `“${cause.call}”`;
      return `The model made the same tool call ${cause.times} times in a row (${call}). Describe the task in more detail, or choose another model.`;
    }
    case 'no_reply':
      return `The run was interrupted ${cause.resumes} times before the model replied, so it was ended. The operator can find the cause in the service log under session ${session}.`;
    case 'internal_error':
      return isDeferred
        ? 'An internal error occurred. The work will be retried.'
        : `Internal error. The operator can find the details in the service log under session ${session}.`;
    case 'error':
    case 'installation':
    case 'write_budget': {
      const { message, attempts = 1 } = cause;
      const words = asSentence(message);
      return isDeferred || attempts === 1
        ? words
        : `Gave up after ${attempts} attempts. The last error was: ${words}`;
    }
    default:
      return cause satisfies never;
  }
}

function sharedLimitReached(
  limit: string,
  { setting, since }: { readonly setting: string; readonly since?: string },
): string {
  const when = since === undefined ? '' : ` on ${day(since)}`;
  const who = setting.startsWith('BUDGET_') ? 'the operator' : 'someone with write access';
  return `The limit of ${limit} was reached${when}. To continue sooner, ${who} can raise \`${setting}\`; then write \`/issuewright retry\`.`;
}

/** Errors that may pass have messages without a capital and a full stop, as the log needs them. */
function asSentence(message: string): string {
  const words = message.trim();
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}${/[.!?`]\)?$/.test(words) ? '' : '.'}`;
}

/** Why a run must not continue or begin; `undefined` as long as it may. */
export function terminationReason(session: Session): string | undefined {
  if (isClosed(session)) return 'The issue or its pull request was closed.';
  const { stop, afresh, requester } = session.requests;
  if (stop !== undefined) return stop.reason;
  if (!isRunning(session)) return undefined;
  if (afresh) return `${requester?.login ?? ''} asked to begin again.`;
  return session.run?.interruptedAt === undefined ? undefined : STOPPED_BEFORE;
}

/** What was asked since must not be read by the run that is ending, so the next run reads it. */
const STOPPED_BEFORE = 'It was stopped, and asked to continue since: the next run does that.';

export const ISSUE_CLOSED = 'The issue was closed.';
export const NO_LONGER_SERVED = 'The operator no longer serves this account (`ALLOWED_OWNERS`).';

/** `role`: the least that people need. */
export const noLongerAllowed = ({ login, bot }: Person, role: string): string =>
  bot === true
    ? `${login} is no longer one of the bots that may request work (\`ALLOWED_BOTS\`).`
    : `${login} no longer has the role that requesting work needs in this repository (${role} or higher).`;

export const stoppedBy = ({ login, operator }: Person): string =>
  operator === true ? STOPPED_BY_OPERATOR : `${login} asked to stop.`;

/** They took back what started the work. */
export function withdrawnBy(
  login: string,
  what: Extract<Intent, { kind: 'unlabeled' | 'unassigned' | 'untyped' }>,
): string {
  if (what.kind === 'unassigned') return `${login} unassigned ${what.assignee}.`;
  return what.kind === 'untyped'
    ? `${login} removed the type \`${what.type}\`.`
    : `${login} removed the label \`${what.label}\`.`;
}

/** `movedTo`: a repository and number; `undefined` if the issue was deleted. */
export const issueGone = (login: string, movedTo: string | undefined): string =>
  movedTo === undefined
    ? `${login} deleted the issue, so the work has ended.`
    : `${login} transferred the issue to ${movedTo}, so the work here has ended. Request it there.`;

// What the operator of the service did to a session, by its command line.

/** Why its run ended. */
const STOPPED_BY_OPERATOR = 'The operator of this service asked to stop.';

const DID: Readonly<Record<OperatorCommand, string>> = {
  stop: 'The operator of this service stopped the work. What is done stays on its branch.',
  retry: 'The operator of this service started the work again.',
};

/** A comment on the issue: whoever requested the work may not follow it. */
export const operatorComment = (session: Session, command: OperatorCommand): string =>
  addressed(session, DID[command]);
