// A repository in a folder of this machine, read with the program git through a copy of ours. Its work tree is only looked at.
import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { FileDiff } from '../../../contracts/git.ts';
import type { BranchChange, LoggedCommit } from '../../../contracts/forge.ts';
import type { BorrowedDirectories } from '../../../contracts/shell.ts';
import { TellPerson, unlessItFails } from '../../../lib/errors.ts';
import { followLinks, type IsClosed, type LinkAt } from '../../../lib/target-of.ts';
import { askGit, runGit, versionOfGit, type NativePlace } from '../engines/native/native-git.ts';
import { findRepository, type UserEnvironment } from './find-repository.ts';
import { FolderCopy } from './folder-copy.ts';

const LONGEST_FILE = 64 * 1024;
const MOST_BORROWED = 50;

/** A directory of its own, not a link to one. */
const isDirectory = (path: string): boolean =>
  unlessItFails(() => lstatSync(path))?.isDirectory() === true;

export interface FolderHead {
  /** In full. */
  readonly commit: string;
  /** `undefined` if no branch is checked out. */
  readonly branch: string | undefined;
}

export class FolderRepository {
  /** A repository of ours. Git is never started on one that someone else may have made. */
  readonly place: NativePlace;
  /** Of the folder, for people. */
  readonly name: string;
  /** `undefined`: the repository itself is ours. */
  readonly #copy: FolderCopy | undefined;
  /** What is at the root of commits. */
  readonly #roots = new Map<string, Promise<ReadonlySet<string>>>();

  private constructor(place: NativePlace, name: string, copy?: FolderCopy) {
    this.place = place;
    this.name = name;
    this.#copy = copy;
  }

  /**
   * The caller closes it.
   * @throws {TellPerson} if there is no repository, if it belongs to another user, or if it cannot be read safely
   */
  static async find(
    folder: string,
    signal: AbortSignal,
    environment: UserEnvironment = {},
  ): Promise<FolderRepository> {
    await requireGit();
    const found = await findRepository(folder, environment);
    if (found === undefined)
      throw new TellPerson(
        `${folder} is not in a git repository. Change to one, or make one with \`git init\` and a first commit.`,
      );
    const { tree, gitdir } = found;
    const name = basename(tree ?? gitdir.path.replace(/\/?\.git$/, '')) || 'repository';
    const copy = await FolderCopy.make(found, signal);
    return new FolderRepository(copy.place, name, copy);
  }

  /** A bare repository that this process made. */
  static ofOurs(gitdir: string, name: string, signal: AbortSignal): FolderRepository {
    return new FolderRepository({ gitdir, tree: gitdir, signal }, name);
  }

