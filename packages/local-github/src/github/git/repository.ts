// One bare repository. Refs, files, commits and merges are stored only here.
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Signature } from './git.ts';
import { GitFailed, git, gitBytes } from './git.ts';
import { Memo } from './memo.ts';
import { mergedTree } from './merging.ts';
import { PRE_RECEIVE_HOOK } from './pre-receive.ts';
import { listRefs, readBranches, readRef, type RefFacts } from './refs.ts';

export interface TreeEntry {
  readonly mode: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly sha: string;
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

/** Allows what fetches need (rule `fetch-any-commit`), and disables background maintenance. */
const CONFIG = `[core]
  repositoryformatversion = 0
  bare = true
[http]
  receivepack = true
[uploadpack]
  allowReachableSHA1InWant = true
  allowFilter = true
[gc]
  auto = 0
[receive]
  autogc = false
[pack]
  threads = 1
`;

/** File contents by path; `null` deletes the file. */
export type FileChanges = Record<string, string | null>;

export class RepositoryGit {
  readonly directory: string;
  readonly #mergeable = new Memo<boolean>();
  readonly #fixed = new Memo<Buffer>();

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Creates the bare repository with one commit on `branch`, or none. Needs no `git init`, which takes a process. */
  async create(branch: string, files: FileChanges | undefined, author: Signature): Promise<void> {
    for (const folder of ['objects', 'refs/heads', 'hooks'])
      await mkdir(path.join(this.directory, folder), { recursive: true });
    await writeFile(path.join(this.directory, 'HEAD'), `ref: refs/heads/${branch}\n`);
    await writeFile(path.join(this.directory, 'config'), CONFIG);
    await this.installHook();
    if (files) await this.commitFiles({ branch, files, message: 'Initial commit', author });
  }

  /** Creates a bare repository with the branches and tags of another. */
  async copy({ directory }: RepositoryGit): Promise<void> {
    await mkdir(path.dirname(this.directory), { recursive: true });
    await git(path.dirname(this.directory), ['clone', '-q', '--bare', directory, this.directory]);
    await mkdir(path.join(this.directory, 'hooks'), { recursive: true });
    await writeFile(path.join(this.directory, 'config'), CONFIG);
    await this.installHook();
  }

  /** Copies a branch of another repository, with its commits, to a ref of this one. */
  async fetch({ directory }: RepositoryGit, branch: string, ref: string): Promise<void> {
    await this.#git(['fetch', '-q', '--no-tags', directory, `+refs/heads/${branch}:${ref}`]);
  }

  /** A repository of an earlier version has an earlier hook. */
  async installHook(): Promise<void> {
    const hook = path.join(this.directory, 'hooks', 'pre-receive');
    await writeFile(hook, PRE_RECEIVE_HOOK, { mode: 0o755 });
  }

  /** Adds a commit to `branch`, which is created from `from` if it does not exist. */
  async commitFiles(commit: {
    branch: string;
    files: FileChanges;
    message: string;
    author: Signature;
    from?: string;
  }): Promise<string> {
    const ref = `refs/heads/${commit.branch}`;
    const parent =
      (await this.head(commit.branch)) ?? (commit.from && (await this.head(commit.from)));
    const who = `${commit.author.name} <${commit.author.email}> ${Math.floor(Date.now() / 1000)} +0000`;
    const stream = [
      `commit ${ref}\nauthor ${who}\ncommitter ${who}\n${data(commit.message)}`,
      parent === undefined || parent === '' ? '' : `from ${parent}\n`,
      ...Object.entries(commit.files).map(([name, content]) =>
        content === null
          ? `D ${JSON.stringify(name)}\n`
          : `M 100644 inline ${JSON.stringify(name)}\n${data(content)}`,
      ),
    ].join('');
    await this.#git(['fast-import', '--quiet', '--date-format=raw'], { input: stream });
    return (await readRef(this.directory, ref)) ?? this.#git(['rev-parse', ref]);
  }

  head(branch: string): Promise<string | undefined> {
    return this.resolve(`refs/heads/${branch}`);
  }

  /** Resolves a ref, branch, tag or (abbreviated) SHA to a commit. */
  async resolve(name: string): Promise<string | undefined> {
    if (name.startsWith('-')) return undefined;
    const branch = await readRef(this.directory, name);
    if (branch !== undefined || name.startsWith('refs/heads/')) return branch;
    const asked = ['rev-parse', '--verify', '--quiet', `${name}^{commit}`];
    try {
      if (!/^[0-9a-f]{40}$/.test(name)) return await this.#git(asked);
      return (await this.fixed(asked)).toString().trim();
    } catch (error) {
      if (error instanceof GitFailed) return undefined;
      throw error;
    }
  }

  /** Commits by branch name. */
  branches(): Promise<Map<string, string>> {
    return readBranches(this.directory);
  }

  /** Rejects with GitFailed if the ref is no longer `before`. */
  async setRef(ref: string, sha: string, before?: string): Promise<void> {
    await this.#git(['update-ref', ref, sha, ...(before === undefined ? [] : [before])]);
  }

