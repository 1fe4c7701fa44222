import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from '../error-code.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/** A name on the way turned out to be a symbolic link; none is ever followed. */
export class IsSymbolicLink extends Error {
  override readonly name = 'IsSymbolicLink';
}

/**
 * A directory held open. Where the system has /proc, a name below it is looked up in the very
 * directory that is open, so that exchanging a parent for a link between two steps leads nowhere;
 * elsewhere in the path it was opened by, which still follows no link that stands still.
 */
export class OpenDirectory {
  readonly #descriptor: number;
  readonly #path: string;
  readonly #hasProc: boolean;

  private constructor(path: string, hasProc: boolean) {
    this.#descriptor = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    this.#hasProc = hasProc;
    this.#path = hasProc ? `/proc/self/fd/${this.#descriptor}` : path;
  }

  static open(path: string, hasProc = existsSync('/proc/self/fd')): OpenDirectory {
    return new OpenDirectory(path, hasProc);
  }

  /** The path of `name` in here; the caller gives a single name, never `..`. */
  at(name: string): string {
    return join(this.#path, name);
  }

  /** Opens the directory `name` in here. @throws {IsSymbolicLink} */
  enter(name: string): OpenDirectory {
    try {
      return new OpenDirectory(this.at(name), this.#hasProc);
    } catch (error) {
      // The kernel says only ENOTDIR; the look here decides nothing but the words.
      if (isSymbolicLink(this.at(name))) throw new IsSymbolicLink(name, { cause: error });
      throw error;
    }
  }

  /** As `enter`; makes the directory where nothing is. */
  enterOrMake(name: string): OpenDirectory {
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
}

export function isSymbolicLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
