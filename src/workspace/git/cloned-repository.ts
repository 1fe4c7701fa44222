import fs from 'node:fs';
import git from 'isomorphic-git';
import { readBaseTree, type BaseTree } from './base-tree.ts';
import { clone } from './clone.ts';
import { basicAuthorization } from './credentials.ts';
import { explainCloneFailure, explainGitFailure } from './explain-failure.ts';
import { diffOf } from './diff.ts';
import type { ClonedPaths, GitOperation, GitOperations, GitPlace } from './operations.ts';
import type { FileDiff, FoundChange, CommitDone } from '../../contracts/git.ts';
import type { StoredChange } from '../../contracts/files.ts';
import { createHttpClient } from './http-client.ts';
import { push } from './push.ts';
import { findChanges, takeFingerprints } from './work-tree-changes.ts';
import type { Fingerprints, FoundChanges } from './work-tree-changes.ts';
import { CommandChangeDetector } from './command-change-detector.ts';
import type { DetectedChanges, ChangeLimits, RevertRequest } from './command-change-detector.ts';
import { writeCommit, type WrittenCommit } from './write-commit.ts';

const IDLE_MS = 60_000;

type Asked<K extends GitOperation> = Parameters<GitOperations[K]>[0];

/** The clone of one workspace, with its changes, commits and pushes. Runs in the git thread. */
export class ClonedRepository implements GitOperations {
  readonly #place: GitPlace;
  readonly #look: CommandChangeDetector;
  #base: BaseTree | undefined;
  #fingerprints: Fingerprints = new Map();
  #unpushed: (WrittenCommit & { readonly left: readonly string[] }) | undefined;

  constructor(place: GitPlace) {
    this.#place = place;
    this.#look = new CommandChangeDetector(place.tree);
  }

  async clone({ commit, token }: Asked<'clone'>): Promise<ClonedPaths> {
    const { remoteUrl: url, gitdir, tree, maxBytes } = this.#place;
    const http = createHttpClient({ idleMs: IDLE_MS, maxBytes });
    try {
      const headers = { authorization: basicAuthorization(token) };
      await clone({ http, url, headers, gitdir, tree, commit, maxBytes });
      await this.#moveTo(commit);
    } catch (error) {
      throw explainCloneFailure(http.failure ?? error, url, commit);
    } finally {
      http.close();
    }
    const { files, submodules } = this.#cloned();
    return { files: [...files.keys()], submodules: [...submodules] };
  }

  async changes({ except }: Asked<'changes'>): Promise<readonly FoundChange[]> {
    return (await this.#found(except)).changes.map(({ path, status }) => ({ path, status }));
  }

  async diff({ path, except }: Asked<'diff'>): Promise<readonly FileDiff[]> {
    return diffOf(this.#place.gitdir, this.#cloned(), (await this.#found(except)).changes, path);
  }

  async commit({ only, except, ...text }: Asked<'commit'>): Promise<CommitDone | undefined> {
    const { gitdir, author } = this.#place;
    const { changes: found, withheld } = await this.#found(except);
    const chosen = only && new Set(only);
    const taken = found.filter(({ path }) => chosen?.has(path) ?? true);
    this.#unpushed = undefined;
    if (taken.length === 0) return undefined;
    const left = found.map(({ path }) => path).filter((path) => chosen?.has(path) === false);
    const written = await writeCommit(gitdir, this.#cloned(), taken, { ...text, author });
    this.#unpushed = { ...written, left: [...left, ...except, ...withheld] };
    const files = taken.map(({ path, status }) => ({ path, status }));
    return { sha: written.commit, files, left, ...(withheld.length === 0 ? {} : { withheld }) };
  }

  async remember(): Promise<void> {
    this.#look.remember(this.#cloned(), this.#fingerprints);
  }

  async look(limits: ChangeLimits): Promise<DetectedChanges> {
    return this.#look.look(this.#cloned(), limits);
  }

  async revert(which: RevertRequest): Promise<void> {
    await this.#look.revert(this.#cloned(), (path) => this.#atBase(path), which);
  }

  async #atBase(path: string): Promise<StoredChange | undefined> {
    const file = this.#cloned().files.get(path);
    if (file === undefined) return undefined;
    const { blob } = await git.readBlob({ fs, gitdir: this.#place.gitdir, oid: file.oid });
    const mode = file.mode === '120000' || file.mode === '100755' ? file.mode : '100644';
    return { path, mode, content: blob };
  }

  #found(except: readonly string[]): Promise<FoundChanges> {
    const { tree } = this.#place;
    return findChanges(tree, this.#cloned(), this.#fingerprints, new Set(except));
  }

  async push({ token, branch }: Asked<'push'>): Promise<void> {
    const { remoteUrl: url, gitdir, maxBytes } = this.#place;
    const written = this.#unpushed;
    if (written === undefined) return;
    const http = createHttpClient({ idleMs: IDLE_MS, maxBytes });
    try {
      await push({
        http,
        url,
        headers: { authorization: basicAuthorization(token) },
        branch,
        parent: this.#cloned().commit,
        commit: written.commit,
        pack: () => packObjects(gitdir, written.objects),
      });
      await this.#moveTo(written.commit, written.left);
      this.#unpushed = undefined;
    } catch (error) {
      throw explainGitFailure(http.failure ?? error, url, 'push');
    } finally {
      http.close();
    }
  }

  /** Makes `commit` the base. Except for `left`, the files of the work tree are the same as in it. */
  async #moveTo(commit: string, left: readonly string[] = []): Promise<void> {
    this.#base = await readBaseTree(this.#place.gitdir, commit);
    this.#fingerprints = takeFingerprints(this.#place.tree, this.#base, new Set(left));
  }

  #cloned(): BaseTree {
    if (this.#base === undefined) throw new Error('the repository was not cloned yet');
    return this.#base;
  }
}

async function packObjects(gitdir: string, oids: readonly string[]): Promise<Uint8Array> {
  const { packfile } = await git.packObjects({ fs, gitdir, oids: [...oids] });
  if (packfile === undefined) throw new Error('the pack was not made');
  return packfile;
}
