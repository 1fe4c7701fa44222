// How people see that their request was read, how it ended, or why it was rejected.
import type { ReactionRequest } from '../../github/reactions.ts';
import type { ReactionPlace } from '../../contracts/intent.ts';
import { isOnPull, placesOf } from '../../session/said/asks.ts';
import type { EntryOf } from '../../session/entry.ts';
import { admittedReview } from '../../session/fold/items.ts';
import { placeOfIntent } from '../../session/fold/replies.ts';
import { entryAt } from '../../session/kept-entries.ts';
import type { Trigger } from '../../session/session.ts';
import { reviewWork } from '../../session/requested-work.ts';
import { needsRun } from '../../session/state.ts';
import { mentionHint, rejectionComment } from '../../session/texts/comments.ts';
import { operatorComment } from '../../session/texts/run-ends.ts';
import { noMergeInFork } from '../../session/texts/merges.ts';
import type { CommentToPublish, Publication, View } from './publication.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';

/** Places with friendly words of people who may not ask, after the first of each person: more of a crowd are left alone. */
const MOST_THANKED = 20;

/**
 * 👀 on what is being worked on, 🚀 or 😕 in the same place once that has ended, 👍 if nothing had to be changed; 👍 on a command that was applied, 😕 if
 * it had no effect or was rejected, ❤️ on what waits for someone who may ask for it.
 */
export function reactions(view: View): Publication[] {
  const { session, entries } = view;
  const orders = session.requests.commands.map(({ received, applied, ...command }) => ({
    received,
    in: command.in,
    content: applied ? ('+1' as const) : ('confused' as const),
  }));
  const answeredInWords = [...rejectionsToTell(view).values()].map(({ rejection }) => rejection);
  let thanked = 0;
  const rejected = session.requests.rejected.flatMap((rejection) => {
    const { notify, reason, attempt, received, asks } = rejection;
    const entry = entryAt(entries, received);
    if (notify !== true || entry?.type !== 'received') return [];
    // A request, an answer or a yes is a friendly word, whoever may not give it. A command had no effect.
    const isFriendly = reason === 'not_permitted' && attempt !== 'command';
    if (isFriendly && answeredInWords.includes(rejection)) return [];
    const all = placesOf(entry.intent, asks);
    const places = isFriendly ? all.slice(0, MOST_THANKED - thanked) : all;
    if (isFriendly) thanked += places.length;
    const content = isFriendly ? ('heart' as const) : ('confused' as const);
    return places.map((place) => ({ received, in: place, content }));
  });
  // What was edited may have asked for something else before.
  const last = new Map(
    [...orders, ...rejected]
      .toSorted((one, other) => one.received - other.received)
      .map((one) => [nameOf(one.in), one]),
  );
  const answered = [...last.values()].map((one) => reaction('order', one.in, one.content));
  const ends = session.requests.triggers.flatMap(({ result, ...trigger }) =>
    result === undefined
      ? []
      : placesOfTrigger(view, trigger).map((place) => reaction('end', place, ENDS[result])),
  );
  return [...heard(view), ...praised(view), ...answered, ...ends];
}

const ENDS = { good: 'rocket', unchanged: '+1', bad: 'confused' } as const;

/** Praise on a line of our own pull request is no work, and no reason for words. */
function praised({ session, entries }: View): Publication[] {
  if (session.thread.adopted !== undefined) return [];
  return entries.flatMap((entry) => {
    if (entry.type !== 'admitted') return [];
    const received = entryAt(entries, entry.received);
    if (received?.type !== 'received') return [];
    const review = admittedReview(received.intent, entry);
    return entry.lineComments.flatMap(({ thread }) =>
      thread !== undefined && reviewWork(session, review, thread) === 'praise'
        ? [reaction('order', { on: 'line_comment', id: thread.comment }, '+1')]
        : [],
    );
  });
}

/** Of a review of ours that asks for something without naming the App, its words or its first comment on a line. */
function placesToWorkOn(
  { session }: View,
  received: EntryOf<'received'>,
  verdict: EntryOf<'admitted'>,
): readonly ReactionPlace[] {
  const { intent } = received;
  const { asks, shown, lineComments } = verdict;
  const own = placesOf(intent, asks);
  if (own.length > 0 || intent.kind !== 'review') return own;
  const review = admittedReview(intent, verdict);
  if (reviewWork(session, review) !== 'work') return [];
  const { pullRequest, reviewId: id } = intent;
  if ((shown?.body ?? '').trim() !== '') return [{ on: 'review', id, pullRequest }];
  const first = lineComments.find(
    ({ thread }) => thread !== undefined && reviewWork(session, review, thread) === 'work',
  );
  return first?.thread === undefined ? [] : [{ on: 'line_comment', id: first.thread.comment }];
}

/** Where its 👀 is. */
function placesOfTrigger(
  view: View,
  { in: place, admittedAt }: Pick<Trigger, 'in' | 'admittedAt'>,
): readonly ReactionPlace[] {
  const verdict = entryAt(view.entries, admittedAt);
  if (place.on !== 'review' || verdict?.type !== 'admitted') return [place];
  const entry = entryAt(view.entries, verdict.received);
  // Each place that names the App has a result of its own, a command none.
  if (entry?.type !== 'received' || placesOf(entry.intent, verdict.asks).length > 0) return [place];
  return placesToWorkOn(view, entry, verdict);
}

