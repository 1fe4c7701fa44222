import { lstatSync, readlinkSync, rmdirSync, symlinkSync, unlinkSync } from 'node:fs';
import { isUtf8Name } from '../../lib/text/byte-names.ts';
import { hasCode, unlessItFails } from '../../lib/errors.ts';
import {
  isSymbolicLink,
  IsSymbolicLink,
  OpenDirectory,
  readPlainFile,
  replaceByRename,
  requireTree,
  writePlainFile,
  type DirectoryItem,
} from './open-directory.ts';
import type { EntryKind, StoredChange } from '../../contracts/files.ts';

/**
 * The files below one directory, accessed through open descriptors, so that no link is followed and
 * nothing outside is touched. Applies no path policy. Paths are lists of names, without `..`. Throws the
 * errors of `node:fs`, `IsSymbolicLink`, `NotPlainFile` and `FileTooLarge`.
 */
export class ContainedTree {
  readonly #root: string;
  readonly #hasProc: boolean | undefined;

  /** Pass `hasProc: false` to work as on systems without /proc. */
  constructor(root: string, hasProc?: boolean) {
    this.#root = root;
    this.#hasProc = hasProc;
  }

  read(names: readonly string[], maxBytes: number): Uint8Array {
    return this.#inParent(names, (parent, name) => {
      const { content } = readPlainFile(parent.place(name), maxBytes);
      parent.requireInPlace();
      return content;
    });
  }

  /** Creates missing directories. `replaced`: the file existed. */
  write(names: readonly string[], content: Uint8Array): StoredChange & { replaced: boolean } {
    const { mode, replaced } = this.#inMadeParent(names, (parent, name) =>
      writePlainFile(parent, name, content),
    );
    return { path: names.join('/'), mode: gitMode(mode), content, replaced };
  }

  /** The entries of a directory, with the sizes of its files and the targets of its links. */
  list(
    names: readonly string[],
  ): { name: string; kind: EntryKind; size: number; target?: string }[] {
    return this.#within(this.open(names), (directory) =>
      directory.entries().map((entry) => ({
        name: entry.name,
        kind: kindOf(entry),
        size: entry.isFile() ? sizeOf(directory.place(entry.name)) : 0,
        ...(entry.isSymbolicLink() ? targetOf(directory.place(entry.name)) : {}),
      })),
    );
  }

  /** The names in a directory. */
  names(names: readonly string[]): string[] {
    return this.#within(this.open(names), (directory) =>
      directory.entries().map(({ name }) => name),
    );
  }

  /** Whether anything exists at the path, including a link. */
  exists(names: readonly string[]): boolean {
    try {
      return Boolean(this.kind(names));
    } catch (error) {
      if (error instanceof IsSymbolicLink || hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
      throw error;
    }
  }

  kind(names: readonly string[]): EntryKind {
    return this.#inParent(names, (parent, name) => kindOf(lstatSync(parent.place(name))));
  }

  /** Calls `act` with a path that is valid during that call only. `act` must not follow a link there. */
  at<T>(names: readonly string[], act: (place: string) => T): T {
    return this.#inParent(names, (parent, name) => act(parent.at(name)));
  }

  /** The file or link at a path, as a change that would create it. */
  capture(names: readonly string[], maxBytes = Infinity): StoredChange {
    const path = names.join('/');
    try {
      return this.#inParent(names, (parent, name) => {
        const place = parent.at(name);
        if (isSymbolicLink(place))
          return { path, mode: '120000', content: readlinkSync(place, 'buffer') };
        const { content, mode } = readPlainFile(place, maxBytes);
        return { path, mode: gitMode(mode), content };
      });
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR'))
        return { path, mode: '100644', content: null };
      throw error;
    }
  }

  /** Applies a captured change at a path, replacing any file or link that exists there. */
  restore(names: readonly string[], { mode, content }: StoredChange): void {
    if (content === null) {
      // Behind a link is another file.
      if (this.exists(names)) this.remove(names);
    } else
      this.#inMadeParent(names, (parent, name) => {
        const isLink = mode === '120000';
        if (isSymbolicLink(parent.at(name))) unlinkSync(parent.at(name));
        if (!isLink) writePlainFile(parent, name, content, mode === '100755' ? 0o755 : 0o644);
        else
          replaceByRename(parent, name, (temporary) => {
            symlinkSync(Buffer.from(content), temporary);
          });
      });
  }

  /** Makes a directory that is missing, and its parents. */
  makeDirectory(names: readonly string[]): void {
    this.#within(this.#openOrMake(names), () => {});
  }

  /** Removes a file or link if it exists, and the directories that become empty, as git tracks none. */
  remove(names: readonly string[]): void {
    try {
      if (this.kind(names) === 'directory') return;
      this.#inParent(names, (parent, name) => unlinkSync(parent.at(name)));
      this.#removeEmptyParents(names);
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    }
  }

  #removeEmptyParents(names: readonly string[]): void {
    for (let depth = names.length - 1; depth > 0; depth -= 1) {
      try {
        this.#inParent(names.slice(0, depth), (parent, name) => rmdirSync(parent.at(name)));
      } catch (error) {
        if (hasCode(error, 'ENOTEMPTY', 'EEXIST')) return;
        throw error;
      }
    }
  }

  #inParent<T>(names: readonly string[], act: (parent: OpenDirectory, name: string) => T): T {
    const parent = this.open(names.slice(0, -1));
    return this.#within(parent, () => act(parent, names.at(-1) ?? '.'));
  }

  #inMadeParent<T>(names: readonly string[], act: (parent: OpenDirectory, name: string) => T): T {
    const parent = this.#openOrMake(names.slice(0, -1));
    return this.#within(parent, () => act(parent, names.at(-1) ?? '.'));
  }

  #within<T>(directory: OpenDirectory, act: (directory: OpenDirectory) => T): T {
    try {
      return act(directory);
    } finally {
      directory.close();
    }
  }

  /** Opens a directory; the caller closes it. */
  open(names: readonly string[]): OpenDirectory {
    return this.#openAtOnce(names) ?? this.#walk(names, (outer, name) => outer.enter(name));
  }

  #openOrMake(names: readonly string[]): OpenDirectory {
    return this.#openAtOnce(names) ?? this.#walk(names, (outer, name) => outer.enterOrMake(name));
  }

  #openAtOnce(names: readonly string[]): OpenDirectory | undefined {
    if (names.length === 0 || !names.every(isUtf8Name)) return undefined;
    return OpenDirectory.openAtOnce(`${this.#root}/${names.join('/')}`, this.#hasProc);
  }

  #walk(
    names: readonly string[],
    step: (outer: OpenDirectory, name: string) => OpenDirectory,
  ): OpenDirectory {
    requireTree(this.#root);
    let directory = OpenDirectory.open(this.#root, this.#hasProc);
    for (const name of names) {
      const outer = directory;
      try {
        directory = step(outer, name);
      } finally {
        outer.close();
      }
    }
    return directory;
  }
}

const gitMode = (mode: number): '100644' | '100755' => ((mode & 0o100) === 0 ? '100644' : '100755');

const sizeOf = (path: string | Buffer): number =>
  lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** Nothing if it is no link any more. */
function targetOf(path: string | Buffer): { target?: string } {
  const target = unlessItFails(() => readlinkSync(path, 'utf8'));
  return target === undefined ? {} : { target };
}

function kindOf(entry: Omit<DirectoryItem, 'name'>): EntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}

/** Whether anything is known to be at a path. */
export const isThereIn =
  (tree: ContainedTree) =>
  (names: readonly string[]): boolean =>
    unlessItFails(() => tree.exists(names)) === true;
