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