/**
 * Of a review, what asks for something gets one. A comment gets no 👀 if it is mere talk, or waits for a run that no one has requested: nothing would happen
 * soon. A comment that waits for the end of a pause gets it.
 */
function heard(view: View): Publication[] {
  const { session, entries } = view;
  const admitted = new Map(
    entries.flatMap((e) => (e.type === 'admitted' ? [[e.received, e] as const] : [])),
  );
  for (const seq of session.requests.talk) admitted.delete(seq);
  if (!needsRun({ ...session, waiting: { ...session.waiting, pausedBy: undefined } }))
    for (const { seq } of session.requests.unread) admitted.delete(seq);
  const commands = new Set(session.requests.commands.map((command) => nameOf(command.in)));
  const places = new Map<string, ReactionPlace>();
  for (const entry of entries) {
    const verdict = admitted.get(entry.seq);
    if (entry.type !== 'received' || verdict === undefined) continue;
    const own: readonly ReactionPlace[] =
      entry.intent.kind === 'start'
        ? [{ on: 'issue', id: session.thread.issue }]
        : placesToWorkOn(view, entry, verdict);
    for (const place of own) if (!commands.has(nameOf(place))) places.set(nameOf(place), place);
  }
  return [...places.values()].map((place) => reaction('reaction', place, 'eyes'));
}

const nameOf = ({ on, id }: ReactionPlace): string => (on === 'issue' ? on : `${on}:${id}`);

/** One of each kind per target; a new reaction replaces the previous one. */
function reaction(
  kind: 'reaction' | 'order' | 'end',
  place: ReactionPlace,
  content: ReactionRequest['content'],
): Publication {
  return {
    key: `${kind}:${nameOf(place)}`,
    digest: content,
    kind: 'reaction',
    publish: async (github, known) => {
      if (known !== undefined && known !== 0) await github.unreact({ in: place, reaction: known });
      return { id: await github.react({ in: place, content }), url: '' };
    },
  };
}

/** People hear of it, since nobody wrote a comment. */
export const operatorComments = (view: View): CommentToPublish[] =>
  view.entries.flatMap((entry) => {
    if (entry.type !== 'received' || entry.intent.kind !== 'operator_command') return [];
    const body = [operatorComment(view.session, entry.intent.command)];
    return [{ key: `operator:${entry.seq}`, body }];
  });

/** Once for a session, however often it is asked for: a merge into the branch of a fork. */
export function noMergeComments({ session, entries }: View): CommentToPublish[] {
  const { adopted } = session.thread;
  if (adopted?.fork === undefined) return [];
  const asked = session.requests.commands.find(
    ({ command, applied }) => command === 'resolve' && !applied,
  );
  const entry = asked && entryAt(entries, asked.received);
  if (entry?.type !== 'received') return [];
  const { login } = entry.sender;
  return [{ key: 'no-merge', body: [noMergeInFork(login, adopted)], mention: login }];
}

/** For the first question that needs a mention, since everyone reads it. Statements and thanks are left alone. */
export function mentionHints({ session, entries }: View): CommentToPublish[] {
  const first = entries.find(
    (entry) =>
      entry.type === 'admitted' && entry.needsMention === true && entry.isQuestion === true,
  );
  const entry = first?.type === 'admitted' ? entryAt(entries, first.received) : undefined;
  const place = entry?.type === 'received' ? placeOfIntent(entry.intent, session) : undefined;
  if (entry?.type !== 'received' || place === undefined) return [];
  const { login } = entry.sender;
  const body = [mentionHint(login)];
  return [{ key: 'mention-hint', body, mention: login, issue: place.on }];
}

/** Only this many people get a comment, so that a crowd cannot make us post a flood of comments. */
const MOST_ANSWERED = 5;

/** The first of each person whose requests were rejected. */
function rejectionsToTell({ session, entries }: View) {
  const told = new Map<string, { rejection: EntryOf<'rejected'>; entry: EntryOf<'received'> }>();
  for (const rejection of session.requests.rejected) {
    const entry = entryAt(entries, rejection.received);
    if (rejection.notify !== true || entry?.type !== 'received') continue;
    const { login } = entry.sender;
    if (!told.has(login) && told.size < MOST_ANSWERED) told.set(login, { rejection, entry });
  }
  return told;
}

/** One comment for each person whose requests were rejected, however often they try. */
export function rejectionComments(view: View): CommentToPublish[] {
  const { session } = view;
  const [first] = session.requests.requesters;
  return [...rejectionsToTell(view)].map(([login, { rejection, entry }]) => {
    const { intent } = entry;
    const hasBegun = first !== undefined && first.since < rejection.seq;
    const on = session.thread.pullRequest?.number ?? session.thread.issue;
    return withoutUndefined({
      key: `rejection:${login.replaceAll(/[^\w.-]/g, '-')}`,
      body: [rejectionComment(login, rejection, intent, hasBegun)],
      mention: login,
      issue: isOnPull(intent) ? on : undefined,
    });
  });
}
