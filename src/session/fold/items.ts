// What came in, as an item that the model reads.
import type { Intent, PlacedAsk, TextPlace } from '../../contracts/intent.ts';
import type { Entry, EntryOf } from '../entry.ts';
import { isBefore, momentOf } from '../moment.ts';
import type { AdmittedIntent, ReceivedIntent, Requests, Session } from '../session.ts';
import { stopSince } from './latest.ts';
import type { CommentThread, LineComment, ShownText } from '../../contracts/shown-text.ts';
import { entryAt } from '../kept-entries.ts';
import { isSamePlace } from '../said/asks.ts';

/** Items that the model has not read, and the comments that came with those before. */
type ItemsToRead = Pick<Requests, 'unread' | 'included'>;

export const admittedItem = (
  session: Session,
  entry: EntryOf<'admitted'>,
  found: ReceivedIntent,
): AdmittedIntent => ({
  ...found,
  ...admittedReview(found.intent, entry),
  since: { ...found.since, ...(isStoppedSince(session, found) && { stopped: true }) },
  admittedAt: entry.seq,
  lineComments: withoutCommands(entry),
  gatherUntil: entry.gatherUntil,
  approves: approvedIn(entry, session),
  earlier: entry.earlier ?? [],
  wasRead: false,
  shown: entry.shown,
  isAlone: entry.ask?.alone === true,
  ask: undefined,
  needsMention: entry.needsMention === true,
  isQuestion: entry.isQuestion === true,
  answersOnly: entry.answersOnly === true,
  issueText: entry.issue,
});

/** Nothing, if what it approves does not wait any more: a plan is not approved by words about sub-issues. */
function approvedIn(
  { approves }: EntryOf<'admitted'>,
  { waiting: { proposal } }: Session,
): AdmittedIntent['approves'] {
  const isForSplit = approves === 'sub_issues';
  return approves !== undefined && isForSplit === (proposal?.of === 'sub_issues')
    ? proposal?.of
    : undefined;
}

/** A stop, or the end of the run that it was for, came after it. */
const isStoppedSince = (session: Session, { when }: ReceivedIntent): boolean => {
  const { interruptedAt } = session.run ?? {};
  const isInterrupted = interruptedAt !== undefined && isBefore(when, interruptedAt);
  return isInterrupted || stopSince(session, when) !== undefined;
};

/** What an admitted review says, as `reviewWork` reads it. */
export const admittedReview = (intent: Intent, entry: EntryOf<'admitted'>) => ({
  intent: withVerdict(intent, entry),
  ask: entry.ask?.for,
  asks: asksOf(intent, entry),
  remarks: entry.remarks,
  lineComments: entry.lineComments,
});

const withVerdict = (intent: Intent, { verdict }: EntryOf<'admitted'>): Intent =>
  intent.kind === 'review' && verdict !== undefined ? { ...intent, verdict } : intent;

/** A comment that says no more than a command is no remark on its line. */
const withoutCommands = ({ lineComments, asks = [] }: EntryOf<'admitted'>) =>
  lineComments.filter(
    ({ thread }) =>
      !asks.some(
        (ask) => ask.alone && ask.in.on === 'line_comment' && ask.in.id === thread?.comment,
      ),
  );

function asksOf(intent: Intent, { ask, asks = [] }: EntryOf<'admitted'>): readonly PlacedAsk[] {
  return intent.kind === 'comment' && ask !== undefined
    ? [{ ...ask, in: { on: 'comment', id: intent.commentId } }]
    : asks;
}

/** A fact needs no admission. */
export const factOf = (entry: EntryOf<'received'>): AdmittedIntent => ({
  seq: entry.seq,
  when: momentOf(entry),
  sender: entry.sender,
  intent: entry.intent,
  since: {},
  admittedAt: entry.seq,
  lineComments: [],
  approves: undefined,
  remarks: undefined,
  gatherUntil: undefined,
  isAlone: true,
  ask: undefined,
  needsMention: false,
  isQuestion: false,
  answersOnly: false,
  asks: [],
  earlier: [],
  wasRead: false,
  shown: undefined,
  issueText: undefined,
});

