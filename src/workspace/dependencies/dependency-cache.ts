// What `setup` of a repository installed in a clone that nobody had worked in, kept for the next sessions of the repository.
// Each gets a copy of its own, and nothing comes back from it.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import { mkdir, readFile, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ContainedTree } from '../files/contained-tree.ts';
import { removeTree } from '../remove-tree.ts';
import {
  BYTES,
  cacheKey,
  DEPENDENCIES,
  KEEPING,
  lockOfDependencies,
  setAside,
  setExcessAside,
  unlessMissing,
  type CachePlace,
} from '../git/engines/native/cache-room.ts';
import { lockFile } from '../git/engines/native/file-lock.ts';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { SYSTEM_PATH } from '../../lib/directories.ts';

/** What the paths of the settings are relative to: the work tree, and for those with `~/` the home of commands. */
export interface Roots {
  readonly tree: string;
  readonly home: string;
}

/** What the cache knows of one key. */
export type DependencyCacheEntry = { readonly path: string; readonly inode: number } & (
  | {
      /** Those of the paths that `setup` made. */
      readonly paths: readonly string[];
      /** `setup` made nothing else in the work tree. */
      readonly isAll: boolean;
    }
  /** Nothing is kept: a sentence that says why. */
  | { readonly rejected: string }
);
export type KeptDependencies = Extract<DependencyCacheEntry, { readonly isAll: boolean }>;
type KeptOrRejected = Pick<KeptDependencies, 'paths' | 'isAll'> | { readonly rejected: string };

const RECORD = 'record.json';
/** After this, what could not be kept is tried again. */
const REJECTED_MS = 3_600_000;
/** Longer than most `setup` take. */
const WAIT_SECONDS = 320;
/** Bytes of an entry without anything in it. */
const EMPTY_BYTES = 16_384;
const HOME = '~/';

export const isInHome = (path: string): boolean => path.startsWith(HOME);

export class DependencyCache {
  readonly #cache: CachePlace;
  readonly #repository: string;
  readonly #signal: AbortSignal;

  /** @param signal ends all that it does */
  constructor(cache: CachePlace, remoteUrl: string, signal: AbortSignal) {
    this.#cache = cache;
    this.#repository = join(cache.directory, cacheKey(cache, remoteUrl));
    this.#signal = signal;
  }

  /** @param key a digest of all that what is installed depends on; whoever asks may read the repository */
  async find(key: string): Promise<DependencyCacheEntry | undefined> {
    const path = this.#pathOf(key);
    const text = await readFile(join(path, RECORD), 'utf8').catch(unlessMissing);
    const stats = await stat(path).catch(unlessMissing);
    if (text === undefined || stats === undefined) return undefined;
    // Only we write it.
    const found = { ...(JSON.parse(text) as KeptOrRejected), path, inode: stats.ino };
    if (!('rejected' in found)) {
      const now = new Date();
      await utimes(path, now, now).catch(unlessMissing);
    } else if (Date.now() - stats.mtimeMs > REJECTED_MS) {
      await setAside(path, path);
      return undefined;
    }
    return found;
  }

