import type { Usage } from '../contracts/model.ts';

export interface Spending {
  readonly usage: Usage;
  /** Who has received a change to review it. */
  readonly reviewers: readonly string[];
  /** Who has received memories and queries, to search them by meaning. */
  readonly embedders: readonly string[];
  /** What all runs have cost. */
  readonly cost: Cost;
  /** Who has received code and comments, the latest one last. */
  readonly destinations: readonly string[];
}

export interface Cost {
  /** US dollars, of the replies whose price is known. */
  readonly dollars: number;
  /** Whether there were replies whose price is not known. */
  readonly isPartial: boolean;
}