/**
 * With one more item. A comment that was included when work began may come by itself later, because it asks for
 * something: it is taken out there if the model has not read it.
 */
export function withItem(
  { unread, included }: ItemsToRead,
  item: AdmittedIntent,
  isForModel: boolean,
): ItemsToRead {
  const id = item.intent.kind === 'comment' ? item.intent.commentId : undefined;
  const others = unread.map((one) => ({
    ...one,
    earlier: one.earlier.filter((comment) => comment.id !== id),
  }));
  const wasUnread = unread.some(({ earlier }) => earlier.some((comment) => comment.id === id));
  const wasRead = id !== undefined && included.includes(id) && !wasUnread;
  if (!isForModel) return { unread: others, included };
  return {
    unread: [...others, { ...item, wasRead }],
    included: [...included, ...item.earlier.map((comment) => comment.id)],
  };
}

/** With what its author changed in an item that the model has not read. What asks for something now is an item of its own. */
export function withEdit(
  items: ItemsToRead,
  { intent, sender }: AdmittedIntent,
  { seq, ask, shown, suggestion }: EntryOf<'admitted'>,
): ItemsToRead {
  if (intent.kind !== 'edited') return items;
  if (ask !== undefined)
    return {
      ...items,
      unread: items.unread.flatMap((item) =>
        item.admittedAt === seq ? [item] : withoutText(item, intent.in),
      ),
    };
  const edit = { in: intent.in, shown, suggestion };
  const change = (item: AdmittedIntent): AdmittedIntent =>
    item.sender.id === sender.id ? edited(item, edit) : item;
  return { ...items, unread: items.unread.map(change) };
}

/** What people deleted before the model has read it is not read. */
export const withoutDeleted = (
  { unread }: Requests,
  place: TextPlace,
): Pick<Requests, 'unread'> => ({ unread: unread.flatMap((item) => withoutText(item, place)) });

// What people change in their words before the model has read them.

/** Whether the text is that of the item, or of a comment in it. A yes that was acted on stays as it was. */
export function hasText(
  { intent, lineComments, approves }: AdmittedIntent,
  place: TextPlace,
): boolean {
  if (approves !== undefined) return false;
  if (place.on === 'line_comment')
    return lineComments.some(({ thread }) => thread?.comment === place.id);
  return isPlaceOf(intent, place);
}

interface Edit {
  readonly in: TextPlace;
  readonly shown: ShownText | undefined;
  readonly suggestion: CommentThread['suggestion'];
}

/** The item with other words. What it asks for stays: what asked for something asks for nothing more by an edit. */
function edited(item: AdmittedIntent, edit: Edit): AdmittedIntent {
  const { in: place, shown } = edit;
  if (!hasText(item, place)) return item;
  if (place.on !== 'line_comment') return { ...item, shown };
  return {
    ...item,
    lineComments: item.lineComments.map((comment) =>
      comment.thread?.comment === place.id ? withText(comment, comment.thread, edit) : comment,
    ),
  };
}

function withText(
  { path, line }: LineComment,
  { suggestion: _before, asksNothing: _praise, ...thread }: CommentThread,
  { shown, suggestion }: Edit,
): LineComment {
  const about = suggestion === undefined ? thread : { ...thread, suggestion };
  return { path, line, ...(shown ?? { body: '' }), thread: about };
}

/** The item without what was deleted; nothing if that was all of it. What was asked for stays. */
function withoutText(item: AdmittedIntent, place: TextPlace): readonly AdmittedIntent[] {
  if (place.on === 'line_comment') {
    const lineComments = item.lineComments.filter(({ thread }) => thread?.comment !== place.id);
    return wasAll(item, lineComments) ? [] : [{ ...item, lineComments }];
  }
  if (hasText(item, place)) return item.ask === undefined ? [] : [{ ...item, shown: undefined }];
  return [{ ...item, earlier: item.earlier.filter(({ id }) => id !== place.id) }];
}

