import type { Intent } from '../../contracts/intent.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';

export type Start = Extract<Intent, { kind: 'start' }>;

/**
 * Whether a start repeats one that is in the journal. GitHub reports the label of a new issue in two
 * events, a moment apart, and the issue's text may have asked for the same work.
 */
export function isRepeatedStart(
  { label, at, atOpening }: Start,
  seq: number,
  { session, entries }: Pick<JournalTracker, 'session' | 'entries'>,
): boolean {
  const before = entries.flatMap((entry) =>
    entry.type === 'received' && entry.seq < seq ? [entry.intent] : [],
  );
  if (before.some((one) => isOwnStart(one, label, at))) return true;
  if (atOpening !== true) return false;
  const last = before.findLast(
    (one) => (one.kind === 'start' || one.kind === 'unlabeled') && one.label === label,
  );
  if (last !== undefined) return last.kind === 'start' && last.atOpening === true;
  const hasAsked = before.some((one) => one.kind === 'start' && one.addressed === true);
  return hasAsked && session.thread.label === '' && session.requests.requester !== undefined;
}

/** A start that the service made itself for this label. The label's own event may arrive later. */
const isOwnStart = (intent: Intent, label: string, at: string | undefined): boolean =>
  intent.kind === 'start' &&
  intent.afterIssue !== undefined &&
  intent.label === label &&
  intent.at === at;
