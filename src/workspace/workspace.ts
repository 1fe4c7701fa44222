import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { trackedPaths } from './git/base-tree.ts';
import { withToken, type Credentials } from './git/credentials.ts';
import { WorkspaceFiles } from './files/files.ts';
import type { PathSettings } from './files/repository-paths.ts';
import { withTargets } from './files/steering-targets.ts';
import { GitClient } from './git/client.ts';
import type { GitThreads } from './git/threads.ts';
import { makePlace } from './search/place.ts';
import { WorkspaceSearch } from './search/search.ts';
import type { CommitDone, CommitRequest, Git } from '../contracts/git.ts';
import { CommandWatch } from './command-changes.ts';
import type { StoredChange } from '../contracts/files.ts';
import { removeTree } from './remove-tree.ts';
import { makeTemporaryDirectory } from './temporary-directory.ts';
import type { Author } from './git/write-commit.ts';

const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;
const CLONE_MS = 300_000;
const COMMIT_MS = 120_000;
const PUSH_MS = 120_000;
const LOOK_MS = 60_000;

export interface WorkspaceOptions {
  /** `https://host/owner/name.git`, without credentials. */
  readonly remoteUrl: string;
  readonly credentials: Credentials;
  /** The full SHA of the commit that the work tree starts from: the last one in the journal. */
  readonly baseCommit: string;
  /** The branch to push to, without `refs/heads/`; called at each push. */
  readonly branch: () => string;
  readonly author: Author;
  /** The changes drained since `baseCommit`, in order. */
  readonly changes: readonly StoredChange[];
  /** What the repository's settings allow to be read and written; everything if omitted. */
  readonly paths?: PathSettings | undefined;
  /** Limit in bytes for the download and for the files; 256 MiB if omitted. */
  readonly maxBytes?: number | undefined;
  /** The pool that the git thread of this workspace comes from and returns to. */
  readonly threads: GitThreads;
  /** Aborts all git operations in progress. */
  readonly signal: AbortSignal;
}

export interface Workspace {
  readonly files: WorkspaceFiles;
  readonly search: WorkspaceSearch;
  readonly git: Git;
  readonly commands: {
    /** The absolute path of the work tree. Its parent directory belongs to this workspace alone. */
    readonly directory: string;
    readonly watch: CommandWatch;
  };
  /** Returns the changes since the last drain. Store them with the result of the call that made them. */
  drain(): Promise<StoredChange[]>;
  /** Stops git and removes all files. */
  close(): Promise<void>;
}

/**
 * Clones a commit into a new temporary directory and applies `changes` to it.
 * @throws {TellPerson} if access is denied, or the repository is gone or too large
 * @throws {TryLater} if the connection or the server fails
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { remoteUrl, author, maxBytes = DEFAULT_MAX_BYTES, threads, signal } = options;
  signal.throwIfAborted();
  const directory = await makeTemporaryDirectory();
  const gitdir = join(directory, 'git');
  const tree = join(directory, 'tree');
  await mkdir(tree);
  const place = { remoteUrl, author, gitdir, tree, maxBytes };
  const client = new GitClient(threads.take(), place, signal);
  const close = async (): Promise<void> => {
    const thread = await client.close();
    if (thread !== undefined) await threads.giveBack(thread);
    // Warm a spare thread up only now: while a run starts, it needs the CPU itself.
    threads.warm();
    await removeTree(directory);
  };
  try {
    return await fillWorkspace(options, client, tree, close);
  } catch (error) {
    // If something stays, the next start says so.
    await close().catch(() => undefined);
    throw error;
  }
}

async function fillWorkspace(
  options: WorkspaceOptions,
  client: GitClient,
  tree: string,
  close: () => Promise<void>,
): Promise<Workspace> {
  const { baseCommit, changes, credentials } = options;
  const cloned = await withToken(credentials, 'read', (token) =>
    client.call('clone', { commit: baseCommit, token }, CLONE_MS),
  );
  const { files: paths, submodules } = cloned;
  const allowed = withTargets(tree, paths, options.paths);
  const files = new WorkspaceFiles(tree, trackedPaths(paths), allowed, submodules);
  files.restore(changes);
  const watch = new CommandWatch(client, files);
  const search = new WorkspaceSearch(makePlace(tree, paths, options.paths));
  return {
    files,
    search,
    git: {
      changes: () => client.call('changes', { except: watch.bySetup() }, LOOK_MS),
      diff: (path) => client.call('diff', { path, except: watch.bySetup() }, LOOK_MS),
      commit: async (request) => {
        const asked = { ...request, except: watch.bySetup() };
        const done = await commitAndPush(client, options, asked);
        files.noteCommitted(done?.files ?? []);
        return done;
      },
    },
    commands: { directory: tree, watch },
    drain: async () => {
      const changes = await files.drain();
      watch.drained(changes);
      return changes;
    },
    close,
  };
}

async function commitAndPush(
  client: GitClient,
  { credentials, branch }: WorkspaceOptions,
  { message, at, only, except }: CommitRequest & { readonly except: readonly string[] },
): Promise<CommitDone | undefined> {
  const request = { message, at: at.getTime(), only, except };
  const made = await client.call('commit', request, COMMIT_MS);
  if (made === undefined) return undefined;
  await withToken(credentials, 'write', (token) =>
    client.call('push', { token, branch: branch() }, PUSH_MS),
  );
  return made;
}
