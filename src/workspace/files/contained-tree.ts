import { lstatSync, readdirSync, readlinkSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { hasCode } from '../error-code.ts';
import { isSymbolicLink, IsSymbolicLink, OpenDirectory } from './open-directory.ts';
import { readPlainFile, replaceByRename, writePlainFile } from './plain-file.ts';
import type { StoredChange } from '../stored-change.ts';

/**
 * The files below one directory, reached name by name through open descriptors: no link is followed,
 * nothing outside is touched. It knows no policy. Places are lists of names, without `..`. Throws the
 * errors of `node:fs` and those above.
 */
export class ContainedTree {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  read(names: readonly string[], maxBytes: number): Uint8Array {
    return this.#inParent(names, (parent, name) => {
      const { content } = readPlainFile(parent.at(name), maxBytes);
      return content;
    });
  }

  /** Makes missing directories. Answers whether the file was there. */
  write(names: readonly string[], content: Uint8Array): boolean {
    return this.#inMadeParent(names, (parent, name) => writePlainFile(parent, name, content));
  }

  /** What is in a directory, and how large its files are. */
  list(names: readonly string[]): { entry: Dirent; size: number }[] {
    const directory = this.#open(names, false);
    try {
      return readdirSync(directory.at('.'), { withFileTypes: true }).map((entry) => ({
        entry,
        size: entry.isFile() ? sizeOf(directory.at(entry.name)) : 0,
      }));
    } finally {
      directory.close();
    }
  }

  exists(names: readonly string[]): boolean {
    try {
      return this.#inParent(names, (parent, name) => Boolean(lstatSync(parent.at(name))));
    } catch (error) {
      if (error instanceof IsSymbolicLink || hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
      throw error;
    }
  }

  isFile(names: readonly string[]): boolean {
    return this.#inParent(names, (parent, name) => lstatSync(parent.at(name)).isFile());
  }

  /** What stands at a place, as a change that would put it there. */
  capture(names: readonly string[]): StoredChange {
    const path = names.join('/');
    try {
      return this.#inParent(names, (parent, name) => {
        const place = parent.at(name);
        if (isSymbolicLink(place))
          return { path, mode: '120000', content: readlinkSync(place, 'buffer') };
        const { content, mode } = readPlainFile(place);
        return { path, mode: (mode & 0o100) === 0 ? '100644' : '100755', content };
      });
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return { path, mode: '100644', content: null };
      throw error;
    }
  }

  /** Does what `capture` saw: for changes of an earlier life of the same workspace. */
  restore(names: readonly string[], { mode, content }: StoredChange): void {
    if (content === null) this.#remove(names);
    else
      this.#inMadeParent(names, (parent, name) => {
        const isLink = mode === '120000';
        if (isSymbolicLink(parent.at(name))) rmSync(parent.at(name));
        if (!isLink) writePlainFile(parent, name, content, mode === '100755' ? 0o755 : 0o644);
        else
          replaceByRename(parent, name, (temporary) => {
            symlinkSync(Buffer.from(content), temporary);
          });
      });
  }

  #remove(names: readonly string[]): void {
    try {
      this.#inParent(names, (parent, name) => rmSync(parent.at(name)));
      this.#removeEmptyParents(names);
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    }
  }

  /** As git does: a directory without files is none. */
  #removeEmptyParents(names: readonly string[]): void {
    for (let depth = names.length - 1; depth > 0; depth -= 1) {
      const directory = names.slice(0, depth);
      if (this.list(directory).length > 0) return;
      this.#inParent(directory, (parent, name) => rmdirSync(parent.at(name)));
    }
  }

  #inParent<T>(names: readonly string[], act: (parent: OpenDirectory, name: string) => T): T {
    return this.#inDirectory(names, false, act);
  }

  #inMadeParent<T>(names: readonly string[], act: (parent: OpenDirectory, name: string) => T): T {
    return this.#inDirectory(names, true, act);
  }

  #inDirectory<T>(
    names: readonly string[],
    make: boolean,
    act: (parent: OpenDirectory, name: string) => T,
  ): T {
    const parent = this.#open(names.slice(0, -1), make);
    try {
      return act(parent, names.at(-1) ?? '.');
    } finally {
      parent.close();
    }
  }

  /** Opens a directory; the caller closes it. */
  open(names: readonly string[]): OpenDirectory {
    return this.#open(names, false);
  }

  #open(names: readonly string[], make: boolean): OpenDirectory {
    let directory = OpenDirectory.open(this.#root);
    for (const name of names) {
      const outer = directory;
      try {
        directory = make ? outer.enterOrMake(name) : outer.enter(name);
      } finally {
        outer.close();
      }
    }
    return directory;
  }
}

const sizeOf = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