  /** @throws {TellPerson} if there are no commits */
  head(): FolderHead {
    const { name, commit } = this.#copy?.head() ?? {};
    if (commit === undefined)
      throw new TellPerson(
        'This repository has no commits yet. The agent begins at the last commit: make a first one.',
      );
    return { commit, branch: name && utf8(name).replace(/^refs\/heads\//, '') };
  }

  /** Reads again which branches the folder has. */
  async refresh(): Promise<void> {
    await this.#copy?.refresh();
  }

  /** Whether a new branch cannot have this name. */
  async isTaken(branch: string): Promise<boolean> {
    return (await this.#copy?.isTaken(branch)) ?? (await this.branches()).includes(branch);
  }

  /** Has what is pushed to `place` reach the folder. @throws {NotMoved} */
  take<T>(push: () => Promise<T>): Promise<T> {
    return this.#copy?.take(push) ?? push();
  }

  /**
   * The files that differ from the last commit, by path. No filter of the repository is run, so those that git converts may
   * be among them.
   */
  async uncommitted(): Promise<readonly string[]> {
    if (this.#copy?.found.tree === undefined) return [];
    // In the copy of the index. It fails if there are differences, which are what is looked for.
    await runGit(this.place, 'update-index', '-q', '--ignore-submodules', '--refresh');
    const found = await Promise.all([
      askGit(this.place, 'diff-index', '--cached', '--name-only', '-z', 'HEAD'),
      askGit(this.place, 'diff-files', '--name-only', '-z', '--ignore-submodules=all'),
      askGit(this.place, 'ls-files', '--others', '--exclude-standard', '-z'),
    ]);
    return [...new Set(found.flatMap(names))].toSorted();
  }

  /**
   * Directories with programs that git ignores in the folder, such as `node_modules` and `.venv`: dependencies, which a clone does
   * not have. `undefined` if the repository has no work tree.
   */
  async dependencies(): Promise<BorrowedDirectories | undefined> {
    const root = this.#copy?.found.tree;
    if (root === undefined) return undefined;
    const ignored = ['--others', '--ignored', '--exclude-standard', '--directory', '-z'];
    const found = names(await askGit(this.place, 'ls-files', ...ignored))
      .filter((path) => path.endsWith('/'))
      .map((path) => path.slice(0, -1))
      .toSorted();
    const paths: string[] = [];
    for (const path of found) {
      const isBelow = paths.some((outer) => path.startsWith(`${outer}/`));
      const directory = join(root, path);
      if (isBelow || paths.length >= MOST_BORROWED || !isDirectory(directory)) continue;
      if (['bin', '.bin'].some((name) => isDirectory(join(directory, name)))) paths.push(path);
    }
    return { root, paths };
  }

  /** A file of a commit; `undefined` without one. @throws {TellPerson} if it is no file, or too long */
  async readFile(commit: string, path: string, isClosed?: IsClosed): Promise<string | undefined> {
    const [first = ''] = path.split('/', 1);
    if (!(await this.#rootOf(commit)).has(first)) return undefined;
    const place = await followLinks(path, (each) => this.#linkAt(commit, each), isClosed);
    if (place === undefined) return undefined;
    const { type, size } = await this.#entryAt(commit, place);
    if (type !== 'blob' || Number(size) > LONGEST_FILE)
      throw new TellPerson(`${path} is not a file, or has more than ${LONGEST_FILE} bytes.`);
    return utf8(await askGit(this.place, 'cat-file', 'blob', `${commit}:${place}`));
  }

  async #entryAt(commit: string, path: string) {
    const found = await runGit(this.place, 'ls-tree', '-z', '-l', commit, '--', path);
    const [, mode, type, size] = /^(\d+) (\w+) \S+ +(\S+)\t/.exec(found.output) ?? [];
    return { mode, type, size };
  }

  async #linkAt(commit: string, path: string): ReturnType<LinkAt> {
    const { mode } = await this.#entryAt(commit, path);
    if (mode === undefined) return 'nothing';
    if (mode !== '120000') return 'no link';
    return { target: utf8(await askGit(this.place, 'cat-file', 'blob', `${commit}:${path}`)) };
  }

  /** Most of the files that are looked for are not there: one look answers for all of them. */
  #rootOf(commit: string): Promise<ReadonlySet<string>> {
    const known =
      this.#roots.get(commit) ??
      runGit(this.place, 'ls-tree', '-z', '--name-only', commit).then(
        ({ output }) => new Set(names(output)),
      );
    this.#roots.set(commit, known);
    return known;
  }

  /** Newest first. */
  async log(
    from: string,
    path: string | undefined,
    limit: number,
  ): Promise<readonly LoggedCommit[]> {
    const only = path === undefined ? [] : ['--', path];
    const words = ['--no-commit-header', FORMAT, `--max-count=${limit}`, '--end-of-options', from];
    return commits(await askGit(this.place, 'rev-list', ...words, ...only));
  }

  /** `undefined` if there is no such commit. */
  async commitDiff(commit: string): Promise<readonly FileDiff[] | undefined> {
    const found = await this.#commit(commit);
    if (found === undefined) return undefined;
    return (await this.#commit(`${found}^`)) === undefined
      ? this.#diff(EMPTY_TREE, found)
      : this.#diff(`${found}^`, found);
  }

  /** What `head` has since it left `base`. */
  async changeSince(base: string, head: string): Promise<BranchChange> {
    const from = (await this.#commit(base)) ?? base;
    const [files, found] = await Promise.all([
      this.#since(from, head).then((since) => this.#diff(since, head)),
      askGit(
        this.place,
        'rev-list',
        '--reverse',
        '--no-commit-header',
        FORMAT,
        '--max-count=250',
        '--end-of-options',
        head,
        `^${from}`,
      ),
    ]);
    return { commits: commits(found), files };
  }

  /** The same as a patch, as `git diff` prints it. */
  async patchSince(base: string, head: string): Promise<string> {
    return utf8(await askGit(this.place, ...DIFF, '-p', await this.#since(base, head), head));
  }

  async branches(): Promise<readonly string[]> {
    await this.refresh();
    const found = await askGit(
      this.place,
      'for-each-ref',
      '--format=%(refname:lstrip=2)',
      'refs/heads/',
    );
    return utf8(found).split('\n').filter(Boolean);
  }

  /** Removes what was made to read the folder. */
  async close(): Promise<void> {
    await this.#copy?.close();
  }

  async #since(base: string, head: string): Promise<string> {
    const { exitCode, output } = await runGit(this.place, 'merge-base', base, head);
    return exitCode === 0 ? output.trim() : base;
  }

  async #commit(name: string): Promise<string | undefined> {
    const words = ['rev-parse', '--verify', '-q', '--end-of-options', `${name}^{commit}`];
    const { exitCode, output } = await runGit(this.place, ...words);
    return exitCode === 0 ? output.trim() : undefined;
  }

  async #diff(from: string, to: string): Promise<readonly FileDiff[]> {
    const [raw, patch] = await Promise.all([
      askGit(this.place, ...DIFF, '--raw', '-z', from, to),
      askGit(this.place, ...DIFF, '-p', from, to),
    ]);
    return diffsIn(names(raw), utf8(patch));
  }
}

/** What is used here came with this version. */
const OLDEST = [2, 34] as const;

async function requireGit(): Promise<void> {
  const found = await versionOfGit();
  const [major = 0, minor = 0] = (found ?? '').split('.').map(Number);
  if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return;
  const has = found === undefined ? 'no git' : `git ${found}`;
  throw new TellPerson(
    `Working in a folder needs git ${OLDEST.join('.')} or newer, and its machine has ${has}. Install it.`,
  );
}

const DIFF = [
  'diff-tree',
  '-r',
  '-M',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--full-index',
];
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const FORMAT = '--format=%H%x00%an%x00%aI%x00%B%x00%x01';

const utf8 = (output: string): string => Buffer.from(output, 'latin1').toString('utf8');

const names = (output: string): string[] => utf8(output).split('\0').filter(Boolean);

const commits = (output: string): readonly LoggedCommit[] =>
  utf8(output)
    .split('\u0001')
    .map((one) => one.trimStart().split('\0'))
    .flatMap(([sha = '', author = '', at = '', message = '']) =>
      sha === '' ? [] : [{ sha, author, at, message: message.trim() }],
    );

/** `raw`: the parts of `--raw -z`. `patch`: what `-p` says of the same files, in the same order. */
function diffsIn(raw: readonly string[], patch: string): readonly FileDiff[] {
  const patches = patch.split(/^diff --git /m).slice(1);
  return filesIn(raw).map((file, at): FileDiff => {
    const text = patches[at] ?? '';
    const begin = text.search(/^@@ /m);
    if (begin >= 0) return { ...file, hunks: text.slice(begin) };
    return /^(?:Binary files|GIT binary patch)/m.test(text)
      ? { ...file, why: 'binary' }
      : { ...file, hunks: '' };
  });
}

const STATUS: ReadonlyMap<string, FileDiff['status']> = new Map([
  ['A', 'added'],
  ['D', 'deleted'],
  ['R', 'renamed'],
]);

/** Of `--raw -z`: facts, a path, and a second one if it was renamed. */
function filesIn(parts: readonly string[]): FileDiff[] {
  const files: FileDiff[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const [, oldMode, newMode, letter = 'M'] =
      /^:(\d+) (\d+) \S+ \S+ ([A-Z])/.exec(parts[at] ?? '') ?? [];
    if (oldMode === undefined || newMode === undefined) continue;
    const status = STATUS.get(letter) ?? 'modified';
    const from = parts[at + 1] ?? '';
    at += status === 'renamed' ? 2 : 1;
    const path = parts[at] ?? '';
    files.push({ path, status, ...(status === 'renamed' ? { from } : {}), oldMode, newMode });
  }
  return files;
}
