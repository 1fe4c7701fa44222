/** A pull request that someone else opened, as it was when work on it was requested. */
export interface AdoptedPullRequest {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  /** Login. */
  readonly author: string;
  /** Its head: the branch that the work goes to, unless that is in a fork. */
  readonly branch: string;
  readonly baseBranch: string;
  /** `owner/name` of the fork that its branch is in; missing if the branch is in this repository. */
  readonly fork?: string;
}

/** Why people are asked before anything is pushed to a branch. */
export type PushConcern =
  | { readonly kind: 'default_branch' | 'protected' }
  | { readonly kind: 'bot'; readonly login: string };

export type MergeMethod = 'merge' | 'squash' | 'rebase';

/** What became of a command to merge a pull request when it is ready, or not to. */
export type MergeAnswer =
  /** GitHub merges it once its rules allow that, or in the turn of its merge queue. */
  | { readonly kind: 'on'; readonly isQueued?: true }
  | { readonly kind: 'off' | 'was_off' | 'merged' }
  /** `details`: what GitHub says. */
  | { readonly kind: 'not_on'; readonly because: MergeObstacle; readonly details?: string };

export type MergeObstacle =
  | 'not_in_settings'
  | 'no_pull_request'
  | 'closed'
  | 'draft'
  | 'late'
  | 'head_moved'
  | 'not_in_repository'
  | 'no_rules'
  | 'ready_now'
  | 'denied';
