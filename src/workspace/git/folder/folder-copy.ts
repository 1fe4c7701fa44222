// A repository of our own over the objects of one in a folder. Git works on this one only, so nothing that is written in the
// folder's repository, or linked from it, is obeyed. What is pushed to it reaches the folder by code of ours.
import { readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, TellPerson, unlessItFails } from '../../../lib/errors.ts';
import { KeyedMutex } from '../../../lib/keyed-mutex.ts';
import { removeTree } from '../../remove-tree.ts';
import { makeTemporaryDirectory } from '../../work-directory.ts';
import { makeGitdir } from '../engines/native/gitdir.ts';
import { runGitWith, type NativePlace } from '../engines/native/native-git.ts';
import type { FoundRepository } from './find-repository.ts';
import { GitDirectory } from './git-directory.ts';

const INDEX_BYTES = 1024 * 1024 * 1024;
const LOOSE = /^\.\/([\da-f]{2}\/[\da-f]{38})$/;
const PACK = /^\.\/(pack\/pack-[\da-f]{40}\.(?:pack|rev|idx))$/;
/** Git looks for a pack by its `.idx`, which therefore comes last. */
const KINDS = ['pack', 'rev', 'idx'];

export class FolderCopy {
  readonly place: NativePlace;
  readonly found: FoundRepository;
  readonly #directory: string;
  readonly #added = new Set<string>();
  readonly #turns = new KeyedMutex();
  #references: References = new Map();

  private constructor(found: FoundRepository, directory: string, signal: AbortSignal) {
    const gitdir = join(directory, 'repository');
    this.found = found;
    this.#directory = directory;
    this.place = { gitdir, tree: found.tree ?? gitdir, signal };
  }

  /** The caller closes it. @throws {TellPerson} if the repository cannot be read without following a link */
  static async make(found: FoundRepository, signal: AbortSignal): Promise<FolderCopy> {
    const copy = new FolderCopy(found, await makeTemporaryDirectory(), signal);
    try {
      await copy.#make();
      return copy;
    } catch (error) {
      await copy.close();
      throw error;
    }
  }

