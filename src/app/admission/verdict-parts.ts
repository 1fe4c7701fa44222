// What a verdict says of a request, and to whom.
import type { Ask, Intent } from '../../contracts/intent.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import type { AttemptKind, Entry, EntryOf, RejectionReason } from '../../session/entry.ts';
import { pullRequestOf, pullRequestState } from '../../session/parts/session-thread.ts';
import { isOnPull, maySayYes, startsWork } from '../../session/said/asks.ts';
import { hasAskedIn, hasText, isDeleted, isEditedSince } from '../../session/fold/items.ts';
import type { ReceivedIntent, Session } from '../../session/session.ts';
import type { TextAsks } from './line-comments.ts';
import { wasIncluded } from './issue-context.ts';
import type { ShownTexts } from './shown-texts.ts';

/** The reasons that the requester is told; the others do not concern them. */
export const TOLD: ReadonlySet<RejectionReason> = new Set([
  'not_permitted',
  'issue_closed',
  'pull_request_merged',
  'own_pull_request',
  'reviews_off',
]);

export const withoutAddressee = ({ to: _to, ...ask }: Ask): Omit<Ask, 'to'> => ask;

export const isMemory = (ask: Ask): boolean => ask.for === 'memory' || ask.for === 'forget';

/** Whether a person may say yes in it to the question whether we may push. */
export const answersPush = (
  { seq, intent, sender }: ReceivedIntent,
  ask: Ask | undefined,
  { question }: Session['waiting'],
): boolean =>
  question?.about === 'push' &&
  seq > question.seq &&
  maySayYes(intent, ask !== undefined) &&
  sender.bot !== true;

/** Of a check run that is not the head's any more, only a stop counts. */
export const isOutdated = (
  { action, sha }: Extract<ReceivedIntent['intent'], { kind: 'check_action' }>,
  { work }: Session,
): boolean => action !== 'stop' && sha !== work.head;

/** The operator may ask for anything, and no one else can write such an entry. */
export const admittedAsItIs = ({ seq }: ReceivedIntent) =>
  ({ type: 'admitted', received: seq, lineComments: [] }) as const;

/** `attempt`: what the person is told about; `who`: the lowest role that may request work. */
export const rejection = (
  received: number,
  reason: RejectionReason,
  { attempt, asks }: { readonly attempt: AttemptKind | undefined; readonly asks: TextAsks['asks'] },
  who: string,
): Omit<EntryOf<'rejected'>, 'seq' | 'at'> => ({
  type: 'rejected',
  received,
  reason,
  ...(attempt === undefined ? {} : { notify: true, attempt }),
  ...(attempt === undefined || asks.length === 0 ? {} : { asks }),
  ...(reason === 'not_permitted' ? { requiredRole: who } : {}),
});

/** The text of a new issue; if its label requests work too, that is the same request. */
export function againstWords(
  ask: Ask | undefined,
  { requests }: Session,
): RejectionReason | undefined {
  if (ask === undefined) return 'no_session';
  return requests.requester === undefined ? undefined : 'duplicate';
}

/**
 * Its own pull request as GitHub has it now: whatever asks for work depends on that, and what happened to it may not be
 * known yet.
 */
export async function pullRequestNow(
  { intent }: ReceivedIntent,
  ask: Ask | undefined,
  { thread: { pullRequest } }: Session,
  github: GitHubRepository,
): Promise<Pick<EntryOf<'admitted'>, 'pullRequest' | 'closedAt'>> {
  const asks = ask !== undefined && (startsWork(ask.for) || ask.for === 'resume');
  if (pullRequest === undefined || !(asks || intent.kind === 'start')) return {};
  const found = await github.pullRequest(pullRequest.number);
  if (found === undefined) return {};
  if (found.isOpen) return { pullRequest: 'open' };
  const { isMerged, closedAt } = found;
  return { pullRequest: isMerged ? 'merged' : 'closed', ...(closedAt && { closedAt }) };
}

/** The head of the pull request that is to be merged when ready, as GitHub has it when the command is read. */
export async function headToMerge(
  ask: Ask | undefined,
  { thread }: Session,
  github: GitHubRepository,
): Promise<Pick<EntryOf<'admitted'>, 'head'>> {
  if (ask?.for !== 'merge' || ask.isOff === true) return {};
  const found = await github.pullRequest(pullRequestOf({ thread }));
  return found === undefined ? {} : { head: found.head };
}

/** What was read already, or deleted before it was heard, is not read. A command stays one. */
export async function againstComment(
  received: ReceivedIntent,
  entries: readonly Entry[],
  texts: ShownTexts,
): Promise<RejectionReason | undefined> {
  const { intent } = received;
  if (intent.kind !== 'comment') return undefined;
  if (wasIncluded(intent.commentId, entries)) return 'duplicate';
  if (isDeleted(intent, entries)) return 'outdated';
  return (await texts.of(received)).isGone === true ? 'outdated' : undefined;
}

/** What the model has read, or what was carried out, stays as it was. */
export function againstEdit(
  received: ReceivedIntent,
  { in: place }: Extract<Intent, { kind: 'edited' }>,
  { session, entries }: { readonly session: Session; readonly entries: readonly Entry[] },
): RejectionReason | undefined {
  const { sender } = received;
  if (isEditedSince(received, entries)) return 'outdated';
  const isUnread = session.requests.unread.some(
    (item) => item.sender.id === sender.id && hasText(item, place),
  );
  return isUnread ? undefined : 'outdated';
}

/**
 * An edit asks for something only where nothing valid was asked before: a request counts once, as it was made. Bots edit what
 * they wrote all the time.
 */
export const isEditOfRequest = (received: ReceivedIntent, entries: readonly Entry[]): boolean =>
  received.intent.kind === 'edited' &&
  (received.sender.bot === true ||
    isEditedSince(received, entries) ||
    hasAskedIn(received.intent.in, entries));

type Remark = Extract<Intent, { kind: 'comment' | 'review' | 'edited' }>;

/** What is closed takes no requests. What is merged cannot even be reopened. */
export async function againstClosed(
  intent: Remark,
  session: Session,
  github: GitHubRepository,
): Promise<RejectionReason | undefined> {
  if (!(await isIssueClosed(intent, session, github))) return undefined;
  const isMerged = isOnPull(intent) && pullRequestState(session.thread) === 'merged';
  return isMerged ? 'pull_request_merged' : 'issue_closed';
}

/** An event of a pull request does not contain its issue, and we may have missed that it was reopened. */
async function isIssueClosed(
  intent: Remark,
  { thread: ours }: Session,
  github: GitHubRepository,
): Promise<boolean> {
  if (intent.kind !== 'review' && intent.on === 'issue') return intent.thread?.isOpen === false;
  return ours.issueClosed && !(await github.issueState(ours.issue)).isOpen;
}
