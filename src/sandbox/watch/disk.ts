import { readdirSync, statSync, statfsSync } from 'node:fs';
import { visitEntries } from '../visit-entries.ts';
import { processesOf } from './memory.ts';

const BLOCK = 512;

export interface Free {
  readonly bytes: number;
  /** How many more files fit; 0 if the file system has no such limit. */
  readonly files: number;
  readonly total: number;
}

export function freeOn(directory: string): Free {
  const { bavail, bsize, ffree, blocks } = statfsSync(directory);
  return { bytes: bavail * bsize, files: ffree, total: blocks * bsize };
}

export interface Growth {
  readonly bytes: number;
  readonly files: number;
}

/**
 * What was written in the directories since a time (milliseconds of the epoch). A changed file counts
 * with its whole size. Deleted files that the sandbox's processes still hold open count too.
 */
export async function growthSince(
  since: number,
  directories: readonly string[],
  root: string,
): Promise<Growth> {
  let bytes = 0;
  let files = 0;
  for (const directory of directories)
    await visitEntries(directory, (_path, { ctimeMs, blocks }) => {
      if (ctimeMs < since) return;
      bytes += blocks * BLOCK;
      files += 1;
    });
  return { bytes: bytes + deletedButOpen(root, directories[0] ?? '/'), files };
}

/** Bytes. */
function deletedButOpen(root: string, directory: string): number {
  const { dev } = statSync(directory);
  const counted = new Map<number, number>();
  for (const pid of quietly(() => processesOf(root)) ?? [])
    for (const name of quietly(() => readdirSync(`${root}/proc/${pid}/fd`)) ?? []) {
      const stats = quietly(() => statSync(`${root}/proc/${pid}/fd/${name}`));
      if (stats?.isFile() === true && stats.nlink === 0 && stats.dev === dev)
        counted.set(stats.ino, stats.blocks * BLOCK);
    }
  return [...counted.values()].reduce((sum, size) => sum + size, 0);
}

/** `undefined` if the process has ended meanwhile. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
