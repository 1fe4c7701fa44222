import type { Usage } from '../../contracts/model.ts';

/** What a session has taken so far: what its worth is computed from. */
export interface Tally {
  /** When work was requested; empty before that. */
  readonly begunAt: string;
  /** When GitHub first showed something of the work, when its pull request was opened, and when that was merged; empty before. */
  readonly signAt: string;
  readonly proposedAt: string;
  readonly mergedAt: string;
  /** The last time that anything happened in it, what GitHub shows of it aside. */
  readonly activeAt: string;
  /** Of the last run that was prepared; empty before. */
  readonly model: string;
  /** Runs that worked on reviews. */
  readonly rounds: number;
  /** How often people had to say something after they had requested it. */
  readonly touches: number;
  /** Milliseconds of work, without what it waited for. */
  readonly workedMs: number;
  /** The last step of the run in progress; `undefined` while none is. */
  readonly steppedAt: string | undefined;
}

/** How far the agent has come, counted as it goes: nobody has to read its steps again to know. */
export interface SessionProgress {
  /** Replies of the model, in all runs. */
  readonly replies: number;
  /** When the agent did its last step, in any run (ISO); empty before the first. */
  readonly steppedAt: string;
  /** By the latest run. Of replies whose price is not known, only the tokens are counted. */
  readonly used: { readonly turns: number; readonly tokens: number; readonly dollars: number };
  /** Replies of the latest run, up to the last, whose form was wrong. */
  readonly faultsInARow: number;
  /** A call of the latest run changed files. */
  readonly hasChangedFiles: boolean;
  /** Milliseconds of work on the latest run, before it was last resumed. */
  readonly workedMs: number;
  /** When it was started or last resumed (ISO); empty before the first run. */
  readonly workingSince: string;
}

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

export const sumOfCosts = (costs: readonly Cost[]): Cost => ({
  dollars: costs.reduce((sum, { dollars }) => sum + dollars, 0),
  isPartial: costs.some(({ isPartial }) => isPartial),
});
