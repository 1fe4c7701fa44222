import fs, { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import git from 'isomorphic-git';
import type { HttpClient } from 'isomorphic-git';
import { TooManyBytes } from '../http-client.ts';
import { fileMode, isDirectory, isPlaceable, isSubmodule, readRawTree } from '../raw-tree.ts';
import type { RawEntry } from '../raw-tree.ts';
import { isomorphicObjects, readBlob, readCommit } from '../objects.ts';

/** Files that are read at the same time. */
const AT_ONCE = 16;

export interface CloneRequest {
  readonly http: HttpClient;
  readonly url: string;
  /** Contain the credentials, which are not written to disk. */
  readonly headers: Readonly<Record<string, string>>;
  readonly gitdir: string;
  /** An empty directory. */
  readonly tree: string;
  readonly commit: string;
  /** Limit in bytes for what is written to the work tree: a small pack can contain a tree of any size. */
  readonly maxBytes: number;
}

/** Fetches one commit without its history and checks out its files. */
export async function clone(request: CloneRequest): Promise<void> {
  const { http, url, headers, gitdir, tree, commit } = request;
  await git.init({ fs, dir: tree, gitdir });
  await git.addRemote({ fs, gitdir, remote: 'origin', url });
  await fetchCommit({ http, url, headers, gitdir, commit, depth: 1 });
  await checkOut(request);
}

type FetchRequest = Pick<CloneRequest, 'http' | 'url' | 'headers' | 'gitdir' | 'commit'>;

/** Fetches a commit, and its history down to a depth. */
export async function fetchCommit({
  http,
  url,
  headers,
  gitdir,
  commit,
  depth,
}: FetchRequest & { readonly depth: number }): Promise<void> {
  await git.fetch({
    fs,
    http,
    gitdir,
    remote: 'origin',
    url,
    headers: { ...headers },
    ref: commit,
    depth,
    singleBranch: true,
    tags: false,
  });
}

/**
 * Writes the files of a commit with the names that they have, byte for byte. Makes each directory itself,
 * so that no link in the commit is ever a parent of what is written.
 */
async function checkOut({ gitdir, tree, commit, maxBytes }: CloneRequest): Promise<void> {
  const objects = isomorphicObjects(gitdir);
  let written = 0;
  const read = async (oid: string): Promise<Uint8Array> => {
    const blob = await readBlob(objects, oid);
    written += blob.byteLength;
    if (written > maxBytes) throw new TooManyBytes(`its files are larger than ${maxBytes} bytes`);
    return blob;
  };
  const place = async (entry: RawEntry, directory: Buffer, prefixBytes: number): Promise<void> => {
    const path = Buffer.concat([directory, Buffer.from(`/${entry.name}`, 'latin1')]);
    const mode = fileMode(entry);
    if (isDirectory(entry)) {
      mkdirSync(path);
      await fill(entry.oid, path, prefixBytes + entry.name.length + 1);
    } else if (isSubmodule(entry)) mkdirSync(path);
    else if (mode === '120000') symlinkSync(Buffer.from(await read(entry.oid)), path);
    else if (mode !== undefined) {
      const options = { flag: 'wx', mode: mode === '100755' ? 0o755 : 0o644 };
      writeFileSync(path, await read(entry.oid), options);
    }
  };
  const fill = async (oid: string, directory: Buffer, prefixBytes: number): Promise<void> => {
    const entries = (await readRawTree(objects, oid)).filter((entry) =>
      isPlaceable(entry, prefixBytes),
    );
    const put = (entry: RawEntry) => place(entry, directory, prefixBytes);
    const files = entries.filter((entry) => !isDirectory(entry));
    for (let at = 0; at < files.length; at += AT_ONCE)
      await Promise.all(files.slice(at, at + AT_ONCE).map(put));
    for (const inner of entries.filter(isDirectory)) await put(inner);
  };
  const { tree: root } = await readCommit(objects, commit);
  await fill(root, Buffer.from(tree), 0);
}
