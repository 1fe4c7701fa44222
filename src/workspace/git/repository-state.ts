import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { BaseTree } from './base-tree.ts';
import type { GitOperations, GitPlace } from './operations.ts';
import type { WorkTreeState } from './work-tree.ts';
import type { WrittenCommit } from './write-commit.ts';

type MergeRequest = Parameters<GitOperations['merge']>[0];

/** What a git thread knows of a workspace beyond its files. Plain data, which another thread can continue with. */
export interface RepositoryState {
  readonly base: BaseTree | undefined;
  /** What the next commit merges. */
  readonly merge: MergeToCommit | undefined;
  readonly unpushed: Unpublished | undefined;
  readonly workTree: WorkTreeState;
}

export interface MergeToCommit extends Pick<MergeRequest, 'theirs' | 'conflicts'> {
  /** The objects of it that the server lacks. */
  readonly created: readonly string[];
}

export interface Unpublished extends WrittenCommit {
  /** Paths that changed and are not in it. */
  readonly left: readonly string[];
  /** The commit before it caught up with the base branch, and the one of that branch whose files it has. */
  readonly late?: { readonly before: Unpublished; readonly onto: string };
}

const fileOf = ({ gitdir }: GitPlace): string => join(gitdir, 'issuewright-state');

/** Writes it beside the clone. */
export const saveState = (place: GitPlace, state: RepositoryState): void =>
  writeFileSync(fileOf(place), serialize(state), { mode: 0o600 });

/** Only our own threads write the file, as they do the objects of the clone. */
export const readState = (place: GitPlace): RepositoryState =>
  deserialize(readFileSync(fileOf(place))) as RepositoryState;
