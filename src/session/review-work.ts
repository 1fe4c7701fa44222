// What a person's remark in a review is. Whatever depends on that asks here: its words are read once, when it is admitted, and
// journaled (`app/admission/line-comments.ts`).
import type { ReviewVerdict } from '../contracts/intent.ts';
import type { AsksNothing, CommentThread, ReviewWork } from '../contracts/shown-text.ts';
import type { Admitted, Session } from './session.ts';

type Review = Pick<Admitted, 'intent' | 'ask' | 'asks' | 'remarks' | 'lineComments'>;

/** Of a review, or of one of its comments on lines. On someone else's pull request, what does not mention us is for others. */
export function reviewWork(
  { thread: { adopted } }: Pick<Session, 'thread'>,
  { intent, ask, asks, remarks, lineComments }: Review,
  comment?: Pick<CommentThread, 'comment' | 'asksNothing'>,
): ReviewWork {
  if (comment !== undefined) {
    const isAsked = asks.some((one) => one.in.on === 'review' || one.in.id === comment.comment);
    if (adopted !== undefined && !isAsked) return 'nothing';
    return comment.asksNothing === 'for_others' ? 'nothing' : (comment.asksNothing ?? 'work');
  }
  if (intent.kind !== 'review') return 'nothing';
  if (ask === 'work') return 'work';
  if (adopted !== undefined) return 'nothing';
  if (remarks ?? intent.verdict !== 'approved') return 'work';
  return lineComments.some(({ thread }) => thread?.asksNothing === 'praise') ? 'praise' : 'nothing';
}

/** What is read of a review on our own pull request. */
export interface ReadReview {
  readonly verdict: ReviewVerdict | undefined;
  /** It mentions the App. */
  readonly isAsked: boolean;
  /** Some of its comments on lines are work. */
  readonly hasLines: boolean;
  readonly words: {
    readonly isQuestion: boolean;
    readonly asksNothing: AsksNothing | undefined;
    readonly isEmpty: boolean;
  };
  /** Of words alone, only a question is work. */
  readonly needsQuestion: boolean;
  readonly mergesItself: boolean;
}

/**
 * Whether there is something to work on, if the verdict does not say so. Whoever approves with remarks on lines expects them to
 * be settled before the merge; its words need a mention, as in the conversation. If GitHub merges by itself, a change would be
 * merged that nobody has seen.
 */
export function remarksIn(read: ReadReview): boolean | undefined {
  const { verdict, isAsked, hasLines, words, needsQuestion, mergesItself } = read;
  if (verdict === 'approved') return hasLines && !mergesItself ? true : undefined;
  if (verdict !== 'commented' || hasLines || isAsked) return undefined;
  const asks = !words.isEmpty && words.asksNothing === undefined;
  if (needsQuestion) return words.isQuestion && asks;
  return asks ? undefined : false;
}
