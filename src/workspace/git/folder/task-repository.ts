// Repositories of this machine that hold single commits of another one, without its history: what an agent is given to
// work on, and what its result is judged by.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../../remove-tree.ts';
import { makeTemporaryDirectory } from '../../work-directory.ts';
import { reachRemote, type Credentials } from '../credentials.ts';
import { keptRef, makeGitdir } from '../engines/native/gitdir.ts';
import { fetchCommits } from '../engines/native/native-fetch.ts';
import { askGit, askGitWith, type NativePlace } from '../engines/native/native-git.ts';
import { FolderRepository } from './folder.ts';

/** A file as a commit has it; `content: undefined`: the commit has it no more. */
export interface CommittedFile {
  readonly path: string;
  readonly content: { readonly mode: string; readonly oid: string } | undefined;
}

export interface ChangeSize {
  readonly files: number;
  /** Lines; none of binary files. */
  readonly added: number;
  readonly removed: number;
}

interface Source {
  readonly remoteUrl: string;
  readonly credentials: Credentials;
  /** Limit in bytes for one download. */
  readonly maxBytes: number;
}

const AUTHOR = { NAME: 'Issuewright', EMAIL: 'issuewright@localhost' };
const IDENTITY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) =>
    Object.entries(AUTHOR).map(([field, value]) => [`GIT_${who}_${field}`, value]),
  ),
);

const SUBMODULE = '160000';

/** All of them are removed with it. */
export class TaskRepositories {
  /** Holds the commits of all tasks, and of the results. No agent is given it. */
  readonly all: FolderRepository;
  readonly #directory: string;
  readonly #name: string;
  readonly #signal: AbortSignal;
  #made = 0;

  private constructor(all: FolderRepository, directory: string, name: string, signal: AbortSignal) {
    this.all = all;
    this.#directory = directory;
    this.#name = name;
    this.#signal = signal;
  }

  /** `name`: of the repository, for people and the agent. */
  static async open(name: string, signal: AbortSignal): Promise<TaskRepositories> {
    const directory = await makeTemporaryDirectory();
    const all = await newRepository(join(directory, 'all'), name, signal);
    return new TaskRepositories(all, directory, name, signal);
  }

  /** Fetches commits, each without its history. */
  fetch(commits: readonly string[], { remoteUrl, credentials, maxBytes }: Source): Promise<void> {
    const place = { ...this.#place, remoteUrl, maxBytes };
    return reachRemote({ credentials, access: 'read', signal: this.#signal }, (token) =>
      fetchCommits(place, { commits, depth: 1, token }),
    );
  }

  /** The files in which two commits differ. Submodules are left out. */
  async difference(from: string, to: string): Promise<readonly CommittedFile[]> {
    const words = ['diff-tree', '-r', '--no-renames', '--raw', '--no-abbrev', '-z', from, to];
    const output = await askGit(this.#place, ...words);
    const parts = Buffer.from(output, 'latin1').toString('utf8').split('\0');
    const files: CommittedFile[] = [];
    for (let at = 0; at + 1 < parts.length; at += 2) {
      const [, mode = '', oid = ''] = /^:\d+ (\d+) \S+ (\S+) [A-Z]/.exec(parts[at] ?? '') ?? [];
      const path = parts[at + 1] ?? '';
      if (mode === SUBMODULE || path === '') continue;
      files.push({ path, content: mode === '000000' ? undefined : { mode, oid } });
    }
    return files;
  }

  async changeSize(from: string, to: string): Promise<ChangeSize> {
    const words = ['diff-tree', '-r', '--numstat', '-z', from, to];
    const lines = (await askGit(this.#place, ...words)).split('\0').filter(Boolean);
    const counts = lines.map((line) => line.split('\t', 2).map((count) => Number(count) || 0));
    const sum = (at: number): number => counts.reduce((all, count) => all + (count[at] ?? 0), 0);
    return { files: counts.length, added: sum(0), removed: sum(1) };
  }

  /** A new commit: the files of `commit`, with these in place of its own. */
  async withFiles(commit: string, files: readonly CommittedFile[]): Promise<string> {
    const environment = { ...IDENTITY, GIT_INDEX_FILE: join(this.#directory, 'index') };
    const ask = (words: readonly string[], input?: string) =>
      askGitWith(this.#place, { environment, input }, words);
    await ask(['read-tree', commit]);
    const none = '0'.repeat(40);
    const lines = files.map(({ path, content }) =>
      content === undefined ? `0 ${none}\t${path}\0` : `${content.mode} ${content.oid}\t${path}\0`,
    );
    await ask(['update-index', '--add', '--replace', '-z', '--index-info'], lines.join(''));
    const tree = (await ask(['write-tree'])).trim();
    return (await ask(['commit-tree', '-m', 'With the tests of the pull request', tree])).trim();
  }

  /** A new repository with this commit alone. */
  async alone(commit: string): Promise<FolderRepository> {
    const directory = join(this.#directory, `task-${(this.#made += 1)}`);
    const repository = await newRepository(directory, this.#name, this.#signal);
    await fetchLocally(repository.place, this.#place.gitdir, `${keptRef(commit)}:refs/heads/main`);
    return repository;
  }

  /** Adds what an agent committed in a repository of its own, which is removed then. */
  async take({ place }: FolderRepository, branch: string, commit: string): Promise<void> {
    await this.add(place, `refs/heads/${branch}`, commit);
    await removeTree(place.gitdir);
  }

  /** Adds a commit of a repository that this process, or whoever started it, made. */
  async add(from: Pick<NativePlace, 'gitdir'>, ref: string, commit: string): Promise<void> {
    await fetchLocally(this.#place, from.gitdir, `${ref}:${keptRef(commit)}`);
  }

  close(): Promise<void> {
    return removeTree(this.#directory);
  }

  get #place(): NativePlace {
    return this.all.place;
  }
}

async function newRepository(
  directory: string,
  name: string,
  signal: AbortSignal,
): Promise<FolderRepository> {
  const gitdir = join(directory, `${name}.git`);
  await mkdir(gitdir, { recursive: true });
  await makeGitdir(gitdir, '');
  return FolderRepository.ofOurs(gitdir, name, signal);
}

/** Fetches the newest commit of a reference. */
const fetchLocally = (to: NativePlace, gitdir: string, refs: string): Promise<string> =>
  askGitWith(to, { environment: { GIT_ALLOW_PROTOCOL: 'file' } }, [
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-auto-maintenance',
    '--depth=1',
    '--update-head-ok',
    '--',
    `file://${gitdir}`,
    `+${refs}`,
  ]);
