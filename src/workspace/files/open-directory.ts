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
  type Dirent,
  type Stats,
} from 'node:fs';
import { bytesOfName, isUtf8Name, nameOfBytes } from '../../lib/text/byte-names.ts';
import { hasCode, TryLater } from '../../lib/errors.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

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
