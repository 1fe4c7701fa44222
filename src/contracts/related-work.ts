// What GitHub has around an issue, before work on it begins.

export interface RelatedPull {
  readonly number: number;
  readonly title: string;
  readonly state: 'open' | 'merged' | 'closed';
  /** ISO time; missing if it was not merged. */
  readonly mergedAt?: string;
  /** Login; missing if the account is gone. */
  readonly author?: string;
  /** Its branch is in another repository, where anyone may push. */
  readonly isFromFork: boolean;
  readonly branch: string;
  /** GitHub says that a merge closes the issue. */
  readonly closes: boolean;
  /** It names the issue. */
  readonly mentions: boolean;
  /** Paths that it changes; empty if they were not looked up. */
  readonly paths: readonly string[];
}

export interface RelatedCommit {
  readonly sha: string;
  readonly message: string;
  /** ISO time. */
  readonly at: string;
}

/** Each number once. Bounded: the newest of each kind. */
export interface RelatedWork {
  /** ISO time. */
  readonly openedAt: string;
  /** When the issue was last reopened; missing if it never was. */
  readonly reopenedAt?: string;
  readonly pulls: readonly RelatedPull[];
  /** Branches whose names contain the number of the issue. */
  readonly branches: readonly string[];
  /** Of the default branch, newest first. */
  readonly commits: readonly RelatedCommit[];
}

/**
 * What seems to solve an issue already. `isClear`: someone who may decide that says that it closes the issue.
 * `unproven`: it says so too, but anyone may have written it.
 */
export type Duplicate =
  | {
      readonly kind: 'pull_request';
      readonly number: number;
      readonly state: 'open' | 'merged';
      readonly why: 'closes' | 'unproven' | 'mentions' | 'similar';
      readonly isClear?: true;
    }
  | { readonly kind: 'branch'; readonly name: string }
  | {
      readonly kind: 'commit';
      readonly sha: string;
      readonly why: 'closes' | 'mentions';
      readonly isClear?: true;
    };
