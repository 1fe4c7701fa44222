// What a workspace needs of a git engine. There are two: the program git, and isomorphic-git, which needs nothing installed.
// All else (changes, diffs, commits, pushes) is code of ours on the objects that an engine reads and writes.
import { readBaseTree, type BaseTree } from '../base-tree.ts';
import type { GitObjects } from '../objects.ts';
import type { Fingerprints } from '../work-tree-walk.ts';
import type { CachePlace } from './native/cache-room.ts';

/** Where an engine works. */
export interface EnginePlace {
  /** `https://host/owner/name.git`, without credentials. */
  readonly remoteUrl: string;
  /** Outside of `tree`, so that the file tools cannot access it. */
  readonly gitdir: string;
  /** The work tree: an empty directory, until a commit is checked out. */
  readonly tree: string;
  /** Limit in bytes for a download, and for the files of the work tree. */
  readonly maxBytes: number;
  /** The only directories that the work tree has, see `coneOf`; all if omitted. */
  readonly sparse?: readonly string[] | undefined;
}

export type EngineName = 'native' | 'isomorphic';

/** The same for git, which fetches into the session's own git directory if it has no cache. */
export interface NativeEnginePlace extends EnginePlace {
  readonly cache?: CachePlace | undefined;
}

export interface ChosenEngine extends NativeEnginePlace {
  readonly engine: EngineName;
}

export interface HistoryRequest {
  readonly commits: readonly string[];
  /** In commits; 2³¹ - 1 is git's word for all. */
  readonly depth: number;
  readonly token: string;
}

export interface FetchRequest extends HistoryRequest {
  /** Otherwise GitHub has just made them. */
  readonly isForMerge: boolean;
  /** How long it may take, if git fetches. */
  readonly timeoutMs?: number;
}

/** Contents of files that a sparse clone lacks. */
export interface MissingFiles {
  /** Git's object ids. */
  readonly oids: readonly string[];
  readonly token: string;
  /** Limit in bytes for the download. */
  readonly maxBytes: number;
  /** Whether they are what git reads to merge a commit: what keeps them away is said of that merge. */
  readonly isForMerge?: boolean;
}

/** `gone`: the server does not have one of them any more. */
export type FetchedFiles = 'fetched' | 'too_large' | 'gone';

export interface CloneResult {
  readonly base: BaseTree;
  /** How its files look, if the engine has looked at them all. */
  readonly fingerprints?: Fingerprints | undefined;
  /** Why a spare work tree was not used. */
  readonly rejectedSpare?: string | undefined;
  /** Why the packs of the cached repository could not be joined. */
  readonly unjoinedPacks?: string | undefined;
}

export interface GitEngine {
  /**
   * Fetches one commit without its history, and writes its files with the names that they have, byte for byte. Runs
   * nothing of the repository, and follows no setting of it.
   * @throws {TellPerson} if access is denied, or it is gone or too large; {TryLater} if the connection fails
   */
  clone(request: { readonly commit: string; readonly token: string }): Promise<CloneResult>;
  /**
   * Fetches commits with their history, down to a depth. Throws like `clone`.
   * @throws {MergedCommitGone} {MergeRejected} for a merge: if it is too large, or takes too long
   * @throws {TryLater} otherwise, if the server does not have them yet
   */
  fetch(request: FetchRequest): Promise<void>;
  /**
   * Fetches contents of files of a commit that it has fetched. Throws like `clone`, and for a merge like `fetch`, which is
   * then said of what is gone too.
   */
  fetchMissing(request: MissingFiles): Promise<FetchedFiles>;
  /** Which of these objects a sparse clone lacks; none for other clones. */
  missingObjects(oids: readonly string[]): Promise<readonly string[]>;
  /** The objects of the repository, for one operation: the next one gets them again. */
  readonly objects: GitObjects;
  /** Ends the processes that it keeps between operations; the next operation starts them again. */
  close(): Promise<void>;
}

/** What a commit contains, for an engine that has fetched it. */
export const readBase = (
  { objects }: Pick<GitEngine, 'objects'>,
  commit: string,
  sparse?: readonly string[],
): Promise<BaseTree> => readBaseTree(objects, commit, { sparse });
