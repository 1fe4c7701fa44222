import type { SandboxLimits } from '../limits.ts';
import { floorOf, processesOf, threadDirectories } from './memory.ts';
import { readdirSync, statfsSync, statSync, type Stats } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { unlessItFails } from '../../../../src/lib/errors.ts';
import { visitEntries } from '../process-stat.ts';

const MEASURE_MS = 10_000;
/** On file systems that do not count their files. */
const MEASURE_UNCOUNTED_MS = 2000;
const REST = 20;
const FEW_FILES_PART = 0.02;
const KINDS = ['bytes', 'files'] as const;

const NONE: Growth = { bytes: 0, files: 0 };

/**
 * Watches what one sandbox writes to the disk. What the whole disk has lost is known at once, but others
 * write there too. Measuring what the sandbox wrote takes a while. So it is measured early and again, and if
 * most of the loss was the sandbox's own, all of the loss counts until the next measurement.
 */
export class DiskWatch {
  private readonly root: string;
  private readonly directories: readonly [string, ...string[]];
  private readonly limit: Growth;
  private readonly startedAt = Date.now();
  private readonly before;
  private measured = { own: NONE, lost: NONE };
  private nextAt = performance.now() + MEASURE_MS;
  private restUntil = 0;
  private measuring: Promise<void> | undefined;

  constructor(
    root: string,
    directories: readonly [string, ...string[]],
    limits: Pick<SandboxLimits, 'disk' | 'files'>,
  ) {
    this.root = root;
    this.directories = directories;
    this.limit = { bytes: limits.disk, files: limits.files };
    this.before = freeOn(directories[0]);
    if (this.before.files === 0) this.nextAt = performance.now() + MEASURE_UNCOUNTED_MS;
  }

  /** Waits for a measurement that is running. */
  async stop(): Promise<void> {
    await this.measuring;
  }

  /** Cheap: to be called every few milliseconds. */
  isOver(): boolean {
    const free = freeOn(this.directories[0]);
    const lost = {
      bytes: this.before.bytes - free.bytes,
      files: this.before.files - free.files,
    };
    const floor = floorOf(free.total);
    if (free.bytes < floor && lost.bytes > floor) return true;
    const few = free.totalFiles * FEW_FILES_PART;
    if (free.files < few && lost.files > few) return true;
    if (this.isDue(lost)) this.measuring ??= this.measure(lost).catch(() => {});
    return KINDS.some((kind) => this.ownGrowth(kind, lost) > this.limit[kind]);
  }

  private ownGrowth(kind: keyof Growth, lost: Growth): number {
    const { own, lost: lostThen } = this.measured;
    const isMostlyOwn = lostThen[kind] >= this.limit[kind] / 8 && own[kind] > lostThen[kind] / 2;
    return isMostlyOwn ? Math.max(own[kind], lost[kind]) : own[kind];
  }

  private isDue(lost: Growth): boolean {
    const now = performance.now();
    if (now >= this.nextAt) return true;
    return KINDS.some((kind) => {
      const hasDoubled =
        lost[kind] > this.limit[kind] / 8 && lost[kind] > 2 * this.measured.lost[kind];
      return hasDoubled || (lost[kind] > this.limit[kind] / 2 && now >= this.restUntil);
    });
  }

  private async measure(lost: Growth): Promise<void> {
    const from = performance.now();
    const own = await growthSince(this.startedAt, this.directories, this.root, this.limit);
    const now = performance.now();
    this.measured = { own, lost };
    this.restUntil = now + (now - from);
    const interval = this.before.files === 0 ? MEASURE_UNCOUNTED_MS : MEASURE_MS;
    this.nextAt = now + Math.max(interval, REST * (now - from));
    this.measuring = undefined;
  }
}

const BLOCK = 512;

interface FreeSpace {
  readonly bytes: number;
  /** How many more files fit; 0 if the file system has no such limit. */
  readonly files: number;
  readonly total: number;
  readonly totalFiles: number;
}

function freeOn(directory: string): FreeSpace {
  const { bavail, bsize, ffree, blocks, files } = statfsSync(directory);
  return { bytes: bavail * bsize, files: ffree, total: blocks * bsize, totalFiles: files };
}

interface Growth {
  readonly bytes: number;
  readonly files: number;
}

/**
 * What was written in the directories since a time (milliseconds of the epoch), up to the limit. A changed
 * file counts with its whole size. Deleted files that the sandbox's processes still hold open count too.
 */
async function growthSince(
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
  for (const thread of processesOf(root).flatMap(threadDirectories)) {
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
