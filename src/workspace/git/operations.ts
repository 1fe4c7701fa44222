import type { Author } from './write-commit.ts';

/** Where a workspace is, in the world and on the disk; known to both threads. */
export interface GitPlace {
  readonly remoteUrl: string;
  readonly branch: string;
  readonly author: Author;
  /** Outside of `tree`, so that no file tool reaches it. */
  readonly gitdir: string;
  readonly tree: string;
  readonly maxBytes: number;
}

interface CommittedFile {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted';
}

export interface MadeCommit {
  readonly sha: string;
  readonly files: readonly CommittedFile[];
}

/** What the git thread does. The arguments and results cross between threads: plain data. */
export interface GitOperations {
  /** Fetches the commit and checks it out. Answers the paths it holds. */
  clone(request: { readonly commit: string; readonly token: string }): Promise<readonly string[]>;
  /** Commits what the work tree holds beyond the last pushed commit; undefined: nothing. */
  commit(request: {
    readonly message: string;
    readonly at: number;
  }): Promise<MadeCommit | undefined>;
  /** Pushes the commit made last. */
  push(request: { readonly token: string }): Promise<void>;
}

export type GitOperation = keyof GitOperations;

export interface GitCall {
  readonly id: number;
  readonly operation: GitOperation;
  readonly argument: unknown;
}

export type GitAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError };

/** An error on its way between threads, which would lose its class. */
export interface SentError {
  readonly kind: 'person' | 'later' | 'fault';
  readonly message: string;
  /** Stack and causes, for the log. */
  readonly details: string;
  readonly retryAfterMs: number | undefined;
}
