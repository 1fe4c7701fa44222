import { readdirSync, statSync, statfsSync, type Stats } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { unlessItFails } from '../unless-it-fails.ts';
import { visitEntries } from '../visit-entries.ts';
import { processesOf, threadsOf } from './memory.ts';

const BLOCK = 512;

export interface Free {
  readonly bytes: number;
  /** How many more files fit; 0 if the file system has no such limit. */
  readonly files: number;
  readonly total: number;
  readonly totalFiles: number;
}

export function freeOn(directory: string): Free {
  const { bavail, bsize, ffree, blocks, files } = statfsSync(directory);
  return { bytes: bavail * bsize, files: ffree, total: blocks * bsize, totalFiles: files };
}

export interface Growth {
  readonly bytes: number;
  readonly files: number;
}

/**
 * What was written in the directories since a time (milliseconds of the epoch), up to the limit. A changed
 * file counts with its whole size. Deleted files that the sandbox's processes still hold open count too.
 */
export async function growthSince(
  since: number,
  directories: readonly string[],
  root: string,
  limit: Growth,
): Promise<Growth> {
  let bytes = await deletedButOpen(root, directories[0] ?? '/');
  let files = 0;
  const count = (_path: Buffer, { ctimeMs, blocks }: Stats): void => {
    if (ctimeMs < since) return;
    bytes += blocks * BLOCK;
    files += 1;
  };
  for (const directory of directories)
    await visitEntries(directory, count, () => bytes > limit.bytes || files > limit.files);
  return { bytes, files };
}

/** Bytes. */
async function deletedButOpen(root: string, directory: string): Promise<number> {
  const { dev } = statSync(directory);
  const counted = new Map<number, number>();
  for (const thread of processesOf(root).flatMap(threadsOf)) {
    for (const name of unlessItFails(() => readdirSync(`${thread}/fd`)) ?? []) {
      const stats = unlessItFails(() => statSync(`${thread}/fd/${name}`));
      if (stats?.isFile() === true && stats.nlink === 0 && stats.dev === dev)
        counted.set(stats.ino, stats.blocks * BLOCK);
    }
    // A thread has at most a few thousand descriptors. There may be hundreds of threads.
    await nextTurn();
  }
  return [...counted.values()].reduce((sum, size) => sum + size, 0);
}
