import fs from 'node:fs';
import git from 'isomorphic-git';
import { readBaseTree } from './base-tree.ts';
import type { BaseTree } from './base-tree.ts';
import { clone } from './clone.ts';
import { basicAuthorization } from './credentials.ts';
import { explainCloneFailure, explainGitFailure } from './errors.ts';
import type { GitOperations, GitPlace, MadeCommit } from './operations.ts';
import { createHttpClient } from './http-client.ts';
import { push } from './push.ts';
import { findChanges, takeFingerprints } from './work-tree-changes.ts';
import type { Fingerprints } from './work-tree-changes.ts';
import { writeCommit } from './write-commit.ts';
import type { WrittenCommit } from './write-commit.ts';

const IDLE_MS = 60_000;

/** The clone of one workspace: from the commit it starts at to the commits it pushes. */
export class Repository implements GitOperations {
  readonly #place: GitPlace;
  #base: BaseTree | undefined;
  #fingerprints: Fingerprints = new Map();
  #unpushed: WrittenCommit | undefined;

  constructor(place: GitPlace) {
    this.#place = place;
  }

  async clone({ commit, token }: { commit: string; token: string }): Promise<readonly string[]> {
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
    return [...this.#cloned().files.keys()];
  }

  async commit(text: { message: string; at: number }): Promise<MadeCommit | undefined> {
    const { tree, gitdir, author } = this.#place;
    const base = this.#cloned();
    const changes = await findChanges(tree, base, this.#fingerprints);
    this.#unpushed = undefined;
    if (changes.length === 0) return undefined;
    this.#unpushed = await writeCommit(gitdir, base, changes, { ...text, author });
    const files = changes.map(({ path, status }) => ({ path, status }));
    return { sha: this.#unpushed.commit, files };
  }

  async push({ token }: { token: string }): Promise<void> {
    const { remoteUrl: url, branch, gitdir, maxBytes } = this.#place;
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
      await this.#moveTo(written.commit);
      this.#unpushed = undefined;
    } catch (error) {
      throw explainGitFailure(http.failure ?? error, url, 'push');
    } finally {
      http.close();
    }
  }

  /** From now on changes are counted from this commit, whose files are those in the work tree. */
  async #moveTo(commit: string): Promise<void> {
    this.#base = await readBaseTree(this.#place.gitdir, commit);
    this.#fingerprints = takeFingerprints(this.#place.tree, this.#base);
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
