// The git of a workspace.

export interface FoundChange {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted';
}

export interface CommitRequest {
  readonly message: string;
  /** The commit's author and committer date: fixed by the caller, so that a repeat is the same commit. */
  readonly at: Date;
  /** The paths to commit; all changes if omitted. */
  readonly only?: readonly string[] | undefined;
}

export interface CommitDone {
  readonly sha: string;
  readonly files: readonly FoundChange[];
  /** Paths that changed and were left out. */
  readonly left: readonly string[];
  /** What no commit takes: links that lead out, nested repositories, names that are not UTF-8, pipes and the like. */
  readonly withheld?: readonly string[];
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

export interface Git {
  /** What differs from the last commit, by path; without what .gitignore leaves out. */
  changes(): Promise<readonly FoundChange[]>;
  /** The same line by line: of a file, of all below a directory, of everything for an empty path. */
  diff(path: string): Promise<readonly FileDiff[]>;
  /**
   * Commits what changed in the workspace and pushes it to the session's branch. Safe to repeat.
   * `undefined`: there was nothing to commit.
   * @throws {TellPerson} if the push is denied, with the server's reason
   */
  commit(request: CommitRequest): Promise<CommitDone | undefined>;
}
