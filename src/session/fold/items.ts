// What came in, as an item that the model reads.
import type { Intent, PlacedAsk, TextPlace } from '../../contracts/intent.ts';
import { edited, withoutText } from '../edits.ts';
import type { EntryOf } from '../entry.ts';
import { isBefore, momentOf } from '../moment.ts';
import type { Admitted, ReceivedIntent, Requests, Session } from '../session.ts';
import { stopSince } from './latest.ts';

export const admittedItem = (
  session: Session,
  entry: EntryOf<'admitted'>,
  found: ReceivedIntent,
): Admitted => ({
  ...found,
  ...admittedReview(found.intent, entry),
  since: { ...found.since, ...(isStoppedSince(session, found) && { stopped: true }) },
  admittedAt: entry.seq,
  lineComments: withoutCommands(entry),
  gatherUntil: entry.gatherUntil,
  approves: entry.approves === undefined ? undefined : session.waiting.proposal?.of,
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
export const factOf = (entry: EntryOf<'received'>): Admitted => ({
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
  { unread, included }: Requests,
  item: Admitted,
  isForModel: boolean,
): Pick<Requests, 'unread' | 'included'> {
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
  items: Pick<Requests, 'unread' | 'included'>,
  { intent, sender }: Admitted,
  { seq, ask, shown, suggestion }: EntryOf<'admitted'>,
): Pick<Requests, 'unread' | 'included'> {
  if (intent.kind !== 'edited') return items;
  if (ask !== undefined)
    return {
      ...items,
      unread: items.unread.flatMap((item) =>
        item.admittedAt === seq ? [item] : withoutText(item, intent.in),
      ),
    };
  const edit = { in: intent.in, shown, suggestion };
  const change = (item: Admitted): Admitted =>
    item.sender.id === sender.id ? edited(item, edit) : item;
  return { ...items, unread: items.unread.map(change) };
}

/** What people deleted before the model has read it is not read. */
export const withoutDeleted = (
  { unread }: Pick<Requests, 'unread'>,
  place: TextPlace,
): Pick<Requests, 'unread'> => ({ unread: unread.flatMap((item) => withoutText(item, place)) });
