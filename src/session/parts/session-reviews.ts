import type { RunEnd } from '../../contracts/entries.ts';
import type { Person } from '../../contracts/intent.ts';
import type { ReviewWork } from '../../contracts/shown-text.ts';

/** What people said on lines of the pull request, and what came of it. */
export interface Reviews {
  /** All threads that the session has heard of, in the order of their numbers. */
  readonly threads: readonly ReviewThread[];
  /** Oldest first. Only the last one may be open. */
  readonly rounds: readonly ReviewRound[];
  /** In the order in which they were taken. */
  readonly suggestions: readonly TakenSuggestion[];
  /** Runs for reviews since a person last asked for work in another way, the entry in which they did, and the limit. */
  readonly sinceAsked: { readonly seq: number; readonly runs: number; readonly lastRun: number };
  readonly limit: number;
  /** Threads that code was changed for are resolved. */
  readonly resolves: boolean;
}

export interface TakenSuggestion {
  /** The id of its comment. */
  readonly comment: number;
  readonly outcome: SuggestionOutcome;
  readonly by?: Person;
}

export interface ReviewThread {
  /** What the model calls it, from 1. */
  readonly number: number;
  /** The id of its first comment. */
  readonly root: number;
  readonly path: string;
  readonly line: number | null;
  readonly isResolved: boolean;
  /** GitHub's time of the last change that it told of; empty: of none yet. */
  readonly resolvedAt: string;
  /** The entry that says that it was opened again, if it was. */
  readonly reopenedAt: number | undefined;
}

/** From the review that the agent reads to the end of the work on it; a question to people does not end it. */
export interface ReviewRound {
  /** From 1. */
  readonly number: number;
  readonly pullRequest: number;
  readonly threads: readonly RoundThread[];
  readonly commits: readonly RoundCommit[];
  /** Messages of commits that are made with the round's one push. */
  readonly held: readonly string[];
  /** Its threads are resolved if code was changed for them. */
  readonly resolves: boolean;
  /** How the work on it ended; `undefined`: it is not over. */
  readonly end: RunEnd | undefined;
}

interface RoundCommit {
  readonly sha: string;
  readonly paths: readonly string[];
}

export interface RoundThread {
  readonly thread: number;
  /** The ids of the comments that the agent read. */
  readonly comments: readonly number[];
  /** It was resolved already when the last of them was written. */
  readonly wasResolved: boolean;
  /** Whether its lines are changed says nothing of this round: they were before. */
  readonly wasOutdated: boolean;
  /** What there is to do in any of these comments. */
  readonly work: ReviewWork;
  /** The agent's own words. */
  readonly reply: string | undefined;
}

/** The round that is not over. */
export const openRound = ({ rounds }: Reviews): ReviewRound | undefined => {
  const last = rounds.at(-1);
  return last?.end === undefined ? last : undefined;
};

/** Who suggested what is applied, and not pushed before the round that is open. */
export function suggesters(reviews: Reviews): readonly Person[] {
  const comments = new Set(openRound(reviews)?.threads.flatMap((one) => one.comments));
  return reviews.suggestions.flatMap(({ comment, outcome, by }) =>
    outcome === 'applied' && comments.has(comment) && by !== undefined ? [by] : [],
  );
}

/** What became of a suggestion: why it was left to the agent, if it was not applied. */
export type SuggestionOutcome =
  | 'applied'
  | 'several'
  | 'hidden'
  | 'changed'
  | 'overlaps'
  | 'not allowed';
