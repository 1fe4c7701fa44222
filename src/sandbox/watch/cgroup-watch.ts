import type { CommandCgroup } from '../cgroup/command-cgroups.ts';
import { exhausts, machineMemory } from './machine-memory.ts';

/**
 * Notices that the kernel killed a command in its cgroup, which counts all memory of the command, the kernel's for it
 * too. Of what the kernel does not count there, the machine's reserve is the limit.
 */
export class CgroupWatch {
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
