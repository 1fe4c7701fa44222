// What has happened since a request was made, whichever became known first.
import type { Intent } from '../../contracts/intent.ts';
import { isBefore, isSameSecond, type Moment } from '../moment.ts';
import { pullRequestState } from '../parts/session-thread.ts';
import type { ReceivedIntent, Requests, Session, Since } from '../session.ts';

/** GitHub may tell of a comment after it has told of the closing that followed it. Its times are whole seconds. */
export function isBeforeClosing(thread: Session['thread'], intent: Intent): boolean {
  if (intent.kind !== 'comment' && intent.kind !== 'review') return false;
  if (intent.kind === 'comment' && intent.thread?.isOpen === false) return false;
  const { at = '' } = intent;
  const isPullClosed = (pullRequestState(thread) ?? 'open') !== 'open';
  return (
    at !== '' &&
    ((thread.issueClosed && at <= thread.issueNews.closedAt) ||
      (isPullClosed && at <= thread.pullRequestNews.closedAt))
  );
}

/** It was said while the issue was closed or before that, and the issue was reopened since. */
export function isBeforeReopening({ issueNews }: Session['thread'], intent: Intent): boolean {
  if (intent.kind !== 'comment' || intent.at === undefined) return false;
  const isSince = intent.on === 'issue' && intent.onOpen === true && intent.at > issueNews.closedAt;
  return intent.at < issueNews.openAt && !isSince;
}

/** Notes on what was done before, and is not settled yet, that something has happened since. */
export function mark(requests: Requests, what: Since, when?: Moment): Requests {
  const note = <Item extends ReceivedIntent>(item: Item) =>
    when === undefined || isSurelyBefore(item.when, when, what) ? since(item, what) : item;
  return {
    ...requests,
    awaitingAdmission: requests.awaitingAdmission.map(note),
    unread: requests.unread.map(note),
  };
}

/** Within one of GitHub's seconds, nobody knows what came first: what people said then counts after a reopening. */
const isSurelyBefore = (one: Moment, other: Moment, { reopened }: Since): boolean =>
  isBefore(one, other) && !(reopened === true && isSameSecond(one, other));

export const since = <Item extends ReceivedIntent>(item: Item, what: Since): Item => {
  return { ...item, since: { ...item.since, ...what } };
};
