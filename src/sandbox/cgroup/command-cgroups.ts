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
/** Of its limit, without pages of files that the kernel can free. */
const FULL_PART = 63 / 64;
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
      return new CommandCgroup(directory, this.limits.memory);
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

  private readonly limit: number;

  constructor(directory: string, limit: number) {
    this.directory = directory;
    this.limit = limit;
  }

  /**
   * Whether its memory is used up, and the kernel has killed it or is about to. The kernel kills nothing while it finds a
   * page to free: a command whose memory is nearly all in use reads its own program from the disk over and over.
   */
  ranOutOfMemory(): boolean {
    const events = this.read('memory.events');
    if (/^oom_kill [1-9]/m.test(events)) return true;
    if (!/^max [1-9]/m.test(events)) return false;
    const stat = this.read('memory.stat');
    const freeable = valueOf(stat, 'active_file') + valueOf(stat, 'inactive_file');
    return Number(this.read('memory.current')) - freeable > this.limit * FULL_PART;
  }

  private read(name: string): string {
    return unlessItFails(() => readFileSync(join(this.directory, name), 'utf8')) ?? '';
  }

  /** Kills what is left in it. */
  remove(): Promise<void> {
    return removeCgroup(this.directory);
  }
}

function valueOf(stat: string, name: string): number {
  const [, digits = 0] = new RegExp(`^${name} (\\d+)$`, 'm').exec(stat) ?? [];
  return Number(digits);
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
