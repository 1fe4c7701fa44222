// What came in, as an item that the model reads.
import type { Intent } from '../../contracts/intent.ts';
import type { EntryOf } from '../entry.ts';
import type { Admitted, Received, Session } from '../session.ts';

export const itemOf = (
  { waiting }: Session,
  entry: EntryOf<'admitted'>,
  found: Received,
): Admitted => ({
  ...found,
  intent: withVerdict(found.intent, entry),
  admittedAt: entry.seq,
  lineComments: entry.lineComments,
  gatherUntil: entry.gatherUntil,
  approves: entry.approves === undefined ? undefined : waiting.proposal?.of,
  earlier: entry.earlier ?? [],
  shown: entry.shown,
  isAlone: entry.ask?.alone === true,
  ask: undefined,
  issueText: entry.issue,
});

const withVerdict = (intent: Intent, { verdict }: EntryOf<'admitted'>): Intent =>
  intent.kind === 'review' && verdict !== undefined ? { ...intent, verdict } : intent;

/** A fact needs no admission. */
export const factOf = ({ seq, sender, intent }: EntryOf<'received'>): Admitted => ({
  seq,
  sender,
  intent,
  since: {},
  admittedAt: seq,
  lineComments: [],
  approves: undefined,
  gatherUntil: undefined,
  isAlone: true,
  ask: undefined,
  earlier: [],
  shown: undefined,
  issueText: undefined,
});