  async #make(): Promise<void> {
    const { found, place } = this;
    const { settings, common, gitdir, objects } = found;
    await makeGitdir(place.gitdir, '');
    const write = (name: string, content: string | Uint8Array): void =>
      writeFileSync(join(place.gitdir, name), content);
    const own = [...settings.fileSystem].map(
      ([key, is]) => `\t${key.replace('core.', '')} = ${is}\n`,
    );
    write(
      'config',
      `${readFileSync(join(place.gitdir, 'config'), 'latin1')}[core]\n${own.join('')}`,
    );
    write('objects/info/alternates', objects.map((path) => `${quoted(path)}\n`).join(''));
    const cut =
      common
        .read('shallow')
        ?.toString()
        .match(/^[\da-f]{40}$/gm) ?? [];
    if (cut.length > 0) write('shallow', `${cut.join('\n')}\n`);
    // Not important enough to reject the folder for it.
    const ignored = unlessItFails(() => common.read('info/exclude'));
    if (ignored !== undefined) write('info/exclude', ignored);
    for (const name of readdirSync(gitdir.path))
      if (name.startsWith('sharedindex.')) this.#copyIndex(name);
    this.#copyIndex('index');
    this.#read();
    if (settings.isPartial) await this.#requireFiles();
  }

  /** With its time, by which git knows which files it has to compare: never a later one. */
  #copyIndex(name: string): void {
    const { gitdir } = this.found;
    const time = gitdir.timeOf(name);
    const content = gitdir.read(name, INDEX_BYTES);
    if (content === undefined || time === undefined) return;
    const path = join(this.place.gitdir, name);
    writeFileSync(path, content);
    utimesSync(path, Math.floor(time / 1000), Math.floor(time / 1000));
  }

  /** Makes the references what those of the folder are. */
  #read(): void {
    const { gitdir } = this.place;
    this.#references = readReferences(this.found.common);
    const lines = [...this.#references].map(([name, object]) => `${object} ${name}\n`);
    const packed = join(gitdir, 'packed-refs');
    writeFileSync(`${packed}.new`, lines.join(''), 'latin1');
    renameSync(`${packed}.new`, packed);
    for (const { name } of new GitDirectory(gitdir).list('refs'))
      rmSync(join(gitdir, 'refs', name), { recursive: true });
    const { commit } = readHead(this.found.gitdir, this.#references);
    if (commit === undefined) return;
    const head = join(gitdir, 'HEAD');
    writeFileSync(`${head}.new`, `${commit}\n`);
    renameSync(`${head}.new`, head);
  }

  /** Whether a new branch cannot have this name. */
  async isTaken(branch: string): Promise<boolean> {
    const name = `refs/heads/${branch}`;
    const references = await this.refresh();
    return (
      this.found.common.has(name) ||
      references.has(name) ||
      [...references.keys()].some((one) => one.startsWith(`${name}/`)) ||
      checkedOut(this.found).includes(name)
    );
  }

  /** What is checked out in the folder. */
  head(): CheckedOut {
    return readHead(this.found.gitdir, this.#references);
  }

  /** Reads the references of the folder again, unless something is being pushed. */
  refresh(): Promise<References> {
    return this.#turns.run('', () => {
      this.#read();
      return Promise.resolve(this.#references);
    });
  }

  /**
   * Takes a push to this copy into the folder.
   * @param push resolves when git has it in this copy
   * @throws {NotMoved} if a branch is not where it was, or is checked out
   */
  take<T>(push: () => Promise<T>): Promise<T> {
    return this.#turns.run('', async () => {
      const result = await push();
      const now = readReferences(new GitDirectory(this.place.gitdir));
      const moves = [...now].flatMap(([name, to]) => {
        const from = this.#references.get(name);
        return from === to ? [] : [{ name, from, to }];
      });
      if (moves.length > 0) this.#addObjects();
      try {
        for (const move of moves) moveReference(this.found, move);
      } finally {
        this.#read();
      }
      return result;
    });
  }

  #addObjects(): void {
    const [own] = this.found.objects;
    if (own === undefined) return;
    const to = new GitDirectory(own);
    const from = new GitDirectory(join(this.place.gitdir, 'objects'));
    const paths = from
      .files('.')
      .flatMap((path) => LOOSE.exec(path)?.[1] ?? PACK.exec(path)?.[1] ?? []);
    const rank = (path: string): number => KINDS.indexOf(path.slice(path.lastIndexOf('.') + 1));
    for (const path of paths.toSorted((one, other) => rank(one) - rank(other))) {
      if (this.#added.has(path)) continue;
      to.add(path, readFileSync(join(from.path, path)));
      this.#added.add(path);
    }
  }

  /** @throws {TellPerson} if files of the last commit are missing */
  async #requireFiles(): Promise<void> {
    const words = ['rev-list', '--objects', '--no-walk', '--quiet', 'HEAD'];
    const { exitCode } = await runGitWith(this.place, {}, words);
    if (exitCode === 0) return;
    throw new TellPerson(
      'This is a partial clone, and files of its last commit are missing here. ' +
        'Fetch them (`git fetch --refetch --no-filter`), or work in a clone that was made without `--filter`.',
    );
  }

  close(): Promise<void> {
    return removeTree(this.#directory);
  }
}

