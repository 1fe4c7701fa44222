import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { messageOf, unlessItFails } from '../../../../src/lib/errors.ts';
import type { SandboxLimits } from '../limits.ts';
import { parentOf, startOf } from '../process-stat.ts';

const NAME = /^issuewright-command-(\d+)-(\d+)-\d+$/;
/** Of its limit, without pages of files that the kernel can free. */
const FULL_PART = 63 / 64;
const REMOVE_TRIES = 50;
const REMOVE_WAIT_MS = 20;

/** Makes a cgroup of its own for each command, below one that belongs to the service. */
export class CommandCgroups {
  private readonly parent: string;
  private readonly limits: SandboxLimits;
  private readonly log: Logger;
  private made = 0;
  private hasFailed = false;

  constructor(parent: string, limits: SandboxLimits, log: Logger) {
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

/** Holds the service itself: the kernel does not let a cgroup have processes and limited children. */
const SERVICE_CGROUP = 'issuewright-service';

const CONTROLLERS = ['memory', 'pids'] as const;
const MOVES = 10;

/** `why` follows "because". */
export type DelegatedCgroup = { readonly parent: string } | { readonly why: string };

/** Finds the cgroup below which commands can have theirs, and gets it ready. */
export function delegatedCgroup(): DelegatedCgroup {
  const directory = cgroupDirectory(
    readText('/proc/self/cgroup'),
    readText('/proc/self/mountinfo'),
  );
  if (directory === undefined) return { why: 'cgroup v2 is not mounted here' };
  const place = placeOf(directory);
  if ('why' in place) return place;
  const { parent } = place;
  const type = readText(join(parent, 'cgroup.type')).trim();
  if (type !== '' && type !== 'domain')
    return { why: `the cgroup ${parent} is of the type "${type}"` };
  const offered = readWords(join(parent, 'cgroup.controllers'));
  const missing = CONTROLLERS.filter((name) => !offered.includes(name));
  if (missing.length > 0)
    return {
      why: `cgroup v2 does not offer ${missing.join(' and ')} here: cgroup v1 has it, or the cgroup above does not pass it on`,
    };
  try {
    return prepare(parent);
  } catch (error) {
    return { why: `the service may not change the cgroup ${parent} (${messageOf(error)})` };
  }
}

/**
 * The directory of this process's own cgroup, by `/proc/self/cgroup` and `/proc/self/mountinfo`; `undefined` if cgroup v2
 * is not mounted, or the cgroup lies outside of what is mounted.
 */
export function cgroupDirectory(cgroups: string, mounts: string): string | undefined {
  const [, path] = /^0::(\/.*)$/m.exec(cgroups) ?? [];
  if (path === undefined || path.startsWith('/..')) return undefined;
  for (const line of mounts.split('\n')) {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , root = '', mountPoint = ''] = before.split(' ');
    if (!after.startsWith('cgroup2 ')) continue;
    const prefix = root === '/' ? '' : unescaped(root);
    if (path === prefix || path.startsWith(`${prefix}/`))
      return resolve(unescaped(mountPoint), `.${path.slice(prefix.length)}`);
  }
  return undefined;
}

/** The kernel writes blanks and the like in octal digits. */
const unescaped = (path: string): string =>
  path.replaceAll(/\\(\d{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );

const NOT_DELEGATED =
  'is not delegated to the service; a unit of systemd needs Delegate=yes and ' +
  `DelegateSubgroup=${SERVICE_CGROUP}`;

function placeOf(directory: string): DelegatedCgroup {
  // systemd put the service there, or this is a second start in the same container.
  if (basename(directory) === SERVICE_CGROUP) return { parent: dirname(directory) };
  // Only the root of all cgroups has no type.
  const isRootOfAll = !existsSync(join(directory, 'cgroup.type'));
  const isRootOfContainer = /^0::\/$/m.test(readText('/proc/self/cgroup'));
  if (isRootOfAll || isRootOfContainer) return { parent: directory };
  return { why: `the cgroup ${directory} ${NOT_DELEGATED}` };
}

function prepare(parent: string): DelegatedCgroup {
  const enabled = readWords(join(parent, 'cgroup.subtree_control'));
  const disabled = CONTROLLERS.filter((name) => !enabled.includes(name));
  if (disabled.length === 0) return { parent };
  if (existsSync(join(parent, 'cgroup.type'))) {
    const others = readWords(join(parent, 'cgroup.procs')).filter((pid) => !isKin(pid));
    if (others.length > 0)
      return { why: `other programs run in the cgroup ${parent}, such as process ${others[0]}` };
    moveAll(parent);
  }
  const request = disabled.map((name) => `+${name}`).join(' ');
  writeFileSync(join(parent, 'cgroup.subtree_control'), request);
  return { parent };
}

/** Whether it is this process, what started it, or what it started. Moving anything else is not ours to do. */
function isKin(pid: string): boolean {
  const own = String(process.pid);
  return ancestry(pid).includes(own) || ancestry(own).includes(pid);
}

function ancestry(pid: string): string[] {
  const line = [];
  for (let at: string | undefined = pid; at !== undefined && at !== '0'; at = parentOf(at))
    line.push(at);
  return line;
}

/** Again and again, because what is not moved yet may start processes meanwhile. */
function moveAll(parent: string): void {
  const leaf = join(parent, SERVICE_CGROUP);
  mkdirSync(leaf, { recursive: true });
  for (let left = MOVES; left > 0; left -= 1) {
    const pids = readWords(join(parent, 'cgroup.procs'));
    if (pids.length === 0) return;
    // A process may have ended by now. If it cannot be moved, the controllers cannot be enabled either.
    for (const pid of pids) unlessItFails(() => writeFileSync(join(leaf, 'cgroup.procs'), pid));
  }
}

const readText = (path: string): string => unlessItFails(() => readFileSync(path, 'utf8')) ?? '';

const readWords = (path: string): string[] =>
  readText(path)
    .split(/\s+/)
    .filter((word) => word !== '');
