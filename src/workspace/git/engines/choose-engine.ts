import { tmpdir } from 'node:os';
import { makeDirectories } from '../../../lib/directories.ts';
import { openWorkDirectory, whyNotBelow } from '../../work-directory.ts';
import type { WorkDirectory } from '../../work-directory.ts';
import type { EngineName } from './engine.ts';
import { canRename, keepRoom } from './native/cache-room.ts';
import { canLock } from './native/file-lock.ts';
import { lackOfGit, versionOfGit } from './native/native-git.ts';

/** How the operator wants clones to be made. */
export interface GitChoice {
  readonly engine: EngineName | 'auto';
  /** Limit in bytes for a download, and for the files of a workspace; that of the engine if omitted. */
  readonly maxBytes: number | undefined;
  /** The limit in bytes for the cache; 0: none. */
  readonly cacheMaxBytes: number;
  /** An absolute path, of a directory for the cache alone. */
  readonly cacheDirectory: string;
  /** The same for work trees, if the directory for temporary files is on another file system than the cache. */
  readonly workDirectory: string;
  /** What the operator says is the directory for temporary files. */
  readonly temporaryDirectory?: string | undefined;
}

/** How clones are made. */
export interface GitSettings {
  readonly engine: EngineName;
  readonly maxBytes: number;
  readonly cache?: { readonly directory: string; readonly maxBytes: number } | undefined;
  /** Where work trees are; in the directory for temporary files if omitted. */
  readonly workDirectory?: string | undefined;
}

interface Log {
  info(facts: object, event: string): void;
  warn(facts: object, event: string): void;
}

export interface ChosenGit {
  readonly settings: GitSettings;
  /** Stops what keeps the cache within its limits, and removes the directory of work trees. */
  close(): Promise<void>;
}

const MIB = 1024 * 1024;
/** Unless the operator sets a limit. isomorphic-git holds a download in memory. */
export const DEFAULT_MAX_BYTES = { native: 1024 * MIB, isomorphic: 256 * MIB };

/** @throws {Error} for the operator: git is wanted, and there is none that can be used */
export async function chooseGit(choice: GitChoice, log: Log): Promise<ChosenGit> {
  const { engine: wanted } = choice;
  const reason = wanted === 'isomorphic' ? 'GIT_ENGINE asks for it' : await lackOfGit();
  if (wanted === 'native' && reason !== undefined)
    throw new Error(
      `GIT_ENGINE=native needs git 2.38 or newer, and ${reason}. Install it, or remove the setting.`,
    );
  const maxBytes =
    choice.maxBytes ??
    (reason === undefined ? DEFAULT_MAX_BYTES.native : DEFAULT_MAX_BYTES.isomorphic);
  if (reason !== undefined) {
    log.info({ engine: 'isomorphic', reason }, 'chose the git engine');
    return { settings: { engine: 'isomorphic', maxBytes }, close: () => Promise.resolve() };
  }
  const noCache = choice.cacheMaxBytes === 0 ? 'CACHE_MAX_BYTES is 0' : await lackOfLocks();
  const version = await versionOfGit();
  if (noCache !== undefined) {
    log.info({ engine: 'native', version, noCache }, 'chose the git engine');
    return { settings: { engine: 'native', maxBytes }, close: () => Promise.resolve() };
  }
  const cache = { directory: choice.cacheDirectory, maxBytes: choice.cacheMaxBytes };
  makeDirectories(cache.directory, 0o700);
  const { work, noSpareTrees } = await placeOfWorkTrees(choice);
  const places = { cache: cache.directory, workTrees: work?.path ?? tmpdir(), noSpareTrees };
  log.info({ engine: 'native', version, ...places }, 'chose the git engine');
  const stop = keepRoom(cache, log);
  const close = async (): Promise<void> => {
    await stop();
    await work?.close();
  };
  return { settings: { engine: 'native', maxBytes, cache, workDirectory: work?.path }, close };
}

/** Where spare work trees can be renamed to, unless the operator wants another place, or there is none. */
async function placeOfWorkTrees({
  cacheDirectory,
  workDirectory,
  temporaryDirectory,
}: GitChoice): Promise<{ work?: WorkDirectory; noSpareTrees?: string }> {
  if (canRename(cacheDirectory)) return {};
  if (temporaryDirectory !== undefined)
    return { noSpareTrees: 'TMPDIR is on another file system than DATA_DIR' };
  const noSpareTrees = whyNotBelow(workDirectory);
  return noSpareTrees === undefined
    ? { work: await openWorkDirectory(workDirectory) }
    : { noSpareTrees };
}

const lackOfLocks = async (): Promise<string | undefined> =>
  (await canLock()) ? undefined : 'its machine has no program flock';
