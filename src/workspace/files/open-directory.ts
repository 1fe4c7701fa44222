import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  fchmodSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  type Dirent,
  type Stats,
} from 'node:fs';
import { randomBytes } from 'node:crypto';
import { bytesOfName, isUtf8Name, nameOfBytes } from '../../lib/text/byte-names.ts';
import { hasCode, TryLater, TellModel } from '../../lib/errors.ts';
import { quotePath } from './path-policy.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } =
  constants;

/** A part of the path is a symbolic link. Links are never followed. */
export class IsSymbolicLink extends Error {
  override readonly name = 'IsSymbolicLink';
}

/** @throws {TryLater} if a work tree is not there any more; the next attempt makes it again */
export function requireTree(root: string): void {
  if (lstatSync(root, { throwIfNoEntry: false }) === undefined) throw new TryLater(TREE_IS_GONE);
}

const TREE_IS_GONE =
  'the work tree of this session was removed while it worked. Something cleans the directory for temporary files: its operator can keep that from `issuewright-*`, or set `TMPDIR` to another one';

export type DirectoryItem = Pick<Dirent, 'name' | 'isFile' | 'isDirectory' | 'isSymbolicLink'>;

let procIsThere: boolean | undefined;

/** Whether the system has /proc, through which names can be resolved in an open directory. */
const hasProcFs = (): boolean => (procIsThere ??= existsSync('/proc/self/fd'));

/**
 * A directory that is held open. If the system has /proc, names are resolved in the open directory
 * itself, so replacing a parent with a link between two steps has no effect. Otherwise names are resolved
 * by path, after checking that the path still leads to this directory: a replacement between the check
 * and the step remains possible.
 */
export class OpenDirectory {
  readonly #descriptor: number;
  readonly #path: string;
  /** Only without /proc: the directory that the path must lead to. */
  readonly #identity: Stats | undefined;

  private constructor(path: string | Buffer, hasProc: boolean) {
    this.#descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    this.#identity = hasProc ? undefined : fstatSync(this.#descriptor);
    // Not `/proc/self`, which would be another link to resolve each time.
    this.#path = hasProc ? `/proc/${process.pid}/fd/${this.#descriptor}` : String(path);
  }

  static open(path: string, hasProc = hasProcFs()): OpenDirectory {
    return new OpenDirectory(path, hasProc);
  }

