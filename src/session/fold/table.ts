// How a part of the session is folded: one table with a row for every type of entry.
import type { Entry, EntryOf } from '../entry.ts';
import type { Session } from '../session.ts';
import type { EntryOutcome } from './happened.ts';

type EntryType = Entry['type'];

interface Context {
  /** The session before this entry. */
  readonly session: Session;
  /** What a `received` or `admitted` entry does, as decided once for all parts. */
  readonly outcome: EntryOutcome;
}

type PartChange<Part, Type extends EntryType> = (
  part: Part,
  entry: EntryOf<Type>,
  context: Context,
) => Part;

/** What each type of entry changes in one part. A new type of entry does not compile without a row. */
export type Table<Part> = { readonly [Type in EntryType]: PartChange<Part, Type> | 'no change' };

/** Rows for the types of entry that do not concern a part. */
export const noChange = <Type extends EntryType>(...types: readonly Type[]) =>
  Object.fromEntries(types.map((type) => [type, 'no change'])) as Readonly<
    Record<Type, 'no change'>
  >;

/** Rows for entries that concern one or two parts each: these have rows of their own after them. */
export const MOSTLY_UNCHANGED = noChange(
  'opened',
  'reinstalled',
  'permissions_accepted',
  'rejected',
  'comments_gathered',
  'suggestions_taken',
  'verdict_withdrawn',
  'checks_read',
  'memory_answered',
  'merge_answered',
  'published',
  'publishing_blocked',
  'service_paused',
  'service_resumed',
  'question_expired',
  'expiry_deferred',
  'approval_withdrawn',
  'next_issue_started',
  'sub_issues_read',
  'sub_issue_opened',
  'sub_issues_denied',
  'duplicates_searched',
  'push_questioned',
  'image_fetch_started',
  'image_fetched',
  'self_review_started',
  'base_chosen',
  'base_changed',
  'branch_moved',
  'merge_started',
  'merge_failed_tests',
  'merge_ended',
  'notice',
  'call_output',
  'protocol_changed',
  'images_dropped',
);

/** A part of the session after one more entry. */
export function applyTo<Part>(
  table: Table<Part>,
  part: Part,
  entry: Entry,
  context: Context,
): Part {
  // The row is the one for the type of this entry, which the compiler cannot see.
  const change = table[entry.type] as PartChange<Part, EntryType> | 'no change';
  return change === 'no change' ? part : change(part, entry, context);
}
