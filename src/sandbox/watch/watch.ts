import type { Limits } from '../limits.ts';
import type { Overrun } from '../shell.ts';
import { freeOn, growthSince } from './disk.ts';
import { insideRoot, isSetUp, machineMemory, memoryOf } from './memory.ts';

const INTERVAL_MS = 50;
/** The watch takes at most one part in so many of the processor's time. */
const REST = 20;
const MEASURE_DISK_MS = 10_000;
const MIB = 1024 * 1024;
/** What the machine is left with: this, or that part of it. */
const FLOOR_BYTES = 256 * MIB;
const FLOOR_PART = 0.02;

export interface Watched {
  /** The first process of the sandbox, as the host numbers it. */
  readonly pid: number;
  /** What it can write; the first one says which disk. */
  readonly directories: readonly [string, ...string[]];
  readonly limits: Limits;
  /** Called once. */
  readonly onOverrun: (why: Overrun) => void;
}

/**
 * Looks every 50 ms at what a sandbox has taken of memory and disk. It also sees what no process shows
 * for its own, as the machine has less: at the last, the command that was running then has to go.
 */
export class Watch {
  private readonly watched: Watched;
  private readonly root: string;
  private readonly startedAt = Date.now();
  private readonly memoryBefore = machineMemory().available;
  private readonly freeBefore;
  private timer: NodeJS.Timeout | undefined;
  private measuredAt = performance.now();
  private measuring: Promise<void> | undefined;
  private stopped = false;

  constructor(watched: Watched) {
    this.watched = watched;
    this.root = insideRoot(watched.pid);
    this.freeBefore = freeOn(watched.directories[0]);
    this.schedule(INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.measuring;
  }

  private schedule(delayMs: number): void {
    this.timer = setTimeout(() => this.look(), delayMs);
  }

  private look(): void {
    const before = performance.now();
    try {
      const why = this.memory() ?? this.disk();
      if (why !== undefined) this.end(why);
    } catch {
      // What is looked at goes away as the sandbox ends. Should it not, the next look finds out.
    }
    if (this.stopped) return;
    this.schedule(Math.max(INTERVAL_MS, REST * (performance.now() - before)));
  }

  private end(why: Overrun): void {
    if (this.stopped) return;
    this.stopped = true;
    this.watched.onOverrun(why);
  }

  private memory(): Overrun | undefined {
    const { available, total } = machineMemory();
    const floor = Math.min(FLOOR_BYTES, total * FLOOR_PART);
    if (available < floor && this.memoryBefore - available > floor) return 'memory';
    const { memory } = this.watched.limits;
    if (!isSetUp(this.root)) return undefined;
    return memoryOf(this.root, memory) > memory ? 'memory' : undefined;
  }

  private disk(): Overrun | undefined {
    const { directories, limits } = this.watched;
    const free = freeOn(directories[0]);
    const lost = this.freeBefore.bytes - free.bytes;
    const floor = Math.min(FLOOR_BYTES, free.total * FLOOR_PART);
    if (free.bytes < floor && lost > floor) return 'disk';
    const lostFiles = this.freeBefore.files - free.files;
    const isDue = performance.now() - this.measuredAt > MEASURE_DISK_MS;
    // The disk is everybody's: that it has lost so much only says that it is time to measure.
    if (lost > limits.disk / 2 || lostFiles > limits.files / 2 || isDue)
      this.measuring ??= this.measureDisk().catch(() => {});
    return undefined;
  }

  private async measureDisk(): Promise<void> {
    const before = performance.now();
    const { directories, limits } = this.watched;
    const grown = await growthSince(this.startedAt, directories, this.root);
    if (grown.bytes > limits.disk || grown.files > limits.files) this.end('disk');
    this.measuredAt = performance.now();
    // Not again at once: a walk through many files is work.
    setTimeout(() => (this.measuring = undefined), performance.now() - before).unref();
  }
}
