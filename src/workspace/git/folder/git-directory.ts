// The files in a directory of git that someone else may have made, read and written without git. No link below it is
// followed, and nothing but files and directories is opened.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { hasCode, TellPerson, unlessItFails } from '../../../lib/errors.ts';
import { IsSymbolicLink, OpenDirectory, type DirectoryItem } from '../../files/open-directory.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
// Opening a pipe must not wait for its other end.
const READ_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
const WRITE_FLAGS = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

const MIB = 1024 * 1024;

/** Something in a directory of git is not what git itself puts there. */
class NotGits extends TellPerson {
  constructor(path: string, what: string) {
    super(
      `${path} ${what}. Issuewright follows no links among git's own files, because they may lead out of the repository. ` +
        'Put what it stands for in its place, or work in a fresh clone of the repository.',
    );
  }
}

export class GitDirectory {
  /** Absolute, without links. */
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The content of a file; `undefined` if there is none. @throws {TellPerson} if it is no file, or longer */
  read(name: string, maxBytes = MIB): Buffer | undefined {
    return this.#inParent(name, (parent, leaf) => {
      const descriptor = openSync(parent.at(leaf), READ_FLAGS);
      try {
        const stats = fstatSync(descriptor);
        if (!stats.isFile()) throw new NotGits(join(this.path, name), 'is not a file');
        if (stats.size > maxBytes)
          throw new TellPerson(
            `${join(this.path, name)} has more than ${Math.floor(maxBytes / 1024)} KiB, which Issuewright does not read.`,
          );
        return readFileSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
    });
  }

  /** Whether there is anything of this name. */
  has(name: string): boolean {
    return unlessItFails(() => lstatSync(join(this.path, name))) !== undefined;
  }

  /** In milliseconds; `undefined` if there is none. */
  timeOf(name: string): number | undefined {
    return this.#inParent(name, (parent, leaf) => lstatSync(parent.at(leaf)).mtimeMs);
  }

  /** The names in a directory with what they are; none if it is missing. @throws {TellPerson} if one is a link or no file */
  list(name: string): readonly DirectoryItem[] {
    const entries = this.#inParent(`${name}/.`, (parent) => parent.entries()) ?? [];
    for (const entry of entries) {
      const path = (): string => join(this.path, name, entry.name);
      if (entry.isSymbolicLink()) throw new NotGits(path(), 'is a link');
      if (!entry.isFile() && !entry.isDirectory()) throw new NotGits(path(), 'is not a file');
    }
    return entries;
  }

  /** The paths of all files below a directory. @throws {TellPerson} if one is a link or no file */
  files(name: string): string[] {
    return this.list(name).flatMap((entry) => {
      const path = `${name}/${entry.name}`;
      return entry.isDirectory() ? this.files(path) : [path];
    });
  }

  /** Adds a file that nobody changes again, unless it is there. */
  add(name: string, content: Uint8Array): void {
    this.#inMadeParent(name, (parent, leaf) => {
      const temporary = parent.at(`tmp_obj_${randomBytes(8).toString('hex')}`);
      writeNew(temporary, content, 0o444);
      try {
        linkSync(temporary, parent.at(leaf));
      } catch (error) {
        // Not every file system has links of this kind.
        if (hasCode(error, 'EPERM', 'ENOTSUP', 'EMLINK')) renameSync(temporary, parent.at(leaf));
        else if (!hasCode(error, 'EEXIST')) throw error;
      } finally {
        rmSync(temporary, { force: true });
      }
    });
  }

  /**
   * Changes a file as git does: others that do the same wait, or fail, from `content` on.
   * @param content answers the new content, or throws
   * @throws {Error} `EEXIST` if another process is changing it
   */
  replace(name: string, content: () => string): void {
    this.#inMadeParent(name, (parent, leaf) => {
      const lock = parent.at(`${leaf}.lock`);
      const descriptor = openSync(lock, WRITE_FLAGS, 0o666);
      try {
        writeFileSync(descriptor, content());
        fsyncSync(descriptor);
        // Git leaves empty directories where branches were.
        unlessItFails(() => rmdirSync(parent.at(leaf)));
        renameSync(lock, parent.at(leaf));
      } catch (error) {
        rmSync(lock, { force: true });
        throw error;
      } finally {
        closeSync(descriptor);
      }
    });
  }

  #inParent<T>(name: string, act: (parent: OpenDirectory, leaf: string) => T): T | undefined {
    try {
      return this.#open(name, (outer, inner) => outer.enter(inner), act);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  #inMadeParent(name: string, act: (parent: OpenDirectory, leaf: string) => void): void {
    this.#open(name, enterOrMake, act);
  }

  #open<T>(
    name: string,
    enter: (outer: OpenDirectory, name: string) => OpenDirectory,
    act: (parent: OpenDirectory, leaf: string) => T,
  ): T {
    const names = name.split('/');
    const leaf = names.pop() ?? '';
    let at = this.path;
    let directory = OpenDirectory.open(this.path);
    try {
      for (const each of names) {
        at = join(at, each);
        const outer = directory;
        directory = enter(outer, each);
        outer.close();
      }
      at = join(at, leaf);
      return act(directory, leaf);
    } catch (error) {
      if (error instanceof IsSymbolicLink || hasCode(error, 'ELOOP'))
        throw new NotGits(at, 'is a link');
      if (hasCode(error, 'ENOTDIR')) throw new TellPerson(`${at} is not a directory.`);
      throw error;
    } finally {
      directory.close();
    }
  }
}

/** A directory that a group shares gets the mode of the one around it. */
function enterOrMake(outer: OpenDirectory, name: string): OpenDirectory {
  const isNew = lstatSync(outer.at(name), { throwIfNoEntry: false }) === undefined;
  const directory = outer.enterOrMake(name);
  if (isNew) chmodSync(directory.at('.'), lstatSync(outer.at('.')).mode & 0o7777);
  return directory;
}

function writeNew(path: string, content: Uint8Array, mode: number): void {
  const descriptor = openSync(path, WRITE_FLAGS, mode);
  try {
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
