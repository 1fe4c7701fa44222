// What the tools need of the outside. Each interface is met structurally elsewhere (workspace/,
// github/) and wired in main.ts. Paths are relative to the repository's root, with `/`.

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  /** Bytes; 0 for anything but a file. */
  readonly size: number;
}

/** Contained file access. Every method throws `TellModel` for a path it refuses or cannot find. */
export interface Files {
  read(path: string): Promise<Uint8Array>;
  /** Creates missing directories; replaces the file whole. Answers whether one was there. */
  write(path: string, content: Uint8Array): Promise<{ readonly replaced: boolean }>;
  list(path: string): Promise<readonly DirectoryEntry[]>;
  /** Every regular file below `path` that .gitignore does not exclude, sorted by path. */
  find(path: string): Promise<readonly string[]>;
}

export interface CommitRequest {
  readonly message: string;
  /** The commit's author and committer date: fixed by the caller, so that a repeat is the same commit. */
  readonly at: Date;
}

export interface CommitDone {
  readonly sha: string;
  readonly files: readonly {
    readonly path: string;
    readonly status: 'added' | 'modified' | 'deleted';
  }[];
}

export interface Git {
  /**
   * Commits all that changed in the workspace and pushes it to the session's branch. Safe to
   * repeat. `undefined`: nothing had changed.
   * @throws {TellPerson} when the push is refused, with the server's reason
   */
  commit(request: CommitRequest): Promise<CommitDone | undefined>;
}

export interface OpenedPullRequest {
  readonly number: number;
  readonly url: string;
}

export interface Forge {
  /** Opens the session's pull request, or finds it where it is open already. Safe to repeat. */
  openPullRequest(request: {
    readonly title: string;
    readonly body: string;
  }): Promise<OpenedPullRequest>;
  /** Takes the pull request out of draft. Safe to repeat. */
  markReady(number: number): Promise<void>;
}

export interface Ports {
  readonly files: Files;
  readonly git: Git;
  readonly forge: Forge;
  /** What the session has already: read by the flow tools. */
  readonly work: Work;
}

/** The session's published work so far. */
export interface Work {
  /** Whether the session's branch holds a commit of ours. */
  hasCommits(): boolean;
  openPullRequest(): OpenedPullRequest | undefined;
}
