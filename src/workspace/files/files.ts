import { setImmediate as nextTurn } from 'node:timers/promises';
import { TellModel } from '../../lib/errors.ts';
import { ContainedTree } from './contained-tree.ts';
import { hasCode } from '../error-code.ts';
import { IsSymbolicLink } from './open-directory.ts';
import { parsePath, quotePath, refuseProtectedWrite } from './path-policy.ts';
import { FileTooLarge, NotPlainFile } from './plain-file.ts';
import type { StoredChange } from '../stored-change.ts';
import { isGitName, walkTree } from './walk-tree.ts';

const MAX_READ_BYTES = 1024 * 1024;
const MAX_WRITE_BYTES = 1024 * 1024;
const MAX_BUSY_MS = 10;

export interface ListedEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'other';
  readonly size: number;
}

/**
 * The file access of the tools: contained in one directory, within the policy, remembering what it
 * changed. Paths are relative to the root, with `/`. Refusals are `TellModel`.
 */
export class WorkspaceFiles {
  readonly #tree: ContainedTree;
  readonly #isTracked: (path: string) => boolean;
  readonly #changed = new Set<string>();

  /** `isTracked`: whether the commit that the workspace is based on holds the file or directory. */
  constructor(root: string, isTracked: (path: string) => boolean = () => false) {
    this.#tree = new ContainedTree(root);
    this.#isTracked = isTracked;
  }

  async read(path: string): Promise<Uint8Array> {
    return inWords(path, () => this.#tree.read(parseFilePath(path), MAX_READ_BYTES));
  }

  async write(path: string, content: Uint8Array): Promise<{ readonly replaced: boolean }> {
    const names = parseFilePath(path);
    refuseProtectedWrite(names);
    if (content.byteLength > MAX_WRITE_BYTES) throw tooLargeToWrite(path, content.byteLength);
    const replaced = await inWords(path, () => this.#tree.write(names, content));
    this.#changed.add(names.join('/'));
    return { replaced };
  }

  /** Sorted by name; without `.git`. */
  async list(path: string): Promise<readonly ListedEntry[]> {
    const entries = await inWords(path, () => this.#tree.list(parsePath(path)));
    return entries
      .filter(({ entry }) => !isGitName(entry.name))
      .map(({ entry, size }) => ({ name: entry.name, kind: kindOf(entry), size }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Every regular file below `path`, or `path` itself, that .gitignore does not leave out; sorted. */
  async find(path: string): Promise<readonly string[]> {
    return inWords(path, async () => {
      const start = parsePath(path);
      if (start.length > 0 && this.#tree.isFile(start)) return [start.join('/')];
      return this.#findBelow(start);
    });
  }

  /** Lets others have the event loop while it walks. */
  async #findBelow(start: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    let busySince = performance.now();
    for (const { path, stats } of walkTree(this.#tree, start, this.#isTracked)) {
      if (stats.isFile()) found.push(path);
      if (performance.now() - busySince < MAX_BUSY_MS) continue;
      await nextTurn();
      busySince = performance.now();
    }
    return found.toSorted();
  }

  /**
   * What changed since the last drain, whole. Applied in order to a fresh clone of the same commit, the
   * drained changes give the same work tree.
   */
  async drain(): Promise<StoredChange[]> {
    const changes = [...this.#changed].map((path) => this.#tree.capture(path.split('/')));
    this.#changed.clear();
    return changes;
  }

  /**
   * Applies drained changes of an earlier life, the last one of each path. The policy was kept when they
   * were first made.
   */
  restore(changes: readonly StoredChange[]): void {
    const last = new Map(changes.map((change) => [change.path, change]));
    // Deletions first: a directory may have made place for a file.
    const ordered = [...last.values()].toSorted((a, b) => rankOf(a) - rankOf(b));
    for (const change of ordered) this.#tree.restore(parsePath(change.path), change);
  }
}

const rankOf = ({ content }: StoredChange): number => (content === null ? 0 : 1);

function parseFilePath(path: string): string[] {
  const names = parsePath(path);
  if (names.length > 0) return names;
  throw new TellModel(`The path ${quotePath(path)} names no file: give one like "src/main.ts".`);
}

interface EntryKind {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

function kindOf(entry: EntryKind): ListedEntry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}

/** Runs file access; what goes wrong in an expected way becomes words for the model. */
async function inWords<T>(path: string, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    const words = wordsFor(error);
    if (words === undefined) throw error;
    throw new TellModel(`${quotePath(path)} ${words}`, { cause: error });
  }
}

function wordsFor(error: unknown): string | undefined {
  if (error instanceof IsSymbolicLink)
    return 'leads through a symbolic link, and links are never followed: name the real file.';
  if (error instanceof NotPlainFile)
    return 'is no plain file (a device, a pipe, or a file with a second name): leave it as it is.';
  if (error instanceof FileTooLarge)
    return `has ${error.size} bytes; files of more than ${MAX_READ_BYTES} are not read whole: search in it instead.`;
  if (hasCode(error, 'ENOENT')) return 'does not exist: list its directory to see what does.';
  if (hasCode(error, 'ENOTDIR'))
    return 'leads through a file, or is one: only directories hold files.';
  if (hasCode(error, 'EISDIR')) return 'is a directory: list it, or name a file in it.';
  if (hasCode(error, 'ENAMETOOLONG')) return 'is too long for the file system: use a shorter path.';
  return undefined;
}

const tooLargeToWrite = (path: string, size: number): TellModel =>
  new TellModel(
    `${quotePath(path)} would have ${size} bytes; at most ${MAX_WRITE_BYTES} are written to a file: split it.`,
  );
