// When people did things: by GitHub's clock, not in the order in which we heard of it.
import type { EntryOf } from './entry.ts';
import type { Intent } from '../contracts/intent.ts';

/** When something was done. */
export interface Moment {
  /** ISO time. GitHub's are whole seconds. */
  readonly at: string;
  /** By our clock: GitHub does not say when. */
  readonly isOurs?: true;
  /** The id of the comment on the issue or pull request that it was done with. GitHub counts them up (rule `comment-ids-rise` of docs/github-rules.md). */
  readonly comment?: number;
  /** The entry that tells of it. */
  readonly seq: number;
}

/** GitHub's clock and ours may differ that much, and its events take a moment. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * Whether the one was done before the other: by the ids of two comments, else by time. What that does not tell, such as within
 * one of GitHub's seconds, the order of arrival does.
 */
export function isBefore(one: Moment, other: Moment): boolean {
  if (one.comment !== undefined && other.comment !== undefined && one.comment !== other.comment)
    return one.comment < other.comment;
  const apart = wholeSecond(one.at) - wholeSecond(other.at);
  const isKnown = one.isOurs === undefined && other.isOurs === undefined;
  if (Math.abs(apart) > (isKnown ? 0 : CLOCKS_DIFFER_MS)) return apart < 0;
  return one.seq < other.seq;
}

/** Whether GitHub's times do not tell which was first. */
export const isSameSecond = (one: Moment, other: Moment): boolean =>
  one.isOurs === undefined && other.isOurs === undefined && one.at === other.at;

const wholeSecond = (at: string): number => Math.floor(Date.parse(at) / 1000) * 1000;

/** When it was done; by our clock, when we heard of it, if GitHub does not say. */
export function momentOf({ seq, at: heardAt, intent }: EntryOf<'received'>): Moment {
  const at = timeOf(intent);
  const comment = intent.kind === 'comment' ? { comment: intent.commentId } : {};
  return at === undefined || at === ''
    ? { at: heardAt, isOurs: true, seq, ...comment }
    : { at, seq, ...comment };
}

const timeOf = (intent: Intent): string | undefined => {
  // The service starts it itself, for what was requested before.
  const isOwn = intent.kind === 'start' && (intent.afterIssue ?? intent.subIssueOf) !== undefined;
  if (isOwn) return undefined;
  return 'at' in intent ? intent.at : undefined;
};

/** What people decided last of each thing, whether or not there was something to do for it. */
export interface Latest {
  /** `reason`: a sentence. */
  readonly stop: { readonly when: Moment; readonly reason: string } | undefined;
  /** When people asked for work, or answered: the newest of these, oldest first. */
  readonly goes: readonly Moment[];
  /** `by`: a login. */
  readonly pause: { readonly when: Moment; readonly by: string } | undefined;
  /** A pause from before counts no more. */
  readonly resume: { readonly when: Moment } | undefined;
}
