import { inspect } from 'node:util';
import type { Worker } from 'node:worker_threads';
import {
  MergedCommitGone,
  MergeRejected,
  messageOf,
  TellPerson,
  TryLater,
} from '../../lib/errors.ts';
import type {
  CatchUpRequest,
  CaughtUp,
  FoundChange,
  CommitDone,
  CommitRequest,
  FileDiff,
  WorkflowChange,
  CommitContent,
  CommitToMake,
  MadeCommit,
} from '../../contracts/git.ts';
import { explainShortage, shortagePrinted } from '../../lib/reason.ts';
import type { ApiLimits } from './publish/commit-changes.ts';
import type { ChosenEngine, CloneResult, FetchedFiles, MissingFiles } from './engines/engine.ts';
import { CredentialsDenied } from './credentials.ts';
import { GitFailed } from './engines/native/native-git.ts';
import { BranchMoved, SignaturesRequired, WorkflowsDenied } from './publish/push.ts';
import type { FoundChanges, CommitAuthor } from './commit.ts';
import type { DetectedChanges, LookRequest, RevertRequest } from './work-tree.ts';
import type { TreeConflict } from './merge/three-way-merge.ts';
import type { UnresolvedFile } from './merge/open-merge.ts';
import type { OutsideEntry } from './base-tree.ts';
import type { ConsideredChanges } from '../files/recorded-changes.ts';
import type { CommandRepository } from '../../contracts/shell.ts';
import type { CommandRepositoryRequest } from './command-repository.ts';

/** Where a workspace's repository is, remotely and on disk, and what works on it; both threads know it. */
export interface GitPlace extends ChosenEngine {
  readonly author: CommitAuthor;
}

export interface CachedPlace extends GitPlace {
  readonly cache: NonNullable<GitPlace['cache']>;
}

export interface ClonedPaths {
  readonly files: readonly string[];
  readonly submodules: readonly string[];
  /** Directories that a sparse work tree does not have. */
  readonly outside: readonly string[];
}

/** The operations of the git thread. Arguments and results cross threads, so they are plain data. */
export interface GitOperations {
  /** Fetches a commit and checks it out. Returns the paths it contains, and what failed beside that. */
  clone(request: {
    readonly commit: string;
    readonly token: string;
  }): Promise<ClonedPaths & Pick<CloneResult, 'rejectedSpare' | 'unjoinedPacks'>>;
  /** What the last pushed commit has at a path, whether the work tree has it or not. */
  outside(request: { readonly path: string }): Promise<OutsideEntry>;
  /** Fetches contents of files. */
  fetchMissing(request: MissingFiles): Promise<FetchedFiles>;
  /** Fetches commits with their history, down to a depth, to merge them; of a sparse clone, without files. */
  deepen(request: {
    readonly commits: readonly string[];
    readonly depth: number;
    readonly token: string;
  }): Promise<void>;
  /** Fetches a commit that GitHub made, without its history. */
  fetchMade(request: { readonly commit: string; readonly token: string }): Promise<void>;
  /** Puts the tree of a merge into the work tree; the next commit is the merge. Returns the paths of the tree. */
  merge(request: {
    readonly tree: string;
    readonly theirs: string;
    readonly conflicts: readonly TreeConflict[];
  }): Promise<ClonedPaths>;
  /** What differs from the last pushed commit. */
  changes(
    request: ConsideredChanges,
  ): Promise<
    Pick<FoundChanges, 'unrecorded' | 'inLfs'> & { readonly changes: readonly FoundChange[] }
  >;
  /** Their diff: of one file, of all files below a directory, or of all files if `path` is empty. */
  diff(request: { readonly path: string } & ConsideredChanges): Promise<readonly FileDiff[]>;
  /**
   * Commits the changes, or only those in `only`. Returns `undefined` if there are none. A merge is committed even
   * then, and not while something of it is unresolved.
   */
  commit(
    request: {
      readonly message: string;
      readonly at: number;
      readonly only: readonly string[] | undefined;
      /** Paths that it leaves out. */
      readonly made?: readonly string[];
      /** The digest of the change of workflow files that it may take. */
      readonly approved?: string | undefined;
    } & Pick<CommitRequest, 'decided' | 'mergeAlone'> &
      ConsideredChanges,
  ): Promise<CommitDone | { readonly unresolved: readonly UnresolvedFile[] } | undefined>;
  /** The changes of workflow files. */
  workflowChange(request: ConsideredChanges): Promise<WorkflowChange | undefined>;
  /** Fetches some history of the last pushed commit, if that is quick. */
  deepenForCommands(request: { readonly token: string }): Promise<void>;
  /** What commands see of the repository, as of the last pushed commit. */
  commandRepository(request: CommandRepositoryRequest): Promise<CommandRepository>;
  /**
   * Call before a command. Returns when it begins, by the clock of the files. `changed`: what counts as changed, if anything but
   * a command has changed files since the last `look`, which the next one is compared with.
   */
  begin(request: { readonly changed?: ConsideredChanges | undefined }): Promise<bigint>;
  /** Returns what a command has changed. The next one is compared with the current files. */
  look(request: LookRequest): Promise<DetectedChanges>;
  /**
   * Restores files that a command changed to their state in the base commit: the given paths, all files
   * of a name, or all. The caller then reapplies the changes made before the command.
   */
  revert(request: RevertRequest): Promise<void>;
  /** The paths at which a tree differs from that of the last pushed commit, or of the merge. */
  differing(request: { readonly tree: string }): Promise<readonly string[]>;
  /** The last commit, which is not published yet. */
  lastCommit(request: undefined): Promise<CommitContent & { readonly sha: string }>;
  /** The same for GitHub's API, or a sentence that says why that cannot make it. */
  commitToMake(limits: ApiLimits): Promise<CommitToMake | string>;
  /**
   * Makes the last commit again for what the base branch is now; the work tree stays as it is. `undefined`: that would change
   * nothing of its workflow files.
   */
  catchUp(request: CatchUpRequest & { readonly token: string }): Promise<CaughtUp | undefined>;
  /** Makes the last commit again with this one in the place of its first parent. */
  moveOnto(request: { readonly commit: string; readonly token: string }): Promise<void>;
  /** Takes what GitHub made of the last commit in its place: it has the same files. */
  adopt(request: { readonly commit: MadeCommit; readonly token: string }): Promise<void>;
  /**
   * Pushes the last commit to a branch, named without `refs/heads/`, that is at its parent, or at `replaces`. `unsigned`: why
   * it has no signature, for people.
   */
  push(request: {
    readonly token: string;
    readonly branch: string;
    readonly replaces?: string | undefined;
    readonly unsigned: string | undefined;
  }): Promise<void>;
}