  /**
   * Opens a directory in one step, however deep it is. Returns `undefined` unless the kernel confirms that
   * the open directory is at exactly this path; the caller then opens it name by name to find out why.
   */
  static openAtOnce(path: string, hasProc = hasProcFs()): OpenDirectory | undefined {
    if (!hasProc) return undefined;
    let directory: OpenDirectory;
    try {
      directory = new OpenDirectory(path, hasProc);
    } catch {
      return undefined;
    }
    if (readlinkSync(directory.#path) === path) return directory;
    directory.close();
    return undefined;
  }

  /**
   * The path of `name` in this directory, for immediate use in one step; `.` is the directory itself. Pass
   * a single name, never `..`. @throws {IsSymbolicLink} without /proc, if the directory was replaced
   */
  at(name: string): string {
    this.requireInPlace();
    return `${this.#path}/${name}`;
  }

  /** Like `at` for what is only read: the name may have bytes that are not UTF-8. */
  place(name: string): string | Buffer {
    return isUtf8Name(name) ? this.at(name) : bytesOfName(this.at(name));
  }

  /** What is in it, with names as `nameOfBytes` reads them. */
  entries(): DirectoryItem[] {
    const entries = readdirSync(this.at('.'), { withFileTypes: true });
    if (!entries.some(({ name }) => name.includes('\u{fffd}'))) return entries;
    const read = readdirSync(this.at('.'), { withFileTypes: true, encoding: 'buffer' });
    return read.map((entry) => ({
      name: nameOfBytes(entry.name),
      isFile: () => entry.isFile(),
      isDirectory: () => entry.isDirectory(),
      isSymbolicLink: () => entry.isSymbolicLink(),
    }));
  }

  /** Opens the subdirectory `name`. @throws {IsSymbolicLink} */
  enter(name: string): OpenDirectory {
    try {
      return new OpenDirectory(this.place(name), this.#identity === undefined);
    } catch (error) {
      // The kernel reports only ENOTDIR; this check merely selects the error.
      if (hasCode(error, 'ENOTDIR', 'ELOOP') && isSymbolicLink(this.place(name)))
        throw new IsSymbolicLink(name, { cause: error });
      throw error;
    }
  }

  /** Like `enter`, but creates the directory if nothing exists. */
  enterOrMake(name: string): OpenDirectory {
    try {
      return this.enter(name);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    try {
      mkdirSync(this.at(name));
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    return this.enter(name);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Without /proc, checks that the path still leads to this directory. @throws {IsSymbolicLink} */
  requireInPlace(): void {
    if (this.#identity === undefined) return;
    const now = lstatSync(this.#path, { throwIfNoEntry: false });
    if (now?.dev === this.#identity.dev && now.ino === this.#identity.ino) return;
    throw new IsSymbolicLink(this.#path);
  }
}

export function isSymbolicLink(path: string | Buffer): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

// O_NONBLOCK: opening a FIFO must not wait for its other end.
const READ_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
const WRITE_FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

/** The path is not a regular file, or the file has a second hard link. */
export class NotPlainFile extends Error {
  override readonly name = 'NotPlainFile';
}

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
  readonly size: number;
  readonly limit: number;

  constructor(size: number, limit: number) {
    super(`${size} bytes`);
    this.size = size;
    this.limit = limit;
  }
}

interface PlainFile {
  readonly content: Buffer;
  readonly mode: number;
}

/** @throws {IsSymbolicLink | NotPlainFile | FileTooLarge} and the errors of `node:fs` */
export function readPlainFile(path: string | Buffer, maxBytes = Infinity): PlainFile {
  const descriptor = openForReading(path);
  try {
    const stats = fstatSync(descriptor);
    requireFile(stats, path);
    if (stats.size > maxBytes) throw new FileTooLarge(stats.size, maxBytes);
    return { content: readBytes(descriptor, stats.size), mode: stats.mode };
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces the whole file and keeps its mode, unless one is given. */
export function writePlainFile(
  parent: OpenDirectory,
  name: string,
  content: Uint8Array,
  mode?: number,
): { readonly mode: number; readonly replaced: boolean } {
  const before = modeOfReplaced(parent.at(name));
  const written = mode ?? before ?? 0o644;
  replaceByRename(parent, name, (temporary) => {
    const descriptor = openSync(temporary, WRITE_FLAGS, 0o600);
    try {
      writeFileSync(descriptor, content);
      fchmodSync(descriptor, written);
    } finally {
      closeSync(descriptor);
    }
  });
  return { mode: written, replaced: before !== undefined };
}

function openForReading(path: string | Buffer): number {
  try {
    return openSync(path, READ_FLAGS);
  } catch (error) {
    if (hasCode(error, 'ELOOP', 'EMLINK')) throw new IsSymbolicLink(String(path), { cause: error });
    if (hasCode(error, 'ENXIO')) throw new NotPlainFile(String(path), { cause: error });
    throw error;
  }
}

function requireFile(stats: Stats, path: string | Buffer): void {
  if (stats.isFile()) return;
  if (stats.isDirectory()) throw Object.assign(new Error('a directory'), { code: 'EISDIR' });
  throw stats.isSymbolicLink() ? new IsSymbolicLink(String(path)) : new NotPlainFile(String(path));
}

/** Reads at most `size` bytes; fewer if the file shrinks meanwhile. */
function readBytes(descriptor: number, size: number): Buffer {
  const content = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const read = readSync(descriptor, content, filled, size - filled, filled);
    if (read === 0) break;
    filled += read;
  }
  return content.subarray(0, filled);
}

/** The mode of the file about to be replaced. A file with a second hard link may be outside the tree too. */
function modeOfReplaced(path: string): number | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  requireFile(stats, path);
  if (stats.nlink > 1) throw new NotPlainFile(path);
  return stats.mode & 0o777;
}

/** A rename replaces whatever is at the name, without following a link that appears there. */
export function replaceByRename(
  parent: OpenDirectory,
  name: string,
  make: (temporary: string) => void,
): void {
  const temporary = `.issuewright-${randomBytes(8).toString('hex')}`;
  try {
    make(parent.at(temporary));
    renameSync(parent.at(temporary), parent.at(name));
  } catch (error) {
    rmSync(parent.at(temporary), { force: true });
    throw error;
  }
}

/**
 * Runs a file access and turns the errors that a model can cause into `TellModel`.
 * @param hint what follows "does not exist" if nothing exists at the path
 */
export async function explainFileErrors<T>(
  path: string,
  act: () => T | Promise<T>,
  hint: () => string | undefined = () => undefined,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const words = wordsFor(error);
    if (words === undefined) throw error;
    const more = hasCode(error, 'ENOENT') ? hint() : undefined;
    const all = more === undefined ? words : `does not exist${more}`;
    throw new TellModel(`${quotePath(path)} ${all}`, { cause: error });
  }
}

function wordsFor(error: unknown): string | undefined {
  if (error instanceof IsSymbolicLink)
    return 'leads through a symbolic link, and links are never followed: name the real file.';
  if (error instanceof NotPlainFile)
    return 'is not a regular file (it is a device, a pipe, or has several hard links), so it cannot be used.';
  if (error instanceof FileTooLarge)
    return `has ${error.size} bytes, and at most ${error.limit} can be handled here: search in it instead.`;
  if (hasCode(error, 'ENOENT')) return 'does not exist: list its directory to see what does.';
  if (hasCode(error, 'ENOTDIR'))
    return 'is not a valid path: one of its parents is a file, not a directory.';
  if (hasCode(error, 'EISDIR')) return 'is a directory: list it, or name a file in it.';
  if (hasCode(error, 'ENAMETOOLONG')) return 'is too long for the file system: use a shorter path.';
  return undefined;
}
