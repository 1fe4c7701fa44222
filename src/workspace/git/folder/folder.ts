// A repository in a folder of this machine, read with the program git. Its work tree is only looked at.
import { basename } from 'node:path';
import type { FileDiff } from '../../../contracts/git.ts';
import type { BranchChange, LoggedCommit } from '../../../contracts/forge.ts';
import { diffsIn } from './folder-diff.ts';
import { TellPerson } from '../../../lib/errors.ts';
import {
  askGit,
  lackOfGit,
  lookWithGit,
  runGit,
  type NativePlace,
} from '../engines/native/native-git.ts';

/** Files that differ from the last commit, as far as they are counted. */
const MOST_COMPARED = 2000;
const LONGEST_FILE = 64 * 1024;

export interface FolderHead {
  /** In full. */
  readonly commit: string;
  /** `undefined` if no branch is checked out. */
  readonly branch: string | undefined;
}

export class FolderRepository {
  readonly place: NativePlace;
  /** Of the folder, for people. */
  readonly name: string;
  readonly #isBare: boolean;

  private constructor(place: NativePlace, isBare: boolean) {
    this.place = place;
    this.name = basename(isBare ? place.gitdir.replace(/\.git$/, '') : place.tree) || 'repository';
    this.#isBare = isBare;
  }

  /** @throws {TellPerson} if there is no repository, or no git that reads it */
  static async find(folder: string, signal: AbortSignal): Promise<FolderRepository> {
    const lack = await lackOfGit();
    if (lack !== undefined)
      throw new TellPerson(`Working in a folder needs git 2.38 or newer, and ${lack}. Install it.`);
    const found = await discover(folder, signal);
    if (found === undefined)
      throw new TellPerson(
        `${folder} is not in a git repository. Change to one, or make one with \`git init\` and a first commit.`,
      );
    if (found.format !== 'sha1')
      throw new TellPerson(
        `The repository in ${folder} uses ${found.format} for its objects; only sha1 is supported.`,
      );
    const { gitdir, tree = gitdir } = found;
    return new FolderRepository({ gitdir, tree, signal }, found.tree === undefined);
  }

  /** @throws {TellPerson} if there are no commits */
  async head(): Promise<FolderHead> {
    const { exitCode, output } = await runGit(
      this.place,
      'rev-parse',
      '--verify',
      '-q',
      'HEAD^{commit}',
    );
    if (exitCode !== 0)
      throw new TellPerson(
        'This repository has no commits yet. The agent begins at the last commit: make a first one.',
      );
    const branch = await runGit(this.place, 'symbolic-ref', '-q', 'HEAD');
    const name = utf8(branch.output)
      .trim()
      .replace(/^refs\/heads\//, '');
    return { commit: output.trim(), branch: branch.exitCode === 0 ? name : undefined };
  }

  /** The files that differ from the last commit, by path. No filter of the repository is run, so those that git converts may be among them. */
  async uncommitted(): Promise<readonly string[]> {
    if (this.#isBare) return [];
    const [staged, touched, others] = await Promise.all([
      askGit(this.place, 'diff-index', '--cached', '--name-only', '-z', 'HEAD'),
      askGit(this.place, 'diff-files', '--raw', '-z', '--ignore-submodules=all'),
      askGit(this.place, 'ls-files', '--others', '--exclude-standard', '-z'),
    ]);
    const changed = await this.#changed(touched);
    return [...new Set([...names(staged), ...changed, ...names(others)])].toSorted();
  }

  /** A file whose time differs may have the content that it had. */
  async #changed(raw: string): Promise<readonly string[]> {
    const parts = names(raw);
    const touched = parts.flatMap((facts, at) => {
      const [, oid = '', status] = /^:\d+ \d+ ([0-9a-f]+) [0-9a-f]+ ([A-Z])/.exec(facts) ?? [];
      const path = parts[at + 1];
      return status === undefined || path === undefined ? [] : [{ path, oid, status }];
    });
    const compared = touched.filter(({ status }) => status === 'M').slice(0, MOST_COMPARED);
    const others = touched.filter((one) => !compared.includes(one)).map(({ path }) => path);
    if (compared.length === 0) return others;
    const paths = compared.map(({ path }) => path);
    const { exitCode, output } = await runGit(
      this.place,
      'hash-object',
      '--no-filters',
      '--',
      ...paths,
    );
    if (exitCode !== 0) return [...others, ...paths];
    const now = output.trim().split('\n');
    return [
      ...others,
      ...compared.filter(({ oid }, at) => now[at] !== oid).map(({ path }) => path),
    ];
  }

  /** A file of a commit; `undefined` without one. @throws {TellPerson} if it is no file, or too long */
  async readFile(commit: string, path: string): Promise<string | undefined> {
    const found = await runGit(this.place, 'ls-tree', '-z', '-l', commit, '--', path);
    const [, mode, type, size] = /^(\d+) (\w+) \S+ +(\S+)\t/.exec(found.output) ?? [];
    if (type === undefined) return undefined;
    if (type !== 'blob' || mode === '120000' || Number(size) > LONGEST_FILE)
      throw new TellPerson(`${path} is not a file, or has more than ${LONGEST_FILE} bytes.`);
    return utf8(await askGit(this.place, 'cat-file', 'blob', `${commit}:${path}`));
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
    const found = await askGit(
      this.place,
      'for-each-ref',
      '--format=%(refname:lstrip=2)',
      'refs/heads/',
    );
    return utf8(found).split('\n').filter(Boolean);
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

interface Found {
  readonly gitdir: string;
  /** `undefined` in a bare repository. */
  readonly tree: string | undefined;
  /** Of its objects: `sha1` or `sha256`. */
  readonly format: string;
}

async function discover(directory: string, signal: AbortSignal): Promise<Found | undefined> {
  const ask = async (word: string): Promise<string | undefined> => {
    const { exitCode, output } = await lookWithGit(directory, signal, ['rev-parse', word]);
    return exitCode === 0 ? utf8(output).replace(/\n$/, '') : undefined;
  };
  const gitdir = await ask('--absolute-git-dir');
  if (gitdir === undefined) return undefined;
  const isBare = (await ask('--is-bare-repository')) === 'true';
  const tree = isBare ? undefined : await ask('--show-toplevel');
  return { gitdir, tree, format: (await ask('--show-object-format')) ?? 'sha1' };
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
