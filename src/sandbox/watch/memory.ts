import { existsSync, readFileSync, readdirSync, statSync, statfsSync } from 'node:fs';
import { INSIDE } from '../environment.ts';

const KIB = 1024;
/** About what the kernel keeps for an empty file in memory. */
const FILE_BYTES = 1024;
const TEMPORARY = ['tmp', 'run', 'dev/shm'] as const;

/** The sandbox's root directory as the host sees it; `pid` is its process 1. */
export const insideRoot = (pid: number): string => `/proc/${pid}/root`;

/** Before the sandbox is set up, its process 1 still sees the host's files. */
export const isSetUp = (root: string): boolean =>
  statSync(root).dev !== statSync('/').dev && existsSync(root + INSIDE.workspace);

/** The sandbox's own pids, without process 1. */
export const processesOf = (root: string): string[] =>
  readdirSync(`${root}/proc`).filter((name) => /^\d+$/.test(name) && name !== '1');

/**
 * Bytes that all processes of a sandbox hold in memory, including temporary files. Cached pages of files
 * on disk do not count: the kernel frees them when it needs memory.
 */
export function memoryOf(root: string, limit: number): number {
  const processes = processesOf(root);
  const temporary = TEMPORARY.reduce((sum, name) => sum + temporaryFiles(`${root}/${name}`), 0);
  // Shared pages count once for each process here. That is cheap, and never too low.
  const upper = total(processes.map((pid) => read(`${root}/proc/${pid}/status`, STATUS)));
  if (withFiles(upper, temporary) <= limit) return withFiles(upper, temporary);
  return withFiles(total(processes.map((pid) => sharedFairly(root, pid))), temporary);
}

/** The machine's memory, in bytes. */
export function machineMemory(): { readonly available: number; readonly total: number } {
  const text = readFileSync('/proc/meminfo', 'latin1');
  return { available: field(text, 'MemAvailable'), total: field(text, 'MemTotal') };
}

interface Used {
  readonly anonymous: number;
  readonly shared: number;
}

/** The two kernel files name the same values differently. */
interface Fields {
  readonly anonymous: readonly string[];
  readonly shared: string;
}

const STATUS: Fields = { anonymous: ['RssAnon', 'VmSwap'], shared: 'RssShmem' };
const ROLLUP: Fields = { anonymous: ['Pss_Anon', 'SwapPss'], shared: 'Pss_Shmem' };

const sharedFairly = (root: string, pid: string): Used | undefined =>
  read(`${root}/proc/${pid}/smaps_rollup`, ROLLUP) ?? read(`${root}/proc/${pid}/status`, STATUS);

function read(path: string, { anonymous, shared }: Fields): Used | undefined {
  try {
    const text = readFileSync(path, 'latin1');
    const private_ = anonymous.reduce((sum, name) => sum + field(text, name), 0);
    return { anonymous: private_, shared: field(text, shared) };
  } catch {
    return undefined; // The process has ended meanwhile.
  }
}

function field(text: string, name: string): number {
  const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text) ?? [];
  return Number(kilobytes ?? 0) * KIB;
}

const total = (used: readonly (Used | undefined)[]): Used => ({
  anonymous: used.reduce((sum, one) => sum + (one?.anonymous ?? 0), 0),
  shared: used.reduce((sum, one) => sum + (one?.shared ?? 0), 0),
});

/** Mapped temporary files are also counted as shared memory. */
const withFiles = ({ anonymous, shared }: Used, temporary: number): number =>
  anonymous + Math.max(shared, temporary);

function temporaryFiles(path: string): number {
  const { blocks, bfree, bsize, files, ffree } = statfsSync(path);
  return (blocks - bfree) * bsize + (files - ffree) * FILE_BYTES;
}