  async setDefaultBranch(branch: string): Promise<void> {
    await this.#git(['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
  }

  async deleteRef(ref: string): Promise<void> {
    await this.#git(['update-ref', '-d', ref]);
  }

  /** Branches and tags, in the order of their names; only those below `prefix` if it is given. */
  refs(prefix?: string): Promise<RefFacts[]> {
    return listRefs(this.directory, prefix);
  }

  isRefName(ref: string): Promise<boolean> {
    return this.#git(['check-ref-format', ref]).then(
      () => true,
      () => false,
    );
  }

  /** The types and sizes of objects that exist, by their full hashes. */
  async objects(
    hashes: readonly string[],
  ): Promise<Map<string, { readonly type: string; readonly size: number }>> {
    const asked = hashes.filter((one) => /^[0-9a-f]{40}$/.test(one));
    if (asked.length === 0) return new Map();
    const printed = await this.#git(['cat-file', '--batch-check'], { input: asked.join('\n') });
    const found = printed.matchAll(/^([0-9a-f]{40}) (blob|tree|commit|tag) (\d+)$/gm);
    return new Map(
      [...found].map(([, sha = '', type = '', size]) => [sha, { type, size: Number(size) }]),
    );
  }

  /** The entries of a tree, or of all trees below it too. */
  tree(sha: string, recursive: boolean): Promise<TreeEntry[]> {
    return this.#lsTree(sha, '', recursive ? ['-r', '-t'] : []);
  }

  /** The entries at `name` in the commit's tree: one for a file, several for a directory. */
  async entries(commit: string, name: string): Promise<{ isFile: boolean; list: TreeEntry[] }> {
    const clean = name.replace(/^\/+|\/+$/g, '');
    const self = clean === '' ? [] : await this.#lsTree(commit, clean);
    if (self[0]?.type === 'blob') return { isFile: true, list: self };
    if (clean !== '' && self[0]?.type !== 'tree') return { isFile: false, list: [] };
    return { isFile: false, list: await this.#lsTree(commit, clean === '' ? '' : `${clean}/`) };
  }

  blob(sha: string): Promise<Buffer> {
    return this.fixed(['cat-file', 'blob', sha]);
  }

  /** git's output about objects with full hashes. It never changes, so it is cached. */
  fixed(args: readonly string[]): Promise<Buffer> {
    if (!args.some((arg) => /[0-9a-f]{40}/.test(arg)))
      throw new Error(`git ${args.join(' ')} may say something else tomorrow`);
    return this.#fixed.get(args.join('\0'), () => gitBytes(this.directory, args));
  }

  /** Of full hashes. */
  async isAncestor(ancestor: string, descendant: string): Promise<boolean> {
    return (await this.mergeBase(ancestor, descendant)) === ancestor;
  }

  async mergeBase(one: string, other: string): Promise<string | undefined> {
    const found = await this.fixed(['merge-base', one, other]).catch(() => undefined);
    return found?.toString().trim();
  }

  /** Whether `head` merges into `base` without conflicts; both are full hashes. */
  mergeable(base: string, head: string): Promise<boolean> {
    return this.#mergeable.get(
      `${base} ${head}`,
      async () => (await this.mergedTree(base, head)) !== undefined,
    );
  }

  /** The same, or `null` if nobody has asked `mergeable` yet. */
  async knownMergeable(base: string, head: string): Promise<boolean | null> {
    return (await this.#mergeable.known(`${base} ${head}`)) ?? null;
  }

  /** The tree of the merge of two full hashes; `undefined` if there are conflicts. */
  async mergedTree(base: string, head: string): Promise<string | undefined> {
    if (await this.isAncestor(base, head))
      return (await this.fixed(['rev-parse', `${head}^{tree}`])).toString().trim();
    return mergedTree(this.directory, base, head);
  }

  async #lsTree(commit: string, name: string, flags: string[] = []): Promise<TreeEntry[]> {
    const where = name === '' ? [] : ['--', `:(literal)${name}`];
    const listed = await this.fixed([
      'ls-tree',
      '-z',
      '-l',
      ...flags,
      '--full-tree',
      commit,
      ...where,
    ]);
    return [...listed.toString().matchAll(LISTED)].map(entryOf);
  }

  async #git(args: readonly string[], options?: Parameters<typeof git>[2]): Promise<string> {
    return (await git(this.directory, args, options)).replace(/\n$/, '');
  }
}

const LISTED = /(\d+) (blob|tree|commit) (\w+) +(\d+|-)\t([^\0]*)\0/g;

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`;

function entryOf(match: RegExpExecArray): TreeEntry {
  const [, mode = '', type = '', sha = '', size = '', file = ''] = match;
  return {
    mode,
    type: type === 'tree' || type === 'commit' ? type : 'blob',
    sha,
    size: size === '-' ? 0 : Number(size),
    path: file,
    name: path.posix.basename(file),
  };
}
