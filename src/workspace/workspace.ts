import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { trackedPaths } from './files/walk-tree.ts';
import { reachRemote, type Credentials } from './git/credentials.ts';
import {
  publishOnNewest,
  recoverCommit,
  type NewestBase,
  type PublishingFor,
} from './git/publish/publish.ts';
import { WorkspaceFiles } from './files/files.ts';
import { OutsideDirectories } from './files/outside-directories.ts';
import { withTargets, type PathSettings } from './files/repository-paths.ts';
import { GitClient } from './git/client.ts';
import { FetchingReader } from './git/sparse/outside-reader.ts';
import type { GitSettings } from './git/engines/choose-engine.ts';
import type { CachedPlace } from './git/operations.ts';
import type { GitThreads } from './git/threads.ts';
import { makePlace } from './search/walk.ts';
import { WorkspaceSearch } from './search/search.ts';
import type { CommitDone, CommitRequest, Git, WorkspaceMerge } from '../contracts/git.ts';
import { mergeInto, unresolvedWords, type MergeRequest } from './merging.ts';
import { CommandWatch } from './command-changes.ts';
import type { StoredChange } from '../contracts/files.ts';
import type { CommandRepository } from '../contracts/shell.ts';
import { makeTemporaryDirectory } from './work-directory.ts';
import type { CommitAuthor } from './git/commit.ts';
import { messageOf, TellModel } from '../lib/errors.ts';
import { isWorkflow } from './files/path-policy.ts';
import type { ConsideredChanges } from './files/recorded-changes.ts';

const CLONE_MS = 300_000;
const LOOK_MS = 60_000;

export interface WorkspaceOptions extends CommitOptions {
  /** `https://host/owner/name.git`, without credentials. */
  readonly remoteUrl: string;
  /** The full SHA of the commit that the work tree starts from: the last one in the journal. */
  readonly baseCommit: string;
  readonly author: CommitAuthor;
  /** Other branches whose commits are those that are here, for commands: names, and full SHAs. */
  readonly branches?: Readonly<Record<string, string>> | undefined;
  /** The changes drained since `baseCommit`, in order. */
  readonly changes: readonly StoredChange[];
  /** What is merged before the changes are applied; the next commit has it as its second parent. */
  readonly merge?: MergeRequest | undefined;
  /** What the repository's settings allow to be read and written; everything if omitted. */
  readonly paths?: PathSettings | undefined;
  /** The only directories of the repository that it has, if git clones it; all if omitted. */
  readonly sparse?: readonly string[] | undefined;
  /** How it is cloned. */
  readonly git: GitSettings;
  /** What was fetched with the tokens of one installation serves no other. */
  readonly installation: number;
  /** They perform the git operations of all workspaces. */
  readonly threads: GitThreads;
  /** Hears what made it slower than it could be. */
  readonly log?: WorkspaceLog | undefined;
  /** Aborts all git operations in progress. */
  readonly signal: AbortSignal;
}

interface RepositoryNeeds {
  /** More of the history than the last commit. */
  readonly readsHistory?: boolean;
}

interface WorkspaceLog {
  warn(facts: object, event: string): void;
}

export interface Workspace {
  readonly files: WorkspaceFiles;
  readonly search: WorkspaceSearch;
  /** Directories of the repository that it does not have, by the setting `sparse`. */
  readonly outside: readonly string[];
  readonly git: Git;
  /** Whether a commit caught up with the base branch, so that the files are not those of the branch: open it again. */
  readonly isOutdated: () => boolean;
  /** What came of the merge that it was to open with. */
  readonly merge: WorkspaceMerge | undefined;
  readonly commands: {
    /** The absolute path of the work tree. Its parent directory belongs to this workspace alone. */
    readonly directory: string;
    readonly watch: CommandWatch;
    /** What commands see of the repository now; `undefined`: nothing, because the workspace has only a part of it. */
    readonly repository: ((needs?: RepositoryNeeds) => Promise<CommandRepository>) | undefined;
  };
  /** The text of a file in the last pushed commit; `undefined` if it has none there, or no text. */
  committed(path: string): Promise<string | undefined>;
  /** Returns the changes since the last drain. Store them with the result of the call that made them. */
  drain(): Promise<StoredChange[]>;
  /** Stops git and removes all files. */
  close(): Promise<void>;
}

/** What commands need of a workspace. */
export type CommandWorkspace = Pick<Workspace, 'files' | 'commands'>;

