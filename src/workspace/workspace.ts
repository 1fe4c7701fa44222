import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { trackedPaths } from './git/base-tree.ts';
import type { Credentials } from './git/credentials.ts';
import { WorkspaceFiles } from './files/files.ts';
import { GitClient } from './git/client.ts';
import type { MadeCommit } from './git/operations.ts';
import type { StoredChange } from './stored-change.ts';
import { makeTemporaryDirectory } from './temporary-directory.ts';
import type { Author } from './git/write-commit.ts';

const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;
const CLONE_MS = 300_000;
const COMMIT_MS = 120_000;
const PUSH_MS = 120_000;

export interface WorkspaceOptions {
  /** `https://host/owner/name.git`, without credentials. */
  readonly remoteUrl: string;
  readonly credentials: Credentials;
  /** The commit that the work tree starts from, by its full name: the last one journaled. */
  readonly baseCommit: string;
  /** Where commits are pushed to, without `refs/heads/`. */
  readonly branch: string;
  readonly author: Author;
  /** What was drained since `baseCommit`, in order. */
  readonly changes: readonly StoredChange[];
  /** Bytes of the download, and of the files; 256 MiB where not given. */
  readonly maxBytes?: number | undefined;
  /** Ends all git that is under way. */
  readonly signal: AbortSignal;
}

interface CommitRequest {
  readonly message: string;
  readonly at: Date;
}

export interface Workspace {
  readonly files: WorkspaceFiles;
  readonly git: { commit(request: CommitRequest): Promise<MadeCommit | undefined> };
  /** What changed since the last drain: to be stored with the result of the call that did it. */
  drain(): Promise<StoredChange[]>;
  /** Ends git and removes all files. */
  close(): Promise<void>;
}

/**
 * Clones a commit into a temporary directory of its own and brings it to where `changes` left it.
 * @throws {TellPerson} the repository refuses, is gone, or is too large
 * @throws {TryLater} no connection, or a fault on its side
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { remoteUrl, branch, author, maxBytes = DEFAULT_MAX_BYTES, signal } = options;
  signal.throwIfAborted();
  const directory = await makeTemporaryDirectory();
  const gitdir = join(directory, 'git');
  const tree = join(directory, 'tree');
  await mkdir(tree);
  const client = new GitClient({ remoteUrl, branch, author, gitdir, tree, maxBytes }, signal);
  const close = async (): Promise<void> => {
    await client.close();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    return await fillWorkspace(options, client, tree, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function fillWorkspace(
  { baseCommit, changes, credentials }: WorkspaceOptions,
  client: GitClient,
  tree: string,
  close: () => Promise<void>,
): Promise<Workspace> {
  const token = await credentials('read');
  const paths = await client.call('clone', { commit: baseCommit, token }, CLONE_MS);
  const files = new WorkspaceFiles(tree, trackedPaths(paths));
  files.restore(changes);
  return {
    files,
    git: { commit: (request) => commitAndPush(client, credentials, request) },
    drain: () => files.drain(),
    close,
  };
}

async function commitAndPush(
  client: GitClient,
  credentials: Credentials,
  { message, at }: CommitRequest,
): Promise<MadeCommit | undefined> {
  const made = await client.call('commit', { message, at: at.getTime() }, COMMIT_MS);
  if (made !== undefined) await client.call('push', { token: await credentials('write') }, PUSH_MS);
  return made;
}
