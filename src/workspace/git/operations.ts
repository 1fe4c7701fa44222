import { inspect } from 'node:util';
import { messageOf, TellPerson, TryLater } from '../../lib/errors.ts';
import type { FoundChange, CommitDone, FileDiff } from '../../contracts/git.ts';
import { CredentialsDenied } from './credentials.ts';
import type { DetectedChanges, ChangeLimits, RevertRequest } from './command-change-detector.ts';
import type { Author } from './write-commit.ts';

/** Where a workspace's repository is, remotely and on disk; both threads know it. */
export interface GitPlace {
  readonly remoteUrl: string;
  readonly author: Author;
  /** Outside of `tree`, so that the file tools cannot access it. */
  readonly gitdir: string;
  readonly tree: string;
  readonly maxBytes: number;
}

export interface ClonedPaths {
  readonly files: readonly string[];
  readonly submodules: readonly string[];
}

interface Except {
  /** Paths that count as unchanged. */
  readonly except: readonly string[];
}

/** The operations of the git thread. Arguments and results cross threads, so they are plain data. */
export interface GitOperations {
  /** Fetches a commit and checks it out. Returns the paths it contains. */
  clone(request: { readonly commit: string; readonly token: string }): Promise<ClonedPaths>;
  /** The changes of the work tree since the last pushed commit, sorted by path. */
  changes(request: Except): Promise<readonly FoundChange[]>;
  /** Their diff: of one file, of all files below a directory, or of all files if `path` is empty. */
  diff(request: { readonly path: string } & Except): Promise<readonly FileDiff[]>;
  /** Commits the changes, or only those in `only`. Returns `undefined` if there are none. */
  commit(
    request: {
      readonly message: string;
      readonly at: number;
      readonly only: readonly string[] | undefined;
    } & Except,
  ): Promise<CommitDone | undefined>;
  /** Records the current files as the baseline for the next `look`. */
  remember(request: undefined): Promise<void>;
  /** Returns what a command has changed since the baseline, and makes the current state the new one. */
  look(request: ChangeLimits): Promise<DetectedChanges>;
  /**
   * Restores files that a command changed to their state in the base commit: the given paths, all files
   * of a name, or all. The caller then reapplies the changes made before the command.
   */
  revert(request: RevertRequest): Promise<void>;
  /** Pushes the last commit to a branch, named without `refs/heads/`. */
  push(request: { readonly token: string; readonly branch: string }): Promise<void>;
}

export type GitOperation = keyof GitOperations;

export interface GitCall {
  readonly id: number;
  readonly operation: GitOperation;
  readonly argument: unknown;
}

/** The `workerData` of a git thread. */
export interface GitThreadData {
  /** A thread that uses more bytes than this when its workspace closes ends itself. */
  readonly mostKeptBytes: number;
}

/** Tells a thread that its workspace has closed. It replies the same once it is ready for another one. */
export const LEAVE = 'leave';

export type GitAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: SentError };

/** An error as sent between threads, which would otherwise lose its class. */
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