/** As git reads a path in a list of them. */
const quoted = (path: string): string =>
  `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

// The references of a repository that someone else may have made, read and written as the files that they are. Names are
// text of one character for each byte, as git's own output is read.

const COMMIT = /^([\da-f]{40})\s*$/;
const SYMBOLIC = /^ref:\s*(\S+)\s*$/;
const LONGEST_REFERENCE = 4096;
const PACKED_BYTES = 256 * 1024 * 1024;

/** Names to objects. Those that lead nowhere are left out. */
type References = ReadonlyMap<string, string>;

/** @throws {TellPerson} if one is a link or no file */
function readReferences(common: GitDirectory): References {
  const found = new Map<string, string>();
  const packed = common.read('packed-refs', PACKED_BYTES)?.toString('latin1') ?? '';
  for (const [, object = '', name = ''] of packed.matchAll(/^([\da-f]{40}) (\S+)$/gm))
    if (isName(name)) found.set(name, object);
  const symbolic = new Map<string, string>();
  for (const path of common.files('refs')) {
    const name = Buffer.from(path).toString('latin1');
    if (!isName(name)) continue;
    const text = common.read(path, LONGEST_REFERENCE)?.toString('latin1') ?? '';
    const [, object] = COMMIT.exec(text) ?? [];
    const [, target] = SYMBOLIC.exec(text) ?? [];
    found.delete(name);
    if (object !== undefined) found.set(name, object);
    else if (target !== undefined) symbolic.set(name, target);
  }
  for (const [name, target] of symbolic) {
    const object = found.get(symbolic.get(target) ?? target);
    if (object !== undefined) found.set(name, object);
  }
  return found;
}

/** By the rules of git-check-ref-format, as far as it matters where a name is a path. */
const isName = (name: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- none may be in a name
  /^refs(?:\/(?!\.)[^\u0000-\u0020\u007f~^:?*[\\/]+)+$/.test(name) &&
  !/\.\.|@\{|\.lock(?:\/|$)/.test(name);

interface CheckedOut {
  /** Of a reference; `undefined` if a commit is checked out without one. */
  readonly name: string | undefined;
  /** `undefined` if the branch has no commit yet. */
  readonly commit: string | undefined;
}

function readHead(gitdir: GitDirectory, references: References): CheckedOut {
  const text = gitdir.read('HEAD', LONGEST_REFERENCE)?.toString('latin1') ?? '';
  const [, commit] = COMMIT.exec(text) ?? [];
  if (commit !== undefined) return { name: undefined, commit };
  const [, name = ''] = SYMBOLIC.exec(text) ?? [];
  return { name, commit: references.get(name) };
}

type SharedRepository = Pick<FoundRepository, 'common' | 'settings'>;

/** The references that are checked out in a work tree, whether they exist or not. */
function checkedOut({ common, settings }: SharedRepository): readonly string[] {
  const others = common.list('worktrees').map(({ name }) => `worktrees/${name}/HEAD`);
  return [...(settings.isBare ? [] : ['HEAD']), ...others].flatMap((path) => {
    const text = common.read(path, LONGEST_REFERENCE)?.toString('latin1') ?? '';
    return SYMBOLIC.exec(text)?.[1] ?? [];
  });
}

/** Why a reference was not moved, as the end of git's own line about it. */
export class NotMoved extends Error {
  override readonly name = 'NotMoved';
}

interface ReferenceMove {
  readonly name: string;
  /** `undefined`: it is new. */
  readonly from: string | undefined;
  readonly to: string;
}

/**
 * Moves a reference, if it is where it was. Nothing is checked out and nothing logged.
 * @throws {NotMoved} @throws {TellPerson} if something on the way is a link
 */
function moveReference(repository: SharedRepository, { name, from, to }: ReferenceMove): void {
  const { common } = repository;
  const path = Buffer.from(name, 'latin1').toString();
  try {
    common.replace(path, () => {
      if (checkedOut(repository).includes(name)) throw new NotMoved(`${name} is checked out`);
      const text = common.read(path, LONGEST_REFERENCE)?.toString('latin1');
      if (text !== undefined && SYMBOLIC.test(text))
        throw new NotMoved(`${name} is a symbolic reference`);
      if (readReferences(common).get(name) !== from)
        throw new NotMoved('failed to update ref: it was moved meanwhile');
      return `${to}\n`;
    });
  } catch (error) {
    if (!hasCode(error, 'EEXIST', 'EISDIR', 'ENOTEMPTY')) throw error;
    throw new NotMoved(
      hasCode(error, 'EEXIST')
        ? 'cannot lock ref: another process is writing it'
        : `there are references below ${name}`,
      { cause: error },
    );
  }
}