/**
 * Clones a commit into a new temporary directory and applies `changes` to it.
 * @throws {TellPerson} if access is denied, or the repository is gone or too large
 * @throws {TryLater} if the connection or the server fails
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { remoteUrl, author, git, installation, threads, signal } = options;
  signal.throwIfAborted();
  const directory = await makeTemporaryDirectory(git.workDirectory);
  const gitdir = join(directory, 'git');
  const tree = join(directory, 'tree');
  await mkdir(tree);
  const sparse = git.engine === 'native' ? options.sparse : undefined;
  const cache = git.cache && { ...git.cache, installation };
  const place = { ...git, cache, sparse, remoteUrl, author, gitdir, tree };
  const client = new GitClient(threads, place, signal);
  const close = async (): Promise<void> => {
    await client.close();
    // Warm a thread up only now: while a run starts, it needs the CPU itself.
    threads.warm();
    await threads.remove(directory);
  };
  try {
    const workspace = await fillWorkspace({ ...options, sparse, gitdir, tree }, client, close);
    if (cache !== undefined) void prepareNext({ ...place, cache }, options);
    return workspace;
  } catch (error) {
    // If something stays, the next start says so.
    await close().catch(() => undefined);
    throw error;
  }
}

async function prepareNext(
  place: CachedPlace,
  { threads, baseCommit, remoteUrl, log }: WorkspaceOptions,
): Promise<void> {
  const reason = await threads.prepare(place, baseCommit);
  if (reason !== undefined) log?.warn({ remoteUrl, reason }, 'failed to make a spare work tree');
}

async function fillWorkspace(
  options: WorkspaceOptions & { readonly gitdir: string; readonly tree: string },
  client: GitClient,
  close: () => Promise<void>,
): Promise<Workspace> {
  const { baseCommit, changes, credentials, tree, remoteUrl, log, signal } = options;
  const cloned = await reachRemote({ credentials, access: 'read', signal }, (token) =>
    client.call('clone', { commit: baseCommit, token }, CLONE_MS),
  );
  const { rejectedSpare, unjoinedPacks } = cloned;
  if (rejectedSpare !== undefined)
    log?.warn({ remoteUrl, reason: rejectedSpare }, 'rejected a spare work tree');
  if (unjoinedPacks !== undefined)
    log?.warn({ remoteUrl, reason: unjoinedPacks }, 'failed to join packs in the cache');
  const merged = options.merge && (await mergeInto(client, options, options.merge));
  const { files: paths, submodules, outside } = merged?.cloned ?? cloned;
  const allowed = withTargets(tree, paths, options.paths);
  const unrecorded = async (): Promise<readonly string[]> =>
    (await client.call('changes', watch.considered(), LOOK_MS)).unrecorded;
  const left = new OutsideDirectories(outside, new FetchingReader(client, { credentials, signal }));
  const tracked = trackedPaths(paths);
  const files = new WorkspaceFiles(tree, tracked, allowed, submodules, unrecorded, left);
  files.restore(changes);
  const watch = new CommandWatch(client, files);
  const search = new WorkspaceSearch(makePlace(tree, paths, options.paths), undefined, left);
  const merge = merged?.merge;
  return {
    files,
    search,
    outside,
    merge,
    ...gitOf(client, options, { files, watch, merge }),
    commands: { directory: tree, watch, repository: repositoryOf(client, options) },
    committed: (path) => committedText(client, path),
    drain: async () => {
      const changes = files.changes.drain();
      watch.drained(changes);
      return changes;
    },
    close,
  };
}

function repositoryOf(
  client: GitClient,
  options: WorkspaceOptions & { readonly tree: string },
): Workspace['commands']['repository'] {
  const { tree, sparse, branch, branches = {} } = options;
  if (sparse !== undefined) return undefined;
  const directory = join(dirname(tree), 'repository');
  let isDeepened = false;
  return async ({ readsHistory = false } = {}) => {
    if (readsHistory && !isDeepened) await deepenHistory(client, options);
    isDeepened ||= readsHistory;
    const request = { directory, branch: branch(), branches };
    return client.call('commandRepository', request, LOOK_MS);
  };
}

/** Once for each workspace. A session is not worth less without it. */
async function deepenHistory(
  client: GitClient,
  { credentials, remoteUrl, log }: WorkspaceOptions,
): Promise<void> {
  const { signal } = client;
  try {
    await reachRemote({ credentials, access: 'read', signal }, (token) =>
      client.call('deepenForCommands', { token }, LOOK_MS),
    );
  } catch (error) {
    signal.throwIfAborted();
    log?.warn({ remoteUrl, reason: messageOf(error) }, 'failed to fetch history for commands');
  }
}

