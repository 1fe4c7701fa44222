import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { unlessItFails } from '../../lib/unless-it-fails.ts';
import type { Limits } from '../limits.ts';
import { startOf } from '../process-stat.ts';

const NAME = /^issuewright-command-(\d+)-(\d+)-\d+$/;
const REMOVE_TRIES = 50;
const REMOVE_WAIT_MS = 20;

/** Makes a cgroup of its own for each command, below one that belongs to the service. */
export class CommandCgroups {
  private readonly parent: string;
  private readonly limits: Limits;
  private readonly log: Logger;
  private made = 0;
  private hasFailed = false;

  constructor(parent: string, limits: Limits, log: Logger) {
    this.parent = parent;
    this.limits = limits;
    this.log = log;
  }

  /**
   * Moves a process into a new cgroup, with all that it starts from now on. `undefined` if that fails: others may change
   * the cgroups of this machine at any time. The command then runs without, and is watched.
   */
  enter(pid: number): CommandCgroup | undefined {
    this.made += 1;
    const own = String(process.pid);
    const name = `issuewright-command-${own}-${startOf(own) ?? 0}-${this.made}`;
    const directory = join(this.parent, name);
    try {
      mkdirSync(directory);
      this.limit(directory);
      writeFileSync(join(directory, 'cgroup.procs'), String(pid));
      return new CommandCgroup(directory);
    } catch (error) {
      unlessItFails(() => rmdirSync(directory));
      if (!this.hasFailed) this.log.warn({ error }, 'making a cgroup for a command failed');
      this.hasFailed = true;
      return undefined;
    }
  }

  private limit(directory: string): void {
    const write = (name: string, value: number): void =>
      writeFileSync(join(directory, name), String(value));
    write('memory.max', this.limits.memory);
    write('pids.max', this.limits.processes);
    // Half a command is of no use.
    write('memory.oom.group', 1);
    // Kernels without swap have no such file.
    if (existsSync(join(directory, 'memory.swap.max'))) write('memory.swap.max', 0);
  }
}

/** The cgroup of one command. */
export class CommandCgroup {
  private readonly directory: string;

  constructor(directory: string) {
    this.directory = directory;
  }

  /** Whether the kernel killed it because its memory was used up. */
  ranOutOfMemory(): boolean {
    const events = unlessItFails(() => readFileSync(join(this.directory, 'memory.events'), 'utf8'));
    return /^oom_kill [1-9]/m.test(events ?? '');
  }

  /** Kills what is left in it. */
  remove(): Promise<void> {
    return removeCgroup(this.directory);
  }
}

/** Removes the cgroups that services left which do not run any more, with all processes in them. */
export async function removeLeftCgroups(parent: string): Promise<void> {
  const names = unlessItFails(() => readdirSync(parent)) ?? [];
  const left = names.filter((name) => {
    const [, pid, start] = NAME.exec(name) ?? [];
    return pid !== undefined && startOf(pid) !== start;
  });
  await Promise.all(left.map((name) => removeCgroup(join(parent, name))));
}

/** Waits a moment for processes that are still dying. If that takes longer, the next start removes it. */
async function removeCgroup(directory: string): Promise<void> {
  unlessItFails(() => writeFileSync(join(directory, 'cgroup.kill'), '1'));
  for (let left = REMOVE_TRIES; left > 0 && existsSync(directory); left -= 1) {
    if (unlessItFails(() => (rmdirSync(directory), true)) === true) return;
    await delay(REMOVE_WAIT_MS);
  }
}
