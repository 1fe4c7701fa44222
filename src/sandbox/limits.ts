import { totalmem } from 'node:os';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

/** What one command may take at most. Bytes, unless said otherwise. */
export interface Limits {
  /** Of all its processes together, with what they keep in temporary files. */
  readonly memory: number;
  /** Address space of one process, also what it only reserves. */
  readonly addressSpace: number;
  /** Processes and threads. */
  readonly processes: number;
  readonly openFiles: number;
  /** One file. */
  readonly fileSize: number;
  /** By how much the workspace and its home may grow. */
  readonly disk: number;
  /** Files and directories that may be added. */
  readonly files: number;
  /** Each of /tmp, /run and /dev/shm. */
  readonly temporaryFiles: number;
  /** stdout and stderr, before the command is killed. */
  readonly output: number;
}

export const defaultLimits = (): Limits => ({
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

/** Milliseconds; anything that is no positive number is taken for the default. */
export const boundedTimeout = (timeoutMs: number): number =>
  timeoutMs > 0 ? Math.min(timeoutMs, MAX_TIMEOUT_MS) : DEFAULT_TIMEOUT_MS;

/**
 * `prlimit` with its options. `data` is what a process really asks for; `as` would refuse runtimes that
 * only reserve (V8, the JVM, Go), so it is set far higher.
 */
export const prlimitArguments = (limits: Limits): string[] => [
  '/usr/bin/prlimit',
  `--data=${limits.memory}`,
  `--as=${limits.addressSpace}`,
  `--nproc=${limits.processes}`,
  `--nofile=${limits.openFiles}`,
  `--fsize=${limits.fileSize}`,
  '--core=0',
  '--memlock=65536',
  '--',
];
