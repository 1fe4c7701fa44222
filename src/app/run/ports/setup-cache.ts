// What `setup` installs, from the cache: installed once in a clone of its own, where nobody has worked, and copied into the
// workspaces that have the same lock files. What happens in a workspace never gets into the cache.
import { createHash } from 'node:crypto';
import { messageOf, TellModel, unless } from '../../../lib/errors.ts';
import { withoutUndefined } from '../../../lib/without-undefined.ts';
import type { DependencyUse } from '../../../contracts/effect.ts';
import type { CommandDone, CommandRequest } from '../../../contracts/shell.ts';
import * as why from '../../../session/texts/setup-cache.ts';
import {
  DependencyCache,
  fingerprintTree,
  isInHome,
  type DependencyCacheEntry,
} from '../../../workspace/dependencies/dependency-cache.ts';
import { resolveRemote } from '../../../workspace/git/remote.ts';
import type { Workspace, CommandWorkspace } from '../../../workspace/workspace.ts';
import type { CommandHomes, Shells } from '../../service/shells.ts';
import type { RunPlan } from '../plan/plan.ts';
import type { RunScope } from '../../service/service.ts';
import { workspaceFor } from '../workspace.ts';
import type { FileReader } from '../../../contracts/files.ts';
import type { CommandSettings } from '../../../tools/define-tool.ts';

type SetupRequest = Pick<CommandRequest, 'signal' | 'onOutput'>;
type RanSetup = readonly { readonly command: string; readonly done: CommandDone }[];

interface PreparedDependencies {
  readonly use: DependencyUse;
  /** What ran in the other clone. */
  readonly ran: RanSetup;
}

interface DependencyScope {
  readonly scope: RunScope;
  readonly plan: RunPlan;
  readonly cache: NonNullable<RunPlan['cache']>;
  readonly shells: Shells;
  readonly keeping: CommandHomes;
  readonly store: DependencyCache;
}

/** The dependencies of one workspace; `undefined` if the settings ask for no cache. */
export function dependenciesFor(
  scope: RunScope,
  plan: RunPlan,
  workspace: CommandWorkspace,
): WorkspaceDependencies | undefined {
  const { cache, shells } = plan;
  const { git } = scope.service;
  const { thread } = scope.tracker.session;
  if (cache === undefined || shells === undefined || thread.folder !== undefined) return undefined;
  const { keeping } = shells;
  if (keeping === undefined || git.cache === undefined)
    return {
      keyFiles: cache.key,
      take: () => Promise.resolve(unused(keeping ? why.NO_CACHE : why.NOT_CONTAINED)),
    };
  const place = { ...git.cache, installation: thread.installation };
  const store = new DependencyCache(place, scope.github.gitUrl, scope.signal);
  return new CachedDependencies({ scope, plan, cache, shells, keeping, store }, workspace);
}

export interface WorkspaceDependencies {
  /** Paths of the files that decide what is installed. */
  readonly keyFiles: readonly string[];
  /**
   * Call before anything runs in the workspace. Puts what `setup` installs there, if it is kept or can be kept now. Whatever
   * fails, `setup` can do the same. @throws the signal's reason
   */
  take(asked: SetupRequest): Promise<PreparedDependencies>;
}

const unused = (reason: string, durationMs = 0): PreparedDependencies => ({
  use: { type: 'dependencies', cache: 'unused', paths: [], isAll: false, reason, durationMs },
  ran: [],
});

class CachedDependencies implements WorkspaceDependencies {
  readonly #parts: DependencyScope;
  readonly #workspace: CommandWorkspace;

  constructor(parts: DependencyScope, workspace: CommandWorkspace) {
    this.#parts = parts;
    this.#workspace = workspace;
  }

  get keyFiles(): readonly string[] {
    return this.#parts.cache.key;
  }

  async take(asked: SetupRequest): Promise<PreparedDependencies> {
    const begun = performance.now();
    const took = (): number => Math.round(performance.now() - begun);
    try {
      const taken = await this.#take(asked);
      if (typeof taken === 'string') return unused(taken, took());
      return { ...taken, use: { ...taken.use, durationMs: took() } };
    } catch (error) {
      asked.signal.throwIfAborted();
      const { scope } = this.#parts;
      scope.service.log.warn(
        { session: scope.tracker.id, reason: messageOf(error) },
        'failed to use the cache of dependencies',
      );
      return unused(why.FAILED, took());
    }
  }

