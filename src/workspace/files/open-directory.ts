import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  type Stats,
} from 'node:fs';
import { hasCode } from '../../lib/errors.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** A name on the way turned out to be a symbolic link; none is ever followed. */
export class IsSymbolicLink extends Error {
  override readonly name = 'IsSymbolicLink';
}

let procIsThere: boolean | undefined;

/** Whether the system has /proc, where a name can be looked up in a directory that is open. */
const hasProcFs = (): boolean => (procIsThere ??= existsSync('/proc/self/fd'));

/**
 * A directory held open. Where the system has /proc, a name below it is looked up in the very
 * directory that is open, so that exchanging a parent for a link between two steps leads nowhere.
 * Elsewhere it is looked up in the path, once that is seen to lead to this directory still: an
 * exchange between the look and the step remains possible.
 */
export class OpenDirectory {
  readonly #descriptor: number;
  readonly #path: string;
  /** Where there is no /proc: what the path has to lead to. */
  readonly #identity: Stats | undefined;

  private constructor(path: string, hasProc: boolean) {
    this.#descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    this.#identity = hasProc ? undefined : fstatSync(this.#descriptor);
    // By its number: `/proc/self` would be one link more to follow, each time.
    this.#path = hasProc ? `/proc/${process.pid}/fd/${this.#descriptor}` : path;
  }

  static open(path: string, hasProc = hasProcFs()): OpenDirectory {
    return new OpenDirectory(path, hasProc);
  }

  /**
   * Opens a directory in one step, however deep it is. `undefined` where the kernel does not say that
   * what is open stands at exactly this path, or cannot say it: then only a walk can tell why.
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
   * The path of `name` in here, for one step at once; `.` is the directory. The caller gives a single
   * name, never `..`. @throws {IsSymbolicLink} where there is no /proc, and something was exchanged
   */
  at(name: string): string {
    this.requireInPlace();
    return `${this.#path}/${name}`;
  }

  /** Opens the directory `name` in here. @throws {IsSymbolicLink} */
  enter(name: string): OpenDirectory {
    try {
      return new OpenDirectory(this.at(name), this.#identity === undefined);
    } catch (error) {
      // The kernel says only ENOTDIR; the look here decides nothing but the words.
      if (hasCode(error, 'ENOTDIR', 'ELOOP') && isSymbolicLink(this.at(name)))
        throw new IsSymbolicLink(name, { cause: error });
      throw error;
    }
  }

  /** As `enter`; makes the directory where nothing is. */
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

  /** Where there is no /proc: that the path leads here still. @throws {IsSymbolicLink} */
  requireInPlace(): void {
    if (this.#identity === undefined) return;
    const now = lstatSync(this.#path, { throwIfNoEntry: false });
    if (now?.dev === this.#identity.dev && now.ino === this.#identity.ino) return;
    throw new IsSymbolicLink(this.#path);
  }
}

export function isSymbolicLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
