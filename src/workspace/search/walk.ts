import { hasCode } from '../../lib/errors.ts';
import { ContainedTree } from '../files/contained-tree.ts';
import {
  IsSymbolicLink,
  NotPlainFile,
  FileTooLarge,
  readPlainFile,
  type OpenDirectory,
} from '../files/open-directory.ts';
import { IgnoreRules, readRules } from '../files/git-rules.ts';
import { canBeNamed } from '../files/path-policy.ts';
import { PathRules, type PathSettings } from '../files/repository-paths.ts';
import { trackedPaths } from '../files/walk-tree.ts';

const IGNORE_FILE = '.gitignore';

/** Nearly all names match this. Where one of them can be named, so can the others. */
const PLAIN_NAME = /^[\w@+=-][\w@+=.-]*$/;
const PLAIN_PREFIX = 256;

/** Files of one directory, by name. */
export interface FilesIn {
  /** Relative to the root; `''` for the root itself. */
  readonly directory: string;
  readonly names: readonly string[];
}

/** A directory, open during its iteration, with the names of its visible regular files. */
export interface WalkedDirectory {
  /** Relative to the root; `''` for the root itself. */
  readonly path: string;
  readonly directory: OpenDirectory;
  readonly files: readonly string[];
}

/**
 * The directories from `start` on, each before its subdirectories, sorted by name. Follows no links and
 * does not enter nested repositories. May miss changes made meanwhile.
 */
export function* walkDirectories(
  place: SearchPlace,
  start: readonly string[],
): Generator<WalkedDirectory> {
  const tree = new ContainedTree(place.root);
  const visible = new VisibleFiles(tree, place);
  // The parent directories are not walked, so assume that each may have a .gitignore.
  for (const depth of start.keys()) visible.note(start.slice(0, depth).join('/'), ['.gitignore']);
  const directory = tree.open(start);
  try {
    yield* walkFrom(directory, start.join('/'), visible);
  } finally {
    directory.close();
  }
}

function* walkFrom(
  directory: OpenDirectory,
  path: string,
  visible: VisibleFiles,
): Generator<WalkedDirectory> {
  const entries = unlessGone(() => directory.entries()) ?? [];
  const names = entries.map(({ name }) => name);
  if (path !== '' && names.includes('.git')) return;
  visible.note(path, names);
  const isVisible = visible.inside(path);
  const seen = entries.filter((entry) => isVisible(entry.name, entry.isDirectory()));
  const files = seen.filter((entry) => entry.isFile()).map(({ name }) => name);
  yield { path, directory, files: files.toSorted() };
  const inner = seen.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  for (const name of inner.toSorted())
    yield* walkInner(directory, name, joinPath(path, name), visible);
}

function* walkInner(
  outer: OpenDirectory,
  name: string,
  path: string,
  visible: VisibleFiles,
): Generator<WalkedDirectory> {
  const directory = unlessGone(() => outer.enter(name));
  if (directory === undefined) return;
  try {
    yield* walkFrom(directory, path, visible);
  } finally {
    directory.close();
  }
}

export const joinPath = (directory: string, name: string): string =>
  directory === '' ? name : `${directory}/${name}`;

/** Returns `undefined` if a file or directory has changed its kind, vanished, or is not readable. */
export function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof IsSymbolicLink ||
  error instanceof NotPlainFile ||
  hasCode(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'ELOOP');

/**
 * The files that a search may see: all except ignored files that are not tracked, paths that the path
 * policy rejects, and paths that the repository's settings deny.
 */
class VisibleFiles {
  readonly #isTracked: (path: string) => boolean;
  readonly #closed: PathRules | undefined;
  readonly #withIgnoreFile = new Set<string>();
  /** Ignored directories with tracked files, and those in them: all else there is ignored. */
  readonly #ofTracked = new Set<string>();
  readonly #ignored: IgnoreRules;

  constructor(tree: ContainedTree, place: SearchPlace) {
    this.#isTracked = trackedIn(place);
    this.#closed = (place.paths.deny ?? []).length > 0 ? new PathRules(place.paths) : undefined;
    const read = readRules(tree);
    this.#ignored = new IgnoreRules((directory) =>
      this.#withIgnoreFile.has(directory) ? read(directory) : undefined,
    );
  }

  /** Registers a directory and its names. Call it before `inside` for that directory. */
  note(directory: string, names: readonly string[]): void {
    // Most directories have none, and looking for it in each takes longer than the walk.
    if (names.includes(IGNORE_FILE)) this.#withIgnoreFile.add(directory);
  }

  /** Tells which names in a visible directory are visible. */
  inside(directory: string): (name: string, isDirectory: boolean) => boolean {
    const prefix = directory === '' ? '' : `${directory}/`;
    const isIgnoredHere = this.#ignored.inside(directory);
    const isIgnored = this.#ofTracked.has(directory) ? () => true : isIgnoredHere;
    const takesPlainNames = prefix.length <= PLAIN_PREFIX && canBeNamed(`${prefix}a`);
    const canBeHere = (name: string): boolean =>
      (takesPlainNames && PLAIN_NAME.test(name)) || canBeNamed(prefix + name);
    return (name, isDirectory) => {
      if (!canBeHere(name) || this.#closed?.isDenied(prefix + name) === true) return false;
      if (!isIgnored(name, isDirectory)) return true;
      if (!this.#isTracked(prefix + name)) return false;
      if (isDirectory) this.#ofTracked.add(prefix + name);
      return true;
    };
  }
}

export interface ReadFile {
  readonly path: string;
  readonly content: Buffer | 'too large';
}

/** Reads files in order. Those that have gone are left out. */
export function* readFiles(
  root: string,
  files: readonly FilesIn[],
  maxBytes: number,
): Generator<ReadFile> {
  const tree = new ContainedTree(root);
  for (const { directory: path, names } of files) {
    const directory = unlessGone(() => tree.open(path === '' ? [] : path.split('/')));
    if (directory === undefined) continue;
    try {
      for (const name of names) {
        const content = unlessGone(() => readWhole(directory, name, maxBytes));
        if (content !== undefined) yield { path: joinPath(path, name), content };
      }
    } finally {
      directory.close();
    }
  }
}

function readWhole(directory: OpenDirectory, name: string, maxBytes: number): ReadFile['content'] {
  try {
    const { content } = readPlainFile(directory.place(name), maxBytes);
    directory.requireInPlace();
    return content;
  } catch (error) {
    if (error instanceof FileTooLarge) return 'too large';
    throw error;
  }
}

/** A work tree to search in; crosses between threads. */
export interface SearchPlace {
  readonly root: string;
  /** The paths in the base commit, joined by NUL. Shared with the threads instead of copied. */
  readonly tracked: SharedArrayBuffer;
  readonly paths: PathSettings;
}

export function makePlace(
  root: string,
  tracked: Iterable<string> = [],
  paths: PathSettings = {},
): SearchPlace {
  const bytes = Buffer.from([...tracked].join('\0'));
  const shared = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(shared).set(bytes);
  return { root, tracked: shared, paths };
}

/** Whether a path is tracked, or is a directory with something tracked in it. */
function trackedIn({ tracked }: SearchPlace): (path: string) => boolean {
  let isTracked: ReturnType<typeof trackedPaths> | undefined;
  return (path) => {
    // Built lazily: only needed for ignored files, which most work trees do not have.
    isTracked ??= trackedPaths(Buffer.from(tracked).toString().split('\0'));
    return isTracked(path);
  };
}
