// What a command must not change about the machine.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

export interface HostState {
  readonly hostname: string;
  /** By name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Of System V memory: those of a sandbox's users, and those open to everyone. A database has others. */
  readonly segments: readonly string[];
}

/** They move by themselves: the kernel samples less often where an interrupt took it long. */
const VOLATILE =
  /\/(random|ns_last_pid|perf_event_max_sample_rate|[\w-]*(state|nr|count|cookie|usage|uevent_seqnum)[\w-]*|pty\/.*)$|\/netfilter\/|neigh|cpu\d|sched_domain/;

export const hostState = (): HostState => ({
  hostname: hostname(),
  settings: Object.fromEntries(settingsIn('/proc/sys')),
  segments: execFileSync('ipcs', ['-m'], { encoding: 'utf8' }).split('\n').filter(isSuspicious),
});

function isSuspicious(line: string): boolean {
  const [_key, _id, owner = '', permissions = ''] = line.split(/ +/);
  return /^6\d{4}$/.test(owner) || permissions === '666';
}

function settingsIn(directory: string): [string, string][] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry): [string, string][] => {
    const path = join(directory, entry.name);
    if (VOLATILE.test(path)) return [];
    if (entry.isDirectory()) return settingsIn(path);
    return isWritable(path) ? [[path, valueOf(path)]] : [];
  });
}

const isWritable = (path: string): boolean => (statSync(path).mode & 0o200) !== 0;

function valueOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/**
 * The command lines of the processes of `user` whose service has ended; a zombie has none. If that is the user of the tests, only
 * those count that have a directory named `mounted` among their mounts, as a sandbox has its workspace. Any other user may serve
 * another service by now: whatever that runs has it as an ancestor.
 */
export const processesOf = (user: number, mounted: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && ownerOf(`/proc/${name}`) === user)
    .filter((name) =>
      user === process.getuid?.() ? hasMount(name, mounted) : isOrphan(name, user),
    )
    .map((name) => valueOf(`/proc/${name}/cmdline`))
    .filter((line) => line !== '');

/** None of its ancestors, but for the first process of the machine, is of another user. */
function isOrphan(pid: string, user: number): boolean {
  let [, parent = '0'] = /^PPid:\s*(\d+)$/m.exec(valueOf(`/proc/${pid}/status`)) ?? [];
  while (Number(parent) > 1) {
    if (ownerOf(`/proc/${parent}`) !== user) return false;
    [, parent = '0'] = /^PPid:\s*(\d+)$/m.exec(valueOf(`/proc/${parent}/status`)) ?? [];
  }
  return true;
}

const hasMount = (pid: string, name: string): boolean =>
  valueOf(`/proc/${pid}/mountinfo`).includes(`/${name}/`);

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined; // It has ended meanwhile.
  }
}
