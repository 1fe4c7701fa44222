// Commits that are made through GitHub's API, which signs them.

/** A commit, without who made it and when. */
export interface CommitContent {
  readonly tree: string;
  /** The first is what the branch was at. */
  readonly parents: readonly string[];
  readonly message: string;
}

/** An entry of the tree that is new or gone. */
export interface TreeChange {
  readonly path: string;
  readonly mode: '100644' | '100755' | '120000' | '160000';
  /** `null`: it is deleted. */
  readonly oid: string | null;
  /** What GitHub may not have yet; bytes if it is no text, or much of it. */
  readonly content?: string | Uint8Array;
}

/** A commit for the API. */
export interface CommitToMake extends CommitContent {
  /** The tree of the first parent; `undefined` if that is empty. */
  readonly baseTree: string | undefined;
  /** Groups that follow each other, each as a change of the tree before. */
  readonly changes: readonly (readonly TreeChange[])[];
}

/** A commit that GitHub has. */
export interface MadeCommit extends CommitContent {
  readonly sha: string;
  /** What was signed, and the signature; missing if it has none. */
  readonly signed?: { readonly payload: string; readonly signature: string };
}

/** Why the API does not do something, in GitHub's words. */
export interface NotDone {
  readonly why: 'denied' | 'moved' | 'budget' | 'workflows';
  readonly words: string;
}

export interface VerifiedCommits {
  /** The commit that a branch is at; `undefined` if there is none of that name. */
  head(branch: string): Promise<string | undefined>;
  read(sha: string): Promise<MadeCommit | undefined>;
  /** Makes the commit and moves no branch. Safe to repeat: a commit that no branch has is nobody's. */
  make(commit: CommitToMake): Promise<MadeCommit | NotDone>;
  /**
   * Moves the branch, or creates it; never overwrites anything but `over`, which the commit need not follow. Safe to repeat.
   */
  move(branch: string, sha: string, over?: string): Promise<NotDone | undefined>;
}
