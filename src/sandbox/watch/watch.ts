import type { Limits } from '../limits.ts';
import type { Overrun } from '../../contracts/shell.ts';
import { freeOn, growthSince } from './disk.ts';
import { insideRoot, isSetUp, machineMemory, memoryOf } from './memory.ts';

const INTERVAL_MS = 50;
/** The watch uses at most 1/20 of a processor's time. */
const REST = 20;
const MEASURE_DISK_MS = 10_000;
const MIB = 1024 * 1024;
/** The machine keeps at least this, or that share of its total if that is less. */
const FLOOR_BYTES = 256 * MIB;
const FLOOR_PART = 0.02;

export interface Watched {
  /** The host's pid of the sandbox's process 1. */
  readonly pid: number;
  /** The directories it can write to. The first one determines the disk. */
  readonly directories: readonly [string, ...string[]];
  readonly limits: Limits;
  /** Called once. */
  readonly onOverrun: (why: Overrun) => void;
}

/**
 * Checks every 50 ms how much memory and disk a sandbox uses. It also notices usage that no process
 * shows, because the machine's own reserve shrinks: then the running command is killed.
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
      // These files disappear when the sandbox ends. If it did not end, the next check finds out.
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
    // Others write to this disk too. That it has shrunk only means that it is time to measure.
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
    // Wait before the next one: walking many files is expensive.
    setTimeout(() => (this.measuring = undefined), performance.now() - before).unref();
  }
}
