import type { Effect } from '../contracts/effect.ts';

/** Why no pull request of ours is what the work begins at. `several`: people have to choose. */
export type NotBased =
  | {
      readonly kind: 'none';
      readonly named: readonly {
        readonly number: number;
        readonly because: 'none' | 'merged' | 'itself';
      }[];
    }
  | { readonly kind: 'several'; readonly pullRequests: readonly number[] };

/** The pull request of ours that another one is based on. */
export interface PullRequestBelow {
  readonly pullRequest: number;
  readonly branch: string;
}

/** The branch that the work goes to, and what a run does to merge it into its own. */
export type MergeEntry =
  /** Before the run is prepared: what people named was looked up. `baseBranch` is that of the pull request below. */
  | {
      readonly type: 'base_chosen';
      readonly run: number;
      readonly named: readonly number[];
      readonly found:
        | NotBased
        | ({ readonly kind: 'based'; readonly baseBranch: string } & PullRequestBelow);
    }
  /** What became of the pull request below. `left`: people gave ours another base. `next`: the one below from now on. */
  | {
      readonly type: 'base_changed';
      readonly pullRequest: number;
      readonly state: 'open' | 'closed' | 'merged' | 'left';
      /** Where ours goes now. */
      readonly baseBranch: string;
      readonly next?: PullRequestBelow;
      /** Why its base could not be changed. */
      readonly problem?: string;
    }
  /** Someone else pushed to the branch during the run, which begins again at their commit. */
  | { readonly type: 'branch_moved'; readonly run: number }
  /** The commits of both, and the base branch. From here on, the workspace has the files of the merge. */
  | {
      readonly type: 'merge_started';
      readonly run: number;
      readonly ours: string;
      readonly theirs: string;
      readonly branch: string;
    }
  /** The tests failed on a merge without conflicts, so the agent gets it, and what they printed. */
  | {
      readonly type: 'merge_failed_tests';
      readonly run: number;
      readonly effects: readonly Effect[];
      readonly output: string;
      /** Fingerprints of the tests that failed before the merge too; missing if none did. */
      readonly before?: readonly string[];
    }
  /** It was pushed without the agent; without a commit among its effects, there was nothing to merge. */
  | { readonly type: 'merge_ended'; readonly run: number; readonly effects: readonly Effect[] };
