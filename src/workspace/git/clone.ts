import fs from 'node:fs';
import git from 'isomorphic-git';
import type { HttpClient } from 'isomorphic-git';
import { checkOut } from './check-out.ts';

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
  const { http, url, headers, gitdir, tree, commit, maxBytes } = request;
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
  await checkOut({ gitdir, tree, commit, maxBytes });
}