/** A single comment on a line comes as a review, which says nothing without it. */
const wasAll = (
  { intent, ask, shown, lineComments }: AdmittedIntent,
  left: readonly LineComment[],
): boolean =>
  intent.kind === 'review' &&
  intent.verdict === 'commented' &&
  ask === undefined &&
  shown === undefined &&
  left.length === 0 &&
  lineComments.length > 0;

/** The newest words of what came in, if its author changed them before it became known; else `undefined`. */
export const newestWords = (
  received: ReceivedIntent,
  entries: readonly Entry[],
): string | undefined => newestEdit(received, entries)?.body;

/** Whether the same words were changed again since, and that became known first. */
export const isEditedSince = (received: ReceivedIntent, entries: readonly Entry[]): boolean =>
  received.intent.kind === 'edited' &&
  (newestEdit(received, entries)?.at ?? '') > (received.intent.at ?? '');

function newestEdit(
  { intent, sender }: ReceivedIntent,
  entries: readonly Entry[],
): Extract<Intent, { kind: 'edited' }> | undefined {
  let newest: Extract<Intent, { kind: 'edited' }> | undefined;
  for (const entry of entries) {
    if (entry.type !== 'received' || entry.intent.kind !== 'edited') continue;
    const isTheirs = entry.sender.id === sender.id && isPlaceOf(intent, entry.intent.in);
    const isNewer = (entry.intent.at ?? '') >= (newest?.at ?? '');
    if (isTheirs && isNewer) newest = entry.intent;
  }
  return newest;
}

/** Whether what is written there was admitted as something to do, in whatever words. A word that is only nearly a command is not. */
export function hasAskedIn(place: TextPlace, entries: readonly Entry[]): boolean {
  return entries.some((entry) => {
    if (entry.type !== 'admitted' || entry.ask === undefined) return false;
    const received = entryAt(entries, entry.received);
    if (received?.type !== 'received') return false;
    const { intent } = received;
    if (intent.kind === 'comment') return entry.ask.for !== 'unclear' && isPlaceOf(intent, place);
    return (entry.asks ?? []).some((ask) => ask.for !== 'unclear' && isSamePlace(ask.in, place));
  });
}

/** Whether what is written there was admitted as an answer: it names the App, or is by someone who may only answer. */
export function hasAnsweredIn(place: TextPlace, entries: readonly Entry[]): boolean {
  let isAsked = false;
  return entries.some((entry) => {
    if (entry.type === 'run_started') isAsked = false;
    if (entry.type === 'run_ended') isAsked = entry.end.kind === 'asked';
    if (entry.type !== 'admitted' || entry.ask !== undefined) return false;
    const received = entryAt(entries, entry.received);
    if (received?.type !== 'received' || received.intent.kind !== 'comment') return false;
    const isAnswer = isAsked && received.intent.addressed === true;
    return (isAnswer || entry.answersOnly === true) && isPlaceOf(received.intent, place);
  });
}

/** Whether it was deleted before it became known (rule `deleted-events` of docs/github-rules.md). */
export const isDeleted = (intent: Intent, entries: readonly Entry[]): boolean =>
  entries.some(
    (entry) =>
      entry.type === 'received' &&
      entry.intent.kind === 'deleted' &&
      isPlaceOf(intent, entry.intent.in),
  );

const isPlaceOf = (intent: Intent, place: TextPlace): boolean =>
  (intent.kind === 'edited' && intent.in.on === place.on && intent.in.id === place.id) ||
  (intent.kind === 'comment' && place.on === 'comment' && intent.commentId === place.id) ||
  (intent.kind === 'review' && place.on === 'review' && intent.reviewId === place.id);