async function committedText(client: GitClient, path: string): Promise<string | undefined> {
  const entry = await client.call('outside', { path }, LOOK_MS);
  if (entry.kind !== 'file' || entry.content === undefined) return undefined;
  return Buffer.from(entry.content).toString();
}

function gitOf(
  client: GitClient,
  options: WorkspaceOptions,
  { files, watch, merge }: Pick<Workspace, 'files' | 'merge'> & { readonly watch: CommandWatch },
): Pick<Workspace, 'git' | 'isOutdated'> {
  let base = options.baseCommit;
  let isOutdated = false;
  const published = (done: CommitDone | undefined): CommitDone | undefined => {
    base = done?.sha ?? base;
    isOutdated ||= done?.caughtUp !== undefined;
    files.changes.noteCommitted(done?.files ?? []);
    const inLfs = withDenied(done?.inLfs);
    return done && inLfs.length > 0 ? { ...done, inLfs } : done;
  };
  const withDenied = (found: readonly string[] = []): readonly string[] =>
    [...new Set([...found, ...files.deniedByLfs])].toSorted();
  const git: Git = {
    changes: async () => {
      const made = new Set(files.changes.madeByCommands());
      const { changes } = await client.call('changes', watch.considered(), LOOK_MS);
      return changes.map((each) => (made.has(each.path) ? { ...each, madeByCommand: true } : each));
    },
    inLfs: async () =>
      withDenied((await client.call('changes', watch.considered(), LOOK_MS)).inLfs),
    includeMade: async (paths) => files.changes.includeMade(paths),
    diff: (path) => {
      const { except, recorded } = watch.considered();
      const all = path === '' ? [...except, ...files.changes.madeByCommands()] : except;
      return client.call('diff', { path, recorded, except: all }, LOOK_MS);
    },
    workflowChange: () => client.call('workflowChange', watch.considered(), LOOK_MS),
    commit: async (request) => {
      const all = { ...request, ...watch.considered(), made: files.changes.madeByCommands() };
      return published(await commitAndPublish(client, options, all));
    },
    recover: async () => {
      const { credentials, branch, replaces, publishing, approvedWorkflows } = options;
      const parts = { client, credentials, branch: branch(), publishing: publishing?.('write') };
      const approved = await approvedWorkflows?.();
      const known = { base, replaces: replaces?.() };
      const request = { ...known, approved, decided: merge?.paths, ...watch.considered() };
      return published(await recoverCommit(parts, request));
    },
  };
  return { git, isOutdated: () => isOutdated };
}

const COMMIT_MS = 120_000;

interface CommitOptions {
  readonly credentials: Credentials;
  /** The branch to push to, without `refs/heads/`; called at each push. */
  readonly branch: () => string;
  /** A commit on top of the base that the branch is at, and that the next one takes the place of; called at each push. */
  readonly replaces?: () => string | undefined;
  /** How commits get to GitHub; they are pushed if omitted. */
  readonly publishing?: PublishingFor | undefined;
  /** The digest of the change of workflow files that an administrator approved; asked at each commit. */
  readonly approvedWorkflows?: (() => Promise<string | undefined>) | undefined;
  /** Asked if the server takes a commit only with the workflow files that the base branch has now. */
  readonly newestBase?: NewestBase | undefined;
}

async function commitAndPublish(
  client: GitClient,
  { credentials, branch, replaces, publishing, approvedWorkflows, newestBase }: CommitOptions,
  {
    at,
    unlessUnresolved,
    ...asked
  }: CommitRequest & ConsideredChanges & { readonly made: readonly string[] },
): Promise<CommitDone | undefined> {
  const approved = await approvedWorkflows?.();
  const request = { ...asked, only: asked.only, at: at.getTime(), approved };
  const made = await client.call('commit', request, COMMIT_MS);
  if (made === undefined) return undefined;
  if ('unresolved' in made) {
    if (unlessUnresolved === true) return undefined;
    throw new TellModel(unresolvedWords(made.unresolved));
  }
  const access = made.files.some(({ path }) => isWorkflow(path)) ? 'workflows' : 'write';
  const parts = { client, credentials, branch: branch(), replaces: replaces?.(), access } as const;
  const published = await client.publishing(() =>
    publishOnNewest({ ...parts, publishing: publishing?.(access) }, newestBase),
  );
  const { caughtUp } = published;
  const isNewMerge = made.merges !== undefined && caughtUp?.isMoved === true;
  return { ...made, ...published, ...(isNewMerge ? { merges: caughtUp.onto } : {}) };
}