  /** One at a time for a repository, in all processes. `undefined` if others take too long. */
  async locked<T>(act: () => Promise<T>): Promise<T | undefined> {
    await mkdir(this.#cache.directory, { recursive: true, mode: 0o700 });
    const place = { signal: this.#signal, seconds: WAIT_SECONDS };
    const lock = await lockFile(lockOfDependencies(this.#repository), place);
    if (lock === undefined) return undefined;
    try {
      return await act();
    } finally {
      await lock.release();
    }
  }

  /**
   * Copies what `setup` made, if it can be kept: files, directories and links, and not more than half of the cache. Call it
   * with the lock, when none of the commands runs any more. Whatever ends this process, an entry is whole or not there.
   * @returns a sentence that says why it cannot be kept
   */
  async keep(
    key: string,
    paths: readonly string[],
    from: Roots,
    isAll: boolean,
  ): Promise<DependencyCacheEntry | undefined> {
    for (const root of [from.tree, from.home])
      if (existsSync(root)) await openTree(this.#at(dirname(root), basename(root)));
    const made = paths.filter((path) => isDirectory(from, path));
    if (made.length === 0) return this.reject(key, `setup made none of ${paths.join(', ')}`);
    let bytes = EMPTY_BYTES;
    for (const path of made) {
      const why = await this.#within(from, path, async (place) => {
        bytes += await treeSize(place);
        return (await otherKind(place)) === ''
          ? undefined
          : `${path} has something in it that is neither a file nor a directory nor a link`;
      });
      if (why !== undefined) return this.reject(key, why);
    }
    if (bytes > this.#cache.maxBytes / 2)
      return this.reject(key, `${made.join(' and ')} take more than half of the cache`);
    await this.#write(key, { paths: made, isAll }, bytes, async (making) => {
      for (const [at, path] of made.entries())
        await this.#within(from, path, ({ directory, name }) =>
          copyTree(join(directory, name), this.#at(making, String(at))),
        );
    });
    return this.find(key);
  }

  /** Notes that nothing is kept under a key for now. Call it with the lock. */
  async reject(key: string, rejected: string): Promise<DependencyCacheEntry | undefined> {
    await this.#write(key, { rejected }, EMPTY_BYTES, () => Promise.resolve());
    return this.find(key);
  }

  /** Call without the lock, after something was kept. */
  async makeRoom(): Promise<void> {
    await setExcessAside(this.#cache, this.#signal);
  }

  /**
   * Puts copies where `setup` made the originals. Nothing is there yet, and no command runs.
   * @returns a sentence that says why not; then nothing was put there
   */
  async restore({ paths, path, inode }: KeptDependencies, to: Roots): Promise<string | undefined> {
    const taken = this.whatIsThere(paths, to);
    if (taken !== undefined) return `${taken} is there already`;
    const copied: string[] = [];
    try {
      for (const [at, one] of paths.entries()) {
        copied.push(one);
        await this.#within(to, one, (place) => copyTree(join(path, String(at)), place));
      }
      // What is to be removed gets another name before anything of it goes, so all of it was there.
      if ((await stat(path).catch(unlessMissing))?.ino === inode) return undefined;
      throw new Error('it was removed meanwhile');
    } catch (error) {
      this.#signal.throwIfAborted();
      for (const one of copied) await this.#within(to, one, removeCopy);
      if (existsSync(path)) throw error;
      return 'it was removed from the cache meanwhile';
    }
  }

  /** The first of the paths at which something is, or a link or file on the way there. */
  whatIsThere(paths: readonly string[], roots: Roots): string | undefined {
    return paths.find((path) => isThere(roots, path));
  }

  #pathOf(key: string): string {
    return `${this.#repository}-${key}${DEPENDENCIES}`;
  }

  #at(directory: string, name: string): TreePlace {
    return { directory, name, signal: this.#signal };
  }

  async #write(
    key: string,
    facts: KeptOrRejected,
    bytes: number,
    fill: (making: string) => Promise<void>,
  ): Promise<void> {
    // What a process of a dead service still writes is in another one.
    const making = `${this.#repository}-${key}.${randomUUID()}${KEEPING}`;
    try {
      await mkdir(making, { mode: 0o700 });
      await fill(making);
      await writeFile(join(making, BYTES), String(bytes));
      await writeFile(join(making, RECORD), JSON.stringify(facts));
      await writeToDisk(this.#at(making, '.'));
      await rename(making, this.#pathOf(key));
    } finally {
      if (!this.#signal.aborted) await removeTree(making);
    }
  }

  /** Follows no link on the way to a path, and makes the directories that are missing there. */
  async #within<T>(roots: Roots, path: string, act: (place: TreePlace) => Promise<T>): Promise<T> {
    const { root, names } = placeIn(roots, path);
    const parents = names.slice(0, -1);
    await mkdir(root, { recursive: true, mode: 0o700 });
    const tree = new ContainedTree(root);
    tree.makeDirectory(parents);
    const parent = tree.open(parents);
    try {
      return await act(this.#at(parent.at('.'), names.at(-1) ?? '.'));
    } finally {
      parent.close();
    }
  }
}

function placeIn({ tree, home }: Roots, path: string) {
  const inHome = isInHome(path);
  return {
    root: inHome ? home : tree,
    names: (inHome ? path.slice(HOME.length) : path).split('/'),
  };
}

/** Whether anything is there, or on the way that is no directory. */
function isThere(roots: Roots, path: string): boolean {
  const { root, names } = placeIn(roots, path);
  for (const depth of names.keys()) {
    const stats = lstatSync(join(root, ...names.slice(0, depth + 1)), { throwIfNoEntry: false });
    if (stats === undefined) return false;
    if (!stats.isDirectory()) return true;
  }
  return true;
}

/** One that no link leads to. */
function isDirectory(roots: Roots, path: string): boolean {
  const { root, names } = placeIn(roots, path);
  const tree = new ContainedTree(root);
  return tree.exists(names) && tree.kind(names) === 'directory';
}

// Whole directories, by the system's own programs: they are quick, follow no link, and go down any depth. Nothing else may
// work in the directories meanwhile. Names are given relative to a directory, and none begins with a slash.

const env = { PATH: SYSTEM_PATH.join(':'), LC_ALL: 'C' };

export interface TreePlace {
  /** The directory that the name is in. It may be below an open descriptor of ours. */
  readonly directory: string;
  readonly name: string;
  readonly signal: AbortSignal;
}

async function runProgram(
  program: string,
  args: readonly string[],
  { directory, signal }: TreePlace,
) {
  const { stdout } = await promisify(execFile)(program, args, { cwd: directory, env, signal });
  return stdout.trim();
}

const own = ({ name }: TreePlace): string => `./${name}`;

/** Lets us read and change all of it, and takes what would give rights of its owner to who starts a file. */
const openTree = (place: TreePlace): Promise<unknown> =>
  runProgram('chmod', ['-R', '--', 'u+rwX,a-st', own(place)], place);

/** What there is of a kind besides directories, files and links, as `find` names kinds; empty if nothing. */
const otherKind = (place: TreePlace): Promise<string> => {
  const known = ['d', 'f', 'l'].flatMap((kind) => ['!', '-type', kind]);
  return runProgram('find', [own(place), ...known, '-printf', '%y', '-quit'], place);
};

/** In bytes, with what their blocks do not use. */
export async function treeSize(place: TreePlace): Promise<number> {
  const [bytes = ''] = (
    await runProgram('du', ['-s', '--block-size=1', '--', own(place)], place)
  ).split('\t');
  return Number(bytes);
}

/**
 * A copy that shares no file with the original: by reference where the file system can, and never a hard link to it. It is ours.
 * @param to not there yet
 */
const copyTree = (from: string, to: TreePlace): Promise<unknown> =>
  runProgram('cp', ['-R', ...COPY, '--', from, own(to)], to);
const COPY = [
  '--no-dereference',
  '--no-target-directory',
  // Compiled Python is as old as its source, and npm trusts what is older than its own list.
  '--preserve=timestamps,links',
  '--reflink=auto',
];

const removeCopy = (place: TreePlace): Promise<unknown> =>
  runProgram('rm', ['-rf', '--', own(place)], place);

/** Waits until the disk has all that was written to the file system of a directory. */
export const writeToDisk = (place: TreePlace): Promise<unknown> =>
  runProgram('sync', ['--file-system', '--', own(place)], place);

/** Differs if a file or link was made, changed or removed, except in some directories below. */
export async function fingerprintTree(
  place: TreePlace,
  except: readonly string[],
): Promise<string> {
  const left = except.flatMap((path) => {
    const escaped = path.replaceAll(/[*?[\]\\]/g, String.raw`\$&`);
    return ['-path', `${own(place)}/${escaped}`, '-prune', '-o'];
  });
  const words = [own(place), ...left, '!', '-type', 'd', '-printf', String.raw`%y %m %s %T@ %P\0`];
  const { directory, signal } = place;
  const child = spawn('find', words, {
    cwd: directory,
    env,
    signal,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  const hash = createHash('sha256');
  for await (const part of child.stdout) hash.update(part as Buffer);
  const [exitCode] = (await ended) as [number | null];
  if (exitCode !== 0) throw new Error(`find exited with ${exitCode}`);
  return hash.digest('hex');
}
