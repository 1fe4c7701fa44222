import fs from 'node:fs';
import git from 'isomorphic-git';
import type { HttpClient, PromiseFsClient } from 'isomorphic-git';
import { TooManyBytes } from './http-client.ts';

export interface CloneRequest {
  readonly http: HttpClient;
  readonly url: string;
  /** Contain the credentials, which are not written to disk. */
  readonly headers: Readonly<Record<string, string>>;
  readonly gitdir: string;
  readonly tree: string;
  readonly commit: string;
  /** Limit in bytes for what is written to the work tree. */
  readonly maxBytes: number;
}

/** Fetches one commit without its history and checks out its files. */
export async function clone(request: CloneRequest): Promise<void> {
  const { http, url, headers, gitdir, tree, commit } = request;
  await git.init({ fs, dir: tree, gitdir });
  await git.addRemote({ fs, gitdir, remote: 'origin', url });
  await git.fetch({
    fs,
    http,
    gitdir,
    remote: 'origin',
    headers: { ...headers },
    ref: commit,
    depth: 1,
    singleBranch: true,
    tags: false,
  });
  await checkout(request);
}

async function checkout({ gitdir, tree, commit, maxBytes }: CloneRequest): Promise<void> {
  try {
    await git.checkout({
      fs: limitedFs(tree, maxBytes),
      dir: tree,
      gitdir,
      ref: commit,
      noUpdateHead: true,
      // In batches: writing all files at once would need too many descriptors.
      nonBlocking: true,
    });
  } catch (error) {
    throw error instanceof git.Errors.MultipleGitError ? error.errors[0] : error;
  }
}

/** Limits the bytes written to the work tree: a small pack can contain a tree of any size. */
function limitedFs(tree: string, maxBytes: number): PromiseFsClient {
  let written = 0;
  const writeFile: typeof fs.promises.writeFile = async (file, data, options) => {
    const isInTree = typeof file === 'string' && file.startsWith(`${tree}/`);
    if (isInTree && data instanceof Uint8Array) written += data.byteLength;
    if (written > maxBytes) throw new TooManyBytes(`its files are larger than ${maxBytes} bytes`);
    return fs.promises.writeFile(file, data, options);
  };
  return { promises: { ...fs.promises, writeFile } };
}
