// The files that commands can change, and how they look.
import { chmodSync, lstatSync, type BigIntStats } from 'node:fs';
import { hasCode } from '../../lib/errors.ts';
import { refuseMounts } from '../mount-points.ts';
import type { BaseTree } from './base-tree.ts';
import { ContainedTree } from '../files/contained-tree.ts';
import { leadsOut } from '../files/leaves-repository.ts';
import { IsSymbolicLink } from '../files/open-directory.ts';
import { contentOf, isRecorded, followedPaths, type Recorded } from '../files/recorded-changes.ts';
import { openToUs } from '../files/walk-tree.ts';
import { fingerprint, walkWorkTree } from './work-tree-changes.ts';

/** How much a command may change. `bytes` is the total size of the changed files afterwards. */
export interface ChangeLimits {
  readonly files: number;
  readonly bytes: number;
}

export interface LookRequest extends ChangeLimits {
  /** When the command began, by the clock of the files. If omitted, what it uncovers counts as changed by it. */
  readonly since?: bigint | undefined;
  /** What tools and commands are known to have made: commits take it wherever it is uncovered, so it is looked at while hidden. */
  readonly recorded: Recorded;
}

/** A file as recorded in the baseline. */
export interface Seen {
  readonly looks: string;
  /** Compared first: if the sizes differ, so does the content. */
  readonly size: bigint;
  /** As `contentOf` has it. */
  readonly content: string;
}

interface Found {
  readonly path: string;
  readonly stats: BigIntStats;
  readonly size: bigint;
  readonly looks: string;
}

/**
 * The files of a work tree, made readable, with those of `recorded` that .gitignore or a repository hides: what a command
 * makes of these is committed once they are uncovered.
 */
export function* seenFiles(
  root: string,
  base: BaseTree,
  listeners: Parameters<typeof walkWorkTree>[2],
  recorded: Recorded = new Map(),
): Generator<Found> {
  refuseMounts(root);
  const tree = new ContainedTree(root);
  const hidden = new Set(followedPaths(recorded, (path) => base.files.has(path)));
  const foundAt = (path: string, found: BigIntStats): Found => {
    const stats = opened(tree, path, found);
    return { path, stats, size: stats.size, looks: fingerprint(stats) };
  };
  for (const { path, stats } of walkWorkTree(root, base, listeners)) {
    hidden.delete(path);
    yield foundAt(path, stats);
  }
  for (const path of hidden) {
    const stats = fileAt(tree, path);
    if (stats !== undefined) yield foundAt(path, stats);
  }
}

/** The file or link at a path, whatever hides it. Opens its parents to us, each of which is looked up in the one before. */
export function fileAt(tree: ContainedTree, path: string): BigIntStats | undefined {
  const names = path.split('/');
  const last = names.pop() ?? '';
  let directory = tree.open([]);
  try {
    for (const name of names) {
      const stats = lstatSync(directory.at(name), { bigint: true });
      if (!stats.isDirectory()) return undefined;
      openToUs(directory.at(name), stats);
      const outer = directory;
      directory = outer.enter(name);
      outer.close();
    }
    const stats = lstatSync(directory.at(last), { bigint: true });
    return stats.isFile() || stats.isSymbolicLink() ? stats : undefined;
  } catch (error) {
    if (!(error instanceof IsSymbolicLink) && !hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    return undefined;
  } finally {
    directory.close();
  }
}

/** Makes a file readable: the command may have removed our permission. */
function opened(tree: ContainedTree, path: string, stats: BigIntStats): BigIntStats {
  if (!stats.isFile() || (stats.mode & 0o600n) === 0o600n) return stats;
  return tree.at(path.split('/'), (place) => {
    chmodSync(place, Number(stats.mode & 0o777n) | 0o600);
    return lstatSync(place, { bigint: true });
  });
}

export const readSeen = (root: string, { path, size, looks }: Found): Seen => ({
  looks,
  size,
  content: contentOf(new ContainedTree(root).capture(path.split('/'))),
});

/** A file that nothing is known to have made: any command that writes it changes it. */
export const unknown = ({ size, looks }: Found): Seen => ({ looks, size, content: 'unknown' });

/** What differs from a baseline. */
export class ChangesSeen {
  readonly seen = new Map<string, Seen>();
  readonly touched: string[] = [];
  readonly leadingOut: string[] = [];
  readonly uncovered: string[] = [];
  bytes = 0;
  excess: 'files' | 'bytes' | undefined;
  readonly #root: string;
  readonly #before: ReadonlyMap<string, Seen>;
  readonly #request: LookRequest;
  /** New here and older than the command: it moved a directory, or uncovered them. */
  readonly #older: Found[] = [];

  constructor(root: string, before: ReadonlyMap<string, Seen>, request: LookRequest) {
    this.#root = root;
    this.#before = before;
    this.#request = request;
  }

  compare(found: Found): void {
    const { path, looks } = found;
    const before = this.#before.get(path);
    if (before?.looks === looks) this.seen.set(path, before);
    else if (before === undefined && this.#isOlder(found)) this.#older.push(found);
    else this.#read(found, before);
  }

  note(paths: Iterable<string>): void {
    for (const path of paths) {
      this.touched.push(path);
      this.#limit();
      if (this.excess !== undefined) return;
    }
  }

  /** Call at the end. `mayUncover`: what hid files has changed. */
  settle(mayUncover: boolean): void {
    const didUncover = mayUncover || this.touched.some((path) => /(?:^|\/)\.gitignore$/.test(path));
    for (const found of this.#older) {
      if (this.excess !== undefined) return;
      if (!didUncover) this.#read(found, undefined);
      else this.#uncover(found);
    }
  }

  #uncover(found: Found): void {
    const { recorded } = this.#request;
    const known = recorded.has(found.path) ? readSeen(this.#root, found) : undefined;
    if (known === undefined || !isRecorded(recorded, found.path, known.content))
      this.uncovered.push(found.path);
    this.seen.set(found.path, known ?? unknown(found));
  }

  #isOlder({ stats }: Found): boolean {
    const { since } = this.#request;
    return since !== undefined && stats.ctimeNs < since;
  }

  #read(found: Found, before: Seen | undefined): void {
    const { path, size, stats } = found;
    const added = Number(size);
    if (before?.size !== size && this.bytes + added > this.#request.bytes) this.excess = 'bytes';
    if (this.excess !== undefined) return;
    const now = readSeen(this.#root, found);
    this.seen.set(path, now);
    if (now.content === before?.content) return;
    this.touched.push(path);
    if (stats.isSymbolicLink() && leadsOut(this.#root, path)) this.leadingOut.push(path);
    this.bytes += added;
    this.#limit();
  }

  #limit(): void {
    if (this.bytes > this.#request.bytes) this.excess = 'bytes';
    else if (this.touched.length > this.#request.files) this.excess = 'files';
  }
}
