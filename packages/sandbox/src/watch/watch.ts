import type { SandboxLimits } from '../limits.ts';
import type { Overrun } from '../../../../src/contracts/shell.ts';
import { DiskWatch } from './disk-watch.ts';
import type { CommandCgroup } from '../cgroup/command-cgroups.ts';
import { insideRoot } from './memory.ts';
import { MemoryWatch } from './memory-watch.ts';
import { exhausts, machineMemory } from './machine-memory.ts';

const INTERVAL_MS = 20;

export interface Watched {
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
  private readonly onOverrun: Watched['onOverrun'];
  private readonly memory: MemoryWatch | CgroupWatch;
  private readonly disk: DiskWatch;
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor({ pid, directories, limits, cgroup, onOverrun }: Watched) {
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
