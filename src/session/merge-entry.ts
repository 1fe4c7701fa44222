import type { Effect } from '../contracts/effect.ts';

/** What a run does to merge the base branch into its branch. */
export type MergeEntry =
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
    }
  /** It was pushed without the agent; without a commit among its effects, there was nothing to merge. */
  | { readonly type: 'merge_ended'; readonly run: number; readonly effects: readonly Effect[] };
