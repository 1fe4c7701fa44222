import { makeDirectories } from '../../../lib/make-directories.ts';
import type { EngineName } from './index.ts';
import { keepRoom } from './native/cache-room.ts';
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
}

/** How clones are made. */
export interface GitSettings {
  readonly engine: EngineName;
  readonly maxBytes: number;
  readonly cache?: { readonly directory: string; readonly maxBytes: number } | undefined;
}

interface Log {
  info(facts: object, event: string): void;
  warn(facts: object, event: string): void;
}

export interface ChosenGit {
  readonly settings: GitSettings;
  /** Stops what keeps the cache within its limits. */
  close(): Promise<void>;
}

const MIB = 1024 * 1024;
/** isomorphic-git holds a download in memory. */
const MOST_BYTES = { native: 1024 * MIB, isomorphic: 256 * MIB };

/** @throws {Error} for the operator: git is wanted, and there is none that can be used */
export async function chooseGit(choice: GitChoice, log: Log): Promise<ChosenGit> {
  const { engine: wanted } = choice;
  const reason = wanted === 'isomorphic' ? 'GIT_ENGINE asks for it' : await lackOfGit();
  if (wanted === 'native' && reason !== undefined)
    throw new Error(
      `GIT_ENGINE=native needs git 2.38 or newer, and ${reason}. Install it, or remove the setting.`,
    );
  const maxBytes =
    choice.maxBytes ?? (reason === undefined ? MOST_BYTES.native : MOST_BYTES.isomorphic);
  if (reason !== undefined) {
    log.info({ engine: 'isomorphic', reason }, 'chose the git engine');
    return { settings: { engine: 'isomorphic', maxBytes }, close: () => Promise.resolve() };
  }
  const noCache = choice.cacheMaxBytes === 0 ? 'CACHE_MAX_BYTES is 0' : await lackOfLocks();
  const cached = noCache === undefined ? { cache: choice.cacheDirectory } : { noCache };
  log.info({ engine: 'native', version: await versionOfGit(), ...cached }, 'chose the git engine');
  if (noCache !== undefined)
    return { settings: { engine: 'native', maxBytes }, close: () => Promise.resolve() };
  const cache = { directory: choice.cacheDirectory, maxBytes: choice.cacheMaxBytes };
  makeDirectories(cache.directory, 0o700);
  return { settings: { engine: 'native', maxBytes, cache }, close: keepRoom(cache, log) };
}

const lackOfLocks = async (): Promise<string | undefined> =>
  (await canLock()) ? undefined : 'its machine has no program flock';
