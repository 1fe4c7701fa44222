import type { Usage } from '../../contracts/model.ts';

export interface Spending {
  readonly usage: Usage;
  /** Who has received a change to review it. */
  readonly reviewers: readonly string[];
  /** Who has received memories and queries, to search them by meaning. */
  readonly embedders: readonly string[];
  /** What all runs have cost. */
  readonly cost: Cost;
  /** How it came to that: after some of the replies, the last one among them. At most `MOST_POINTS`. */
  readonly course: readonly SpendingPoint[];
  /** Who has received code and comments, the latest one last. */
  readonly destinations: readonly string[];
}

export const MOST_POINTS = 32;

/** All that was spent by then. */
export interface SpendingPoint {
  /** Milliseconds of work by then. */
  readonly workedMs: number;
  readonly tokens: number;
  readonly dollars: number;
}

export interface Cost {
  /** US dollars, of the replies whose price is known. */
  readonly dollars: number;
  /** Whether there were replies whose price is not known. */
  readonly isPartial: boolean;
}
