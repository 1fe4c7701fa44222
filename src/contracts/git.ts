// The git of a workspace, and the commits that GitHub makes for it.

export interface FoundChange {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted';
}

/** As far as a workspace knows. */
export interface WorkspaceChange extends FoundChange {
  /** Git does not track it, only commands made it, and no call named it: commits leave it out. */
  readonly madeByCommand?: true;
}

export interface CommitRequest {
  readonly message: string;
  /** The commit's author and committer date: fixed by the caller, so that a repeat is the same commit. */
  readonly at: Date;
  /** The paths to commit; all changes if omitted. A merge is committed as a whole, whatever is named. */
  readonly only?: readonly string[] | undefined;
  /** Of a merge: conflicts without markers that are decided as the files are. */
  readonly decided?: readonly string[] | undefined;
  /** The merge alone, without what was changed on top of it. */
  readonly mergeAlone?: true;
  /** Its message tells CI to skip it. */
  readonly skipsChecks?: true;
  /** Does nothing while a merge has unresolved conflicts, or tests that fail. */
  readonly unlessUnresolved?: true;
}

export interface CommitDone {
  readonly sha: string;
  /** Its message, if it was found on the branch, see `recover`. */
  readonly message?: string;
  readonly files: readonly FoundChange[];
  /** Paths that changed and were left out. */
  readonly left: readonly string[];
  /** Those of `left` that only commands made. */
  readonly made?: readonly string[];
  /** What no commit takes: links that lead out, nested repositories, pipes and the like, and what no tool or command is known to have changed. */
  readonly withheld?: readonly string[];
  /** What changed, or was to be changed, and Git LFS would have to store first. */
  readonly inLfs?: readonly string[];
  /** Workflow files that changed and are left out until an administrator approves the change. */
  readonly unapproved?: readonly string[];
  /** The commit that it merges, as its second parent. */
  readonly merges?: string;
  /** Workflow files had changed on the base branch meanwhile, so it was made for what that branch is now. */
  readonly caughtUp?: CaughtUp;
}

/** What a commit is to be made for, if the server takes it no other way. */
export interface CatchUpRequest {
  /** The commit that the base branch is at now. */
  readonly onto: string;
  /** The commit is the first of its branch: its parent may be another one. */
  readonly isFirst: boolean;
}

/** How a commit differs from the one that was to be published, so that the workspace is not like it. */
export interface CaughtUp {
  /** The commit of the base branch whose files it has. */
  readonly onto: string;
  /** It is on top of that commit, or merges it; otherwise it has only its workflow files. */
  readonly isMoved: boolean;
  /** How many files differ from those of the workspace. */
  readonly files: number;
}

/** How one file differs from what it was. */
export interface FileDiff {
  readonly path: string;
  readonly status: FoundChange['status'] | 'renamed';
  /** Where a renamed file was. */
  readonly from?: string;
  /** As git writes them, such as `100644`, if they are known. */
  readonly oldMode?: string;
  readonly newMode?: string;
  /** The hunks of a unified diff; missing if there is a reason not to show them. */
  readonly hunks?: string;
  readonly why?: 'binary' | 'too much' | 'not shown' | 'closed';
}

export interface CommitInShort {
  readonly sha: string;
  readonly author: string;
  readonly subject: string;
}

/** What one side did to a file since the two parted. */
export interface ConflictSide {
  readonly did: 'changed' | 'added' | 'deleted' | 'nothing';
  /** The hunks of a unified diff, cut if it is long; empty for a binary file or a submodule. */
  readonly hunks: string;
  /** Newest first. */
  readonly commits: readonly CommitInShort[];
}

/** A path at which git could not merge two sides. */
export interface MergeConflict {
  readonly path: string;
  readonly ours: ConflictSide;
  readonly theirs: ConflictSide;
  /** The file has markers; without them a side has to be chosen. */
  readonly hasMarkers: boolean;
  /** It is a submodule. */
  readonly isSubmodule: boolean;
}

/** The merge that a workspace was opened with. */
export interface WorkspaceMerge {
  /** The commit that is merged into the branch, and its branch. */
  readonly theirs: string;
  readonly branch: string;
  /** `contained`: there was nothing to merge. */
  readonly result: 'contained' | 'clean' | 'conflicts';
  /** The first of them, with what the sides did. */
  readonly conflicts: readonly MergeConflict[];
  /** Of all conflicts, by path. */
  readonly paths: readonly string[];
  /** What git says of them. */
  readonly messages: readonly string[];
}

/** The changes of workflow files that no commit has. */
export interface WorkflowChange {
  /** Equal for exactly this change. */
  readonly digest: string;
  readonly files: readonly FileDiff[];
}

export interface Git {
  /** What differs from the last commit, by path; without what .gitignore leaves out. */
  changes(): Promise<readonly WorkspaceChange[]>;
  /** What differs and no commit takes, because Git LFS would have to store it first; also what a tool was to write and did not. */
  inLfs(): Promise<readonly string[]>;
  /** From now on commits take these files too, though only commands made them. */
  includeMade(paths: readonly string[]): Promise<void>;
  /** The same line by line: of a file, of all below a directory; for an empty path of everything that a commit takes. */
  diff(path: string): Promise<readonly FileDiff[]>;
  /** What commits leave out until an administrator approves it; `undefined`: nothing. */
  workflowChange(): Promise<WorkflowChange | undefined>;
  /**
   * Commits what changed in the workspace and pushes it to the session's branch. Safe to repeat.
   * `undefined`: there was nothing to commit.
   * @throws {TellModel} while a merge has unresolved conflicts, or tests that fail
   * @throws {TellPerson} if the push is denied, with the server's reason
   */
  commit(request: CommitRequest): Promise<CommitDone | undefined>;
  /**
   * The commit of a call that was cut off after it was published: the branch is at it, and it has nothing but changes of
   * the workspace. The workspace continues there. `undefined`: there is none. Safe to repeat.
   */
  recover(): Promise<CommitDone | undefined>;
}

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
