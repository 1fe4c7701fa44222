// What people change in their words before the model has read them.
import type { Intent, TextPlace } from '../contracts/intent.ts';
import type { CommentThread, LineComment, ShownText } from '../contracts/shown-text.ts';
import type { Entry } from './entry.ts';
import { entryAt } from './kept-entries.ts';
import { isSamePlace } from './said/asks.ts';
import type { Admitted, ReceivedIntent } from './session.ts';

/** Whether the text is that of the item, or of a comment in it. A yes that was acted on stays as it was. */
export function hasText({ intent, lineComments, approves }: Admitted, place: TextPlace): boolean {
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
export function edited(item: Admitted, edit: Edit): Admitted {
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
export function withoutText(item: Admitted, place: TextPlace): readonly Admitted[] {
  if (place.on === 'line_comment') {
    const lineComments = item.lineComments.filter(({ thread }) => thread?.comment !== place.id);
    return wasAll(item, lineComments) ? [] : [{ ...item, lineComments }];
  }
  if (hasText(item, place)) return item.ask === undefined ? [] : [{ ...item, shown: undefined }];
  return [{ ...item, earlier: item.earlier.filter(({ id }) => id !== place.id) }];
}

/** A single comment on a line comes as a review, which says nothing without it. */
const wasAll = (
  { intent, ask, shown, lineComments }: Admitted,
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
