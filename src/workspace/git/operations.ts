import { inspect } from 'node:util';
import { messageOf, TellPerson, TryLater } from '../../lib/errors.ts';
import type { FoundChange, CommitDone, FileDiff } from '../../contracts/git.ts';
import { CredentialsDenied } from './credentials.ts';
import type { DetectedChanges, ChangeLimits, RevertRequest } from './command-change-detector.ts';
import type { Author } from './write-commit.ts';

/** Where a workspace is, in the world and on the disk; known to both threads. */
export interface GitPlace {
  readonly remoteUrl: string;
  readonly author: Author;
  /** Outside of `tree`, so that no file tool reaches it. */
  readonly gitdir: string;
  readonly tree: string;
  readonly maxBytes: number;
}

/** What the git thread does. The arguments and results cross between threads: plain data. */
export interface GitOperations {
  /** Fetches the commit and checks it out. Answers the paths it holds. */
  clone(request: { readonly commit: string; readonly token: string }): Promise<readonly string[]>;
  /** What the work tree holds beyond the last pushed commit, by path. */
  changes(request: undefined): Promise<readonly FoundChange[]>;
  /** The same line by line: of one file, of all below a directory, or of all where `path` is empty. */
  diff(request: { readonly path: string }): Promise<readonly FileDiff[]>;
  /** Commits the changes, those of `only` where it is given; undefined: there are none. */
  commit(request: {
    readonly message: string;
    readonly at: number;
    readonly only: readonly string[] | undefined;
  }): Promise<CommitDone | undefined>;
  /** What the files look like now is how a command finds them. */
  remember(request: undefined): Promise<void>;
  /** What a command changed since, by path; from now on the next one is looked for. */
  look(request: ChangeLimits): Promise<DetectedChanges>;
  /**
   * Makes what a command changed as the last commit has it: those paths, all of a name, or all. What
   * was changed before it has to be put there again.
   */
  revert(request: RevertRequest): Promise<void>;
  /** Pushes the commit made last to a branch, named without `refs/heads/`. */
  push(request: { readonly token: string; readonly branch: string }): Promise<void>;
}

export type GitOperation = keyof GitOperations;

export interface GitCall {
  readonly id: number;
  readonly operation: GitOperation;
  readonly argument: unknown;
}

/** What a git thread is started with. */
export interface GitThreadData {
  /** Bytes; one that has more when a workspace is done with it ends. */
  readonly mostKeptBytes: number;
}

/** Ends a workspace's time with a thread: it says the same when it has forgotten that place. */
export const LEAVE = 'leave';

export type GitAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError };

/** An error on its way between threads, which would lose its class. */
export interface SentError {
  readonly kind: 'person' | 'credentials' | 'later' | 'fault';
  readonly message: string;
  /** Stack and causes, for the log. */
  readonly details: string;
  readonly retryAfterMs: number | undefined;
}

export function packError(error: unknown): SentError {
  return {
    kind: kindOf(error),
    message: messageOf(error),
    details: inspect(error),
    retryAfterMs: error instanceof TryLater ? error.retryAfterMs : undefined,
  };
}

function kindOf(error: unknown): SentError['kind'] {
  if (error instanceof CredentialsDenied) return 'credentials';
  if (error instanceof TellPerson) return 'person';
  return error instanceof TryLater ? 'later' : 'fault';
}

export function unpackError({ kind, message, details, retryAfterMs }: SentError): Error {
  if (kind === 'person') return new TellPerson(message, { cause: details });
  if (kind === 'credentials') return new CredentialsDenied(message, { cause: details });
  if (kind === 'later') return new TryLater(message, { cause: details, retryAfterMs });
  return new Error(`git failed: ${message}`, { cause: details });
}