export type GitOperation = keyof GitOperations;
export type OperationRequest<K extends GitOperation> = Parameters<GitOperations[K]>[0];

export interface GitCall {
  readonly operation: GitOperation;
  readonly argument: unknown;
}

/** The `workerData` of a git thread. */
export interface GitThreadData {
  /** A thread that uses more bytes than this when it leaves a workspace does not stay. */
  readonly mostKeptBytes: number;
}

/** What a git thread receives. It answers calls and removals with `GitAnswer`, and that it is to leave with `Left`. */
export type GitMessage =
  | GitCall
  /** The calls that follow are for this workspace; `resumes`: another thread has saved what is known of it. */
  | { readonly enter: GitPlace; readonly resumes: boolean }
  /** `saves`: the workspace has more calls to come. */
  | { readonly leave: true; readonly saves: boolean }
  /** Removes a directory, whichever workspace it belongs to. */
  | { readonly remove: string }
  /** Makes a spare work tree of a commit for the next workspace of this place. */
  | { readonly prepare: CachedPlace; readonly commit: string }
  /** The processes of the workspace are to end. It answers `CANCELLED` once they have. */
  | { readonly cancel: true };

export const CANCELLED = 'cancelled';

export interface SaveResult {
  readonly isSaved: boolean;
  /** Why it could not be. */
  readonly failure?: SentError;
}

export interface LeaveResult extends SaveResult {
  /** Whether the thread is small enough to serve another workspace. */
  readonly mayStay: boolean;
}

export type GitAnswer = { readonly result: unknown } | { readonly error: SentError };

/** Errors that keep their class between threads. Of two that fit, the first counts. */
const KEPT_CLASSES = {
  credentials: CredentialsDenied,
  unsigned: SignaturesRequired,
  workflows: WorkflowsDenied,
  merge_rejected: MergeRejected,
  merged_commit_gone: MergedCommitGone,
  moved: BranchMoved,
  person: TellPerson,
  later: TryLater,
};

/** An error as sent between threads, which would otherwise lose its class. */
export interface SentError {
  readonly kind: keyof typeof KEPT_CLASSES | 'fault';
  readonly message: string;
  /** Stack and causes, for the log. */
  readonly details: string;
  readonly retryAfterMs: number | undefined;
}

export function packError(thrown: unknown): SentError {
  const error = explainShortage(thrown instanceof GitFailed ? gitFailed(thrown) : thrown);
  const kinds = Object.keys(KEPT_CLASSES) as (keyof typeof KEPT_CLASSES)[];
  return {
    kind: kinds.find((kind) => error instanceof KEPT_CLASSES[kind]) ?? 'fault',
    message: messageOf(error),
    details: inspect(error),
    retryAfterMs: error instanceof TryLater ? error.retryAfterMs : undefined,
  };
}

/** What git prints may have paths of this machine, so people do not read it. */
const gitFailed = (failure: GitFailed): TryLater =>
  new TryLater(
    shortagePrinted(failure.message) ??
      'git failed on the machine of Issuewright. Its operator can find why in the service log',
    { cause: failure },
  );

export const unpackError = ({ kind, message, details, retryAfterMs }: SentError): Error =>
  kind === 'fault'
    ? new Error(`git failed: ${message}`, { cause: details })
    : new KEPT_CLASSES[kind](message, { cause: details, retryAfterMs });

/** Sends a message. Resolves with the answer, and rejects if the thread ends, or with the reason of the signal. */
export async function askThread<Answer>(
  thread: Worker,
  message: GitMessage,
  signal: AbortSignal,
  isAnswer: (heard: unknown) => boolean = () => true,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const onAbort = (): void => reject(signal.reason as Error);
  const onExit = (): void => reject(new Error('it has ended'));
  const onMessage = (heard: unknown): void => {
    if (isAnswer(heard)) resolve(heard);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  thread.on('message', onMessage).on('error', reject).on('exit', onExit);
  try {
    if (signal.aborted) onAbort();
    else thread.postMessage(message);
    // The thread answers each message as `GitMessage` says.
    return (await promise) as Answer;
  } finally {
    signal.removeEventListener('abort', onAbort);
    thread.off('message', onMessage).off('error', reject).off('exit', onExit);
  }
}
