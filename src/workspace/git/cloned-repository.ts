import { join } from 'node:path';
import { baseAfter, pathsOf, readBaseFile, outsideEntry, type BaseTree } from './base-tree.ts';
import { readBase, type ChosenEngine, type GitEngine } from './engines/engine.ts';
import { COMMAND_HISTORY, writeCommandRepository } from './command-repository.ts';
import { IsomorphicEngine } from './engines/isomorphic.ts';
import { NativeEngine } from './engines/native/native-engine.ts';
import { diffOf, withoutUnapproved, workflowChange } from './diff.ts';
import type { ClonedPaths, GitOperations, GitPlace, OperationRequest } from './operations.ts';
import type { FileDiff, WorkflowChange, CommitToMake } from '../../contracts/git.ts';
import type { CommandRepository } from '../../contracts/shell.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { pushTo } from './publish/push.ts';
import { putMerge, chosenPaths, unresolved, type UnresolvedFile } from './merge/open-merge.ts';
import { withinMergeLimits } from './merge/three-way-merge.ts';
import { readCommit } from './objects.ts';
import {
  catchUp,
  rewriteCommit,
  commitToMake,
  differingPaths,
  writeSigned,
} from './publish/commit-changes.ts';
import {
  findChanges,
  writeCommit,
  type FoundChanges,
  type WorkTreeChange,
  type UnpublishedCommit,
} from './commit.ts';
import { FileClock } from './work-tree-walk.ts';
import { WorkTree, type WorkTreeState } from './work-tree.ts';

/** What a git thread knows of a workspace beyond its files. Plain data, which another thread can continue with. */
export interface RepositoryState {
  readonly base: BaseTree | undefined;
  /** What the next commit merges. */
  readonly merge: MergeToCommit | undefined;
  readonly unpushed: UnpublishedCommit | undefined;
  readonly workTree: WorkTreeState;
}

interface MergeToCommit extends Pick<OperationRequest<'merge'>, 'theirs' | 'conflicts'> {
  /** The objects of it that the server lacks. */
  readonly created: readonly string[];
}

/** @param signal ends what the engine is doing */
export const openEngine = (place: ChosenEngine, signal: AbortSignal): GitEngine =>
  place.engine === 'native' ? new NativeEngine(place, signal) : new IsomorphicEngine(place);

/** The clone of one workspace, with its changes, commits and pushes. Runs in the git thread. */
export class ClonedRepository implements GitOperations {
  readonly #place: GitPlace;
  readonly #engine: GitEngine;
  readonly #clock: FileClock;
  readonly #workTree: WorkTree;
  #base: BaseTree | undefined;
  #merge: MergeToCommit | undefined;
  #unpushed: UnpublishedCommit | undefined;
  #shown: { readonly of: string; readonly made: Promise<CommandRepository> } | undefined;

  /**
   * @param signal ends what the engine is doing
   * @param state what another one knew of the same clone
   */
  constructor(place: GitPlace, signal: AbortSignal, state?: RepositoryState) {
    this.#place = place;
    this.#engine = openEngine(place, signal);
    this.#clock = new FileClock(join(place.gitdir, 'issuewright-clock'));
    this.#workTree = new WorkTree(place.tree, state?.workTree);
    this.#base = state?.base;
    this.#merge = state?.merge;
    this.#unpushed = state?.unpushed;
  }

  get state(): RepositoryState {
    return {
      base: this.#base,
      merge: this.#merge,
      unpushed: this.#unpushed,
      workTree: this.#workTree.state,
    };
  }

