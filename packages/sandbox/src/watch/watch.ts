import type { SandboxLimits } from '../limits.ts';
import type { Overrun } from '../../../../src/contracts/shell.ts';
import { DiskWatch } from './disk-watch.ts';
import type { CommandCgroup } from '../cgroup/command-cgroups.ts';
import {
  exhausts,
  insideRoot,
  isSandboxSetUp,
  kernelMemory,
  likelyKernelMemory,
  machineMemory,
  memoryOf,
  type MachineMemory,
} from './memory.ts';

const INTERVAL_MS = 20;

export interface WatchedSandbox {
  /** The host's pid of the sandbox's process 1. */
  readonly pid: number;
  /** The directories it can write to. The first one determines the disk. */
  readonly directories: readonly [string, ...string[]];
  readonly limits: SandboxLimits;
  /** Set if the kernel limits its memory. */
  readonly cgroup: CommandCgroup | undefined;
  /** Called once. */
  readonly onOverrun: (why: Overrun) => void;
}

/**
 * Checks every 20 ms how much memory and disk a sandbox uses. It also notices usage that no process
 * shows, because the machine's own reserve shrinks: then the running command is killed.
 */
export class Watch {
  private readonly onOverrun: WatchedSandbox['onOverrun'];
  private readonly memory: MemoryWatch | CgroupWatch;
  private readonly disk: DiskWatch;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor({ pid, directories, limits, cgroup, onOverrun }: WatchedSandbox) {
    const root = insideRoot(pid);
    this.onOverrun = onOverrun;
    this.memory =
      cgroup === undefined ? new MemoryWatch(root, limits.memory) : new CgroupWatch(cgroup);
    this.disk = new DiskWatch(root, directories, limits);
    this.schedule(INTERVAL_MS);
  }

  /** To be called when none of its processes is left. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    this.memory.stop();
    await this.disk.stop();
  }

  private schedule(delayMs: number): void {
    this.timer = setTimeout(() => this.look(), delayMs);
  }

  private look(): void {
    try {
      if (this.memory.isOver()) this.end('memory');
      else if (this.disk.isOver()) this.end('disk');
    } catch {
      // These files disappear when the sandbox ends. If it did not end, the next check finds out.
    }
    if (!this.stopped) this.schedule(INTERVAL_MS);
  }

  private end(why: Overrun): void {
    if (this.stopped) return;
    this.stopped = true;
    this.onOverrun(why);
  }
}

/**
 * Notices that the kernel killed a command in its cgroup, which counts all memory of the command, the kernel's for it
 * too. Of what the kernel does not count there, the machine's reserve is the limit.
 */
class CgroupWatch {
  private readonly cgroup: CommandCgroup;
  private readonly before = machineMemory();

  constructor(cgroup: CommandCgroup) {
    this.cgroup = cgroup;
  }

  stop(): void {}

  isOver(): boolean {
    return exhausts(this.before, machineMemory()) || this.cgroup.ranOutOfMemory();
  }
}

const MEASURE_MS = 50;
/** Measuring uses at most 1/20 of a processor's time, unless memory disappears. */
const REST = 20;
const MIB = 1024 * 1024;
const SMALLEST_LOSS = 16 * MIB;
/** How much one measurement counts for the average: about as much as the last 16 together. */
const WEIGHT = 1 / 16;

/**
 * Watches what one sandbox holds in memory: its processes, its temporary files, and what the kernel holds for
 * it. Nothing says for whom the kernel holds memory, so all growth during the command counts. If several
 * sandboxes run, the most likely one is killed first.
 */
export class MemoryWatch {
  private static readonly running = new Set<MemoryWatch>();
  private static readonly ending = new Set<MemoryWatch>();
  private readonly root: string;
  private readonly limit: number;
  private readonly before = machineMemory();
  private kernelBefore = kernelMemory();
  private held = 0;
  private isExact = true;
  /** Of what was seen. Memory that moves from process to process is missed by some measurements, and not by most. */
  private average = 0;
  private growthThen = 0;
  private nextAt = 0;
  private availableThen = this.before.available;

  constructor(root: string, limit: number) {
    this.root = root;
    this.limit = limit;
    MemoryWatch.running.add(this);
  }

  /** For when none of its processes is left. */
  stop(): void {
    MemoryWatch.running.delete(this);
    MemoryWatch.ending.delete(this);
  }

  /** Cheap: to be called every few milliseconds. */
  isOver(): boolean {
    const machine = machineMemory();
    if (exhausts(this.before, machine)) return true;
    if (this.isDue(machine)) this.measure(machine, this.limit);
    let growth = this.kernelGrowth(machine);
    // To be exact takes long with many processes, and is of no use if the kernel alone holds too much for them.
    const isDoubtful = !this.isExact && growth <= this.limit && this.held + growth > this.limit;
    if (isDoubtful) {
      this.measure(machine, this.limit - growth);
      growth = this.kernelGrowth(machineMemory());
    }
    if (this.held > this.limit || this.average > this.limit) return true;
    const isFalling = growth < this.growthThen;
    this.growthThen = growth;
    if (this.held + growth <= this.limit || isFalling || !this.isFirstSuspect()) return false;
    MemoryWatch.ending.add(this);
    return true;
  }

  /** By time, or because the machine lost so much that half of what is left of the limit may be gone. */
  private isDue({ available }: MachineMemory): boolean {
    const loss = Math.max(SMALLEST_LOSS, (this.limit - this.held) / 2);
    return performance.now() >= this.nextAt || this.availableThen - available > loss;
  }

  private measure({ available }: MachineMemory, room: number): void {
    const startedAt = performance.now();
    this.availableThen = available;
    if (isSandboxSetUp(this.root)) {
      const { seen, held, isExact } = memoryOf(this.root, room);
      this.held = held;
      this.isExact = isExact;
      this.average += (seen - this.average) * WEIGHT;
    }
    const now = performance.now();
    this.nextAt = now + Math.max(MEASURE_MS, REST * (now - startedAt));
  }

  private kernelGrowth({ kernel }: MachineMemory): number {
    const room = this.limit - this.held;
    const exact = kernel - this.kernelBefore > room ? kernelMemory() : kernel;
    // What others release does not become room for this one.
    this.kernelBefore = Math.min(this.kernelBefore, exact);
    return exact - this.kernelBefore;
  }

  private isFirstSuspect(): boolean {
    // What one of them held is released when its processes are dead.
    if (MemoryWatch.ending.size > 0) return false;
    const own = likelyKernelMemory(this.root);
    // Not itself: it has grown since.
    const others = [...MemoryWatch.running].filter((one) => one !== this);
    return others.every(({ root }) => likelyKernelMemory(root) <= own);
  }
}
