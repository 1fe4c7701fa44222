import { execFile } from 'node:child_process';
import { totalmem } from 'node:os';
import { promisify } from 'node:util';
import type { CommandUser } from './users/identity.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** What one command may use at most. Sizes are in bytes. */
export interface SandboxLimits {
  /** All its processes together, including their temporary files. */
  readonly memory: number;
  /** Address space of one process, including what it only reserves. */
  readonly addressSpace: number;
  /** Processes and threads. */
  readonly processes: number;
  readonly openFiles: number;
  /** The size of one file. */
  readonly fileSize: number;
  /** How much the workspace, the commands' home and their /tmp may grow. */
  readonly disk: number;
  /** How many files and directories may be added. */
  readonly files: number;
  /** The size of each of /run and /dev/shm, and of /tmp if that is in memory. */
  readonly temporaryFiles: number;
  /** stdout and stderr together. A command that writes more is killed. */
  readonly output: number;
}

export const defaultLimits = (): SandboxLimits => ({
  memory: Math.min(4 * GIB, Math.floor(totalmem() / 2)),
  addressSpace: 64 * GIB,
  processes: 512,
  openFiles: 4096,
  fileSize: 2 * GIB,
  disk: 4 * GIB,
  files: 500_000,
  temporaryFiles: 1 * GIB,
  output: 16 * MIB,
});

const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_TIMEOUT_MS = 300_000;

/** Milliseconds; the default for anything but a positive number. */
export const boundedTimeout = (timeoutMs: number, longestMs = MAX_TIMEOUT_MS): number =>
  timeoutMs > 0 ? Math.min(timeoutMs, longestMs) : DEFAULT_TIMEOUT_MS;

/**
 * `prlimit` and its options. `data` limits what a process really uses. `as` is far higher because V8,
 * the JVM and Go reserve much more address space than they use. Neither is set if a cgroup limits the memory: the
 * sanitizers of compilers, and Go's race detector, reserve terabytes.
 */
export const prlimitArguments = (
  limits: SandboxLimits,
  { isByCgroup }: { isByCgroup: boolean },
): string[] => [PRLIMIT, ...limitOptions(limits, isByCgroup), '--'];

const PRLIMIT = '/usr/bin/prlimit';

const limitOptions = (limits: SandboxLimits, isByCgroup: boolean): string[] => [
  ...(isByCgroup ? [] : [`--data=${limits.memory}`, `--as=${limits.addressSpace}`]),
  `--nproc=${limits.processes}`,
  `--nofile=${limits.openFiles}`,
  `--fsize=${limits.fileSize}`,
  '--core=0',
  '--memlock=65536',
];

/** Limits a process that runs already, and waits. `user`: as whom it runs, if not as the service. */
export async function limitProcess(
  pid: number,
  limits: SandboxLimits,
  { isByCgroup, user }: { readonly isByCgroup: boolean; readonly user: CommandUser | undefined },
): Promise<void> {
  const options = ['--pid', String(pid), ...limitOptions(limits, isByCgroup)];
  await promisify(execFile)(PRLIMIT, options, { ...user, cwd: '/', env: {} });
}