  async clone(request: OperationRequest<'clone'>): ReturnType<GitOperations['clone']> {
    const { base, fingerprints, ...failed } = await this.#engine.clone(request);
    this.#base = base;
    this.#merge = undefined;
    this.#workTree.isAt(base, fingerprints);
    return { ...pathsOf(this.#cloned()), ...failed };
  }

  async deepen(request: OperationRequest<'deepen'>): Promise<void> {
    await this.#engine.fetch({ ...request, isForMerge: true });
  }

  async fetchMade({ commit, token }: OperationRequest<'fetchMade'>): Promise<void> {
    await this.#engine.fetch({ commits: [commit], depth: 1, token, isForMerge: false });
  }

  fetchMissing(
    request: OperationRequest<'fetchMissing'>,
  ): ReturnType<GitOperations['fetchMissing']> {
    return this.#engine.fetchMissing(request);
  }

  outside({ path }: OperationRequest<'outside'>): ReturnType<GitOperations['outside']> {
    return outsideEntry(this.#engine.objects, this.#cloned(), path);
  }

  async merge({ tree, theirs, conflicts }: OperationRequest<'merge'>): Promise<ClonedPaths> {
    const merged = { tree, theirs };
    const putting = putMerge(this.#engine, this.#place, this.#cloned(), merged);
    const { base, created } = await withinMergeLimits(putting);
    this.#base = base;
    this.#workTree.isAt(base);
    this.#merge = { theirs, conflicts, created };
    return pathsOf(this.#cloned());
  }

  async changes(considered: OperationRequest<'changes'>): ReturnType<GitOperations['changes']> {
    const { changes, unrecorded, inLfs } = await this.#found(considered);
    return { changes: changes.map(({ path, status }) => ({ path, status })), unrecorded, inLfs };
  }

  async diff({ path, ...asked }: OperationRequest<'diff'>): Promise<readonly FileDiff[]> {
    const { changes } = await this.#found(asked);
    return diffOf(this.#engine.objects, this.#cloned(), changes, path);
  }

  async commit(request: OperationRequest<'commit'>): ReturnType<GitOperations['commit']> {
    const { message, at, except, decided, approved } = request;
    const merge = this.#merge;
    const { changes: found, withheld, inLfs } = await this.#found(request);
    const chosen = chosenPaths(request, merge !== undefined);
    const unnamed = new Set(request.made);
    const wanted = found.filter(({ path }) => (chosen?.has(path) ?? true) && !unnamed.has(path));
    const { taken, unapproved } = withoutUnapproved(this.#cloned(), wanted, approved);
    this.#unpushed = undefined;
    if (taken.length === 0 && merge === undefined) return undefined;
    const open = await this.#unresolved(taken, new Set(decided));
    if (open.length > 0) return { unresolved: open };
    const paths = new Set(taken.map(({ path }) => path));
    const left = found.map(({ path }) => path).filter((path) => !paths.has(path));
    const made = left.filter((path) => unnamed.has(path));
    const text = { message, at, author: this.#place.author, mergeParent: merge?.theirs };
    const written = await writeCommit(this.#engine.objects, this.#cloned(), taken, text);
    const created = [...new Set([...written.created, ...(merge?.created ?? [])])];
    this.#unpushed = { ...written, created, left: [...left, ...except, ...withheld, ...inLfs] };
    return {
      sha: written.commit,
      files: taken.map(({ path, status }) => ({ path, status })),
      left,
      ...(made.length === 0 ? {} : { made }),
      ...(withheld.length === 0 ? {} : { withheld }),
      ...(inLfs.length === 0 ? {} : { inLfs }),
      ...(unapproved.length === 0 ? {} : { unapproved }),
      ...withoutUndefined({ merges: merge?.theirs }),
    };
  }

  async #unresolved(
    changes: readonly WorkTreeChange[],
    decided: ReadonlySet<string>,
  ): Promise<readonly UnresolvedFile[]> {
    if (this.#merge === undefined) return [];
    const open = { base: this.#cloned(), conflicts: this.#merge.conflicts };
    return unresolved(this.#engine.objects, open, { changes, decided });
  }

  async workflowChange(
    asked: OperationRequest<'workflowChange'>,
  ): Promise<WorkflowChange | undefined> {
    const { changes } = await this.#found(asked);
    return workflowChange(this.#engine.objects, this.#cloned(), changes);
  }

  async deepenForCommands({ token }: OperationRequest<'deepenForCommands'>): Promise<void> {
    const { commit } = this.#cloned();
    const limits = { depth: COMMAND_HISTORY.depth, timeoutMs: COMMAND_HISTORY.milliseconds };
    if (this.#place.engine === 'native')
      await this.#engine.fetch({ commits: [commit], token, isForMerge: false, ...limits });
    this.#shown = undefined;
  }

  /** Made again only if something has changed. */
  commandRepository(request: OperationRequest<'commandRepository'>): Promise<CommandRepository> {
    const { commit, tree } = this.#cloned();
    const of = [commit, tree, request.branch].join(' ');
    if (this.#shown?.of !== of) {
      const made = writeCommandRepository(this.#place.gitdir, { commit, tree }, request);
      this.#shown = { of, made };
    }
    return this.#shown.made;
  }

  async begin({ changed }: OperationRequest<'begin'>): Promise<bigint> {
    if (changed !== undefined) this.#workTree.remember(this.#cloned(), changed);
    return this.#clock.tick();
  }

  async look(request: OperationRequest<'look'>): ReturnType<GitOperations['look']> {
    return this.#workTree.look(this.#cloned(), request);
  }

  async revert(which: OperationRequest<'revert'>): Promise<void> {
    const base = this.#cloned();
    const { objects } = this.#engine;
    await this.#workTree.revert(base, (path) => readBaseFile(objects, base, path), which);
  }

  #found(considered: OperationRequest<'changes'>): Promise<FoundChanges> {
    const base = this.#cloned();
    const read = async (path: string) =>
      (await readBaseFile(this.#engine.objects, base, path))?.content ?? undefined;
    const sides = (this.#merge?.conflicts ?? []).flatMap(({ ours, theirs }) => [ours, theirs]);
    const known = new Set(sides.flatMap((side) => side?.oid ?? []));
    return findChanges(this.#workTree, base, considered, { read, known });
  }

  async lastCommit(): ReturnType<GitOperations['lastCommit']> {
    const { commit: sha } = this.#written();
    return { sha, ...(await readCommit(this.#engine.objects, sha)) };
  }

  differing({ tree }: OperationRequest<'differing'>): Promise<readonly string[]> {
    return differingPaths(this.#engine.objects, this.#cloned().tree, tree);
  }

  async commitToMake(limits: OperationRequest<'commitToMake'>): Promise<CommitToMake | string> {
    return commitToMake(this.#engine.objects, this.#written(), limits);
  }

  async catchUp({
    onto,
    isFirst,
    token,
  }: OperationRequest<'catchUp'>): ReturnType<GitOperations['catchUp']> {
    await this.fetchMade({ commit: onto, token });
    const upstream = this.#merge?.theirs ?? this.#cloned().commit;
    const how = { onto, upstream, mayMove: isFirst || this.#merge !== undefined };
    const made = await catchUp(this.#engine.objects, this.#written(), how);
    this.#unpushed = made?.commit ?? this.#unpushed;
    return made?.caughtUp;
  }

  async moveOnto({ commit: to, token }: OperationRequest<'moveOnto'>): Promise<void> {
    await this.fetchMade({ commit: to, token });
    const { commit: from } = this.#cloned();
    const { commit: old, tree, created, ...rest } = this.#written();
    const commit = await rewriteCommit(this.#engine.objects, old, tree, { from, to });
    const all = [...created.filter((one) => one !== old), commit];
    this.#unpushed = { ...rest, tree, commit, created: all };
  }

  async adopt({ commit, token }: OperationRequest<'adopt'>): Promise<void> {
    const isWritten = await writeSigned(this.#engine.objects, commit);
    if (!isWritten) await this.fetchMade({ commit: commit.sha, token });
    await this.#moveTo({ ...this.#written(), commit: commit.sha });
  }

  #written(): UnpublishedCommit {
    if (this.#unpushed === undefined) throw new Error('there is no commit to publish');
    return this.#unpushed;
  }

  async push({ token, branch, replaces, unsigned }: OperationRequest<'push'>): Promise<void> {
    const written = this.#unpushed;
    if (written === undefined) return;
    const parents = [this.#cloned().commit, replaces].filter((sha) => sha !== undefined);
    const pack = () => this.#engine.objects.pack(written);
    const { commit } = written;
    await pushTo(this.#place, { token, branch, parents, commit, unsigned, pack });
    await this.#moveTo(written);
  }

  /** Makes what was published the base. */
  async #moveTo(published: UnpublishedCommit): Promise<void> {
    const before = this.#cloned();
    const after = published.late === undefined ? baseAfter(before, published) : undefined;
    const base = after ?? (await readBase(this.#engine, published.commit, this.#place.sparse));
    this.#base = base;
    this.#merge = undefined;
    this.#unpushed = undefined;
  }

  /** Ends the processes that it has between operations. */
  close(): Promise<void> {
    return this.#engine.close();
  }

  #cloned(): BaseTree {
    if (this.#base === undefined) throw new Error('the repository was not cloned yet');
    return this.#base;
  }
}