  /** Or why not. */
  async #take(asked: SetupRequest): Promise<PreparedDependencies | string> {
    const { store, keeping } = this.#parts;
    const { files, commands } = this.#workspace;
    const key = await this.#keyOf(files);
    if ('missing' in key) return why.noKeyFile(key.missing);
    const known = await store.find(key.digest);
    const filled = known === undefined ? await this.#fillAlone(key.digest, asked) : undefined;
    const { found = known, ran = [] } = filled ?? {};
    if (typeof filled?.reason === 'string') return filled.reason;
    if (found === undefined) return why.BUSY;
    if ('rejected' in found) return found.rejected;
    const left = await store.restore(found, roots(commands.directory, keeping));
    if (left !== undefined) return left;
    const cache = ran.length === 0 ? ('found' as const) : ('kept' as const);
    const { paths, isAll } = found;
    return { use: { type: 'dependencies', cache, paths, isAll, durationMs: 0 }, ran };
  }

  async #fillAlone(digest: string, asked: SetupRequest): Promise<CacheLookup | undefined> {
    const { store } = this.#parts;
    const filled = await store.locked(async (): Promise<CacheLookup> => {
      // Another session may have filled it while this one waited.
      const found = await store.find(digest);
      return found === undefined ? this.#fill(digest, asked) : { found };
    });
    if (filled?.ran !== undefined) await store.makeRoom();
    return filled;
  }

  /** Installs in a clone of the base branch, which only people with write access change. */
  async #fill(digest: string, asked: SetupRequest): Promise<CacheLookup> {
    const { scope, plan, cache } = this.#parts;
    const { branch, commit } = await trustedHead(scope, cache.branch);
    if (commit === undefined) return { reason: why.noBranch(branch) };
    const base = { ...plan.base, commit };
    const clean = await workspaceFor(
      scope,
      { ...plan, base, changes: [], paths: {} },
      { hasMerge: false },
    );
    try {
      const own = await this.#keyOf(clean.files);
      if ('missing' in own || own.digest !== digest) return { reason: why.differs(branch) };
      return await this.#install(clean, digest, asked);
    } finally {
      await clean.close();
    }
  }

  async #install(
    { commands: { directory, watch } }: Workspace,
    digest: string,
    asked: SetupRequest,
  ): Promise<CacheLookup> {
    const { plan, cache, shells, keeping, store } = this.#parts;
    const from = roots(directory, keeping);
    const tracked = store.whatIsThere(cache.paths, from);
    if (tracked !== undefined) return rejection(await store.reject(digest, why.isTracked(tracked)));
    const tree = { directory, name: '.', signal: asked.signal };
    const inTree = cache.paths.filter((path) => !isInHome(path));
    const before = await fingerprintTree(tree, inTree);
    await watch.begin();
    const shell = shells.open({ directory });
    const { environment } = plan.commands;
    const commands = { ...plan.commands, longest: longestOf(shells) };
    const ran = await runSetup(commands, asked, async (request) => ({
      done: await shell.run({ ...request, environment }),
    }));
    const failed = ran.find(({ done }) => !hasSucceeded(done));
    if (failed !== undefined)
      return rejection(await store.reject(digest, why.setupFailed(failed.command, failed.done)));
    // As in a workspace: what a commit could take must not be too much.
    const { excess } = await watch.end(() => Promise.resolve([]), { isSetup: true });
    if (excess !== undefined)
      return rejection(await store.reject(digest, why.changedTooMuch(excess)));
    const isAll =
      inTree.length === cache.paths.length && (await fingerprintTree(tree, inTree)) === before;
    return { found: await store.keep(digest, cache.paths, from, isAll), ran };
  }

  /** A digest of all that what is installed depends on, as far as the settings say. */
  async #keyOf(
    files: Workspace['files'],
  ): Promise<{ readonly digest: string } | { readonly missing: string }> {
    const { plan, cache, keeping } = this.#parts;
    const { setup, environment } = plan.commands;
    const { paths, key } = cache;
    // Which directories `setup` found. In any order they are the same.
    const sparse = plan.sparse?.toSorted();
    const around = keeping.surroundings();
    const given = { version: 1, setup, environment, paths, key, sparse, around };
    const hash = createHash('sha256').update(JSON.stringify(given));
    for (const path of key) {
      const content = await readIfThere(files, path);
      if (content === undefined) return { missing: path };
      hash.update(`\0${content.byteLength}\0`).update(content);
    }
    return { digest: hash.digest('hex') };
  }
}

interface CacheLookup {
  readonly found?: DependencyCacheEntry | undefined;
  /** The setup that ran for it. */
  readonly ran?: RanSetup;
  /** Why nothing was found, for now. */
  readonly reason?: string;
}

const rejection = (found: DependencyCacheEntry | undefined): CacheLookup => ({ found });

const roots = (directory: string, keeping: CommandHomes) => ({
  tree: directory,
  home: keeping.homeOf({ directory }),
});

async function trustedHead({ github, signal }: RunScope, wanted: string | undefined) {
  const remote = await resolveRemote({
    remoteUrl: github.gitUrl,
    credentials: (access, rejected) => github.gitToken(access, rejected),
    signal,
  });
  const branch = wanted ?? remote.defaultBranch;
  return { branch, commit: remote.head(branch) };
}

const MOST_LOCK_BYTES = 16 * 1024 * 1024;

/** How long tests, and commands that prepare a workspace, may take at most. */
export const longestOf = ({ longestSeconds = 300 }: Pick<Shells, 'longestSeconds'>): number =>
  longestSeconds;

/** Runs the commands that prepare a workspace, until one fails. */
export async function runSetup<Run extends { readonly done: CommandDone }>(
  { setup, longest }: Pick<CommandSettings, 'setup' | 'longest'>,
  { signal, onOutput }: SetupRequest,
  run: (request: CommandRequest) => Promise<Run>,
): Promise<readonly (Run & { readonly command: string })[]> {
  const ran: (Run & { readonly command: string })[] = [];
  for (const command of setup) {
    onOutput?.(`$ ${command}\n`);
    const longestMs = longest * 1000;
    const request = { command, directory: '', timeoutMs: longestMs, longestMs, signal };
    const one = await run({ ...request, ...withoutUndefined({ onOutput }) });
    ran.push({ ...one, command });
    if (!hasSucceeded(one.done)) break;
  }
  return ran;
}

const hasSucceeded = ({ ended, exitCode }: CommandDone): boolean =>
  ended === 'exited' && exitCode === 0;

/** The content of a file that decides what is installed; `undefined` if it cannot be read. */
export const readIfThere = (files: FileReader, path: string): Promise<Uint8Array | undefined> =>
  unless(TellModel, files.read(path, MOST_LOCK_BYTES));
