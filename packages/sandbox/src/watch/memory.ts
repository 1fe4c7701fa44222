import { existsSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { INSIDE } from '../inside/environment.ts';
import { unlessItFails } from '../../../../src/lib/errors.ts';

/** About what the kernel keeps for an empty file in memory. */
const FILE_BYTES = 1024;
/** About what it keeps for an open socket or pipe among what it calls reclaimable, and is not. */
const DESCRIPTOR_BYTES = 1024;
const PIPE_BYTES = 65_536;
const SOCKET_BYTES = 212_992;
const TEMPORARY = ['tmp', 'run', 'dev/shm'] as const;

/** The sandbox's root directory as the host sees it; `pid` is its process 1. */
export const insideRoot = (pid: number): string => `/proc/${pid}/root`;

/** Before the sandbox is set up, its process 1 still sees the host's files. */
export const isSandboxSetUp = (root: string): boolean =>
  statSync(root).dev !== statSync('/').dev && existsSync(root + INSIDE.workspace);

/** The directories in `/proc` of the sandbox's own processes, without process 1. */
export const processesOf = (root: string): string[] =>
  readdirSync(`${root}/proc`)
    .filter((name) => /^\d+$/.test(name) && name !== '1')
    .map((pid) => `${root}/proc/${pid}`);

/** The directories in `/proc` of a process's threads, which each may have descriptors of their own. */
export const threadDirectories = (process: string): string[] =>
  (unlessItFails(() => readdirSync(`${process}/task`)) ?? []).map((id) => `${process}/task/${id}`);

/** What all processes of a sandbox hold in memory, including temporary files, in bytes. */
export interface MemoryOfProcesses {
  /** What was found in one process after another, while they changed. Too high at times, and too low at others. */
  readonly seen: number;
  /** What they held at one moment, if that is exact; more than that otherwise. */
  readonly held: number;
  readonly isExact: boolean;
}

/**
 * It is exact if a cheaper look shows more than `room`. Cached pages of files on disk do not count: the kernel frees
 * them when it needs memory.
 *
 * A process's share of common memory grows when another one ends. Whoever is read later then has the share of those
 * that were read before, and the sum is more than there ever was. So each is read twice, and the lower value counts:
 * between the two passes is a moment at which no share was smaller, however many processes end or begin.
 */
export function memoryOf(root: string, room: number): MemoryOfProcesses {
  const processes = processesOf(root);
  // Without what lasts as long as the workspace, which is watched as the disk is.
  const temporary = TEMPORARY.map((name) => `${root}/${name}`)
    .filter((path) => statSync(path).dev !== statSync(root + INSIDE.workspace).dev)
    .reduce((sum, path) => sum + temporaryFiles(path), 0);
  // Shared pages count once for each process here. That is cheap, and never too low.
  const upper = total(processes.map((process) => read(process, STATUS)));
  const kernel = upper.descriptors * DESCRIPTOR_BYTES;
  // Mapped temporary files are also counted as shared memory.
  const all = ({ anonymous, shared }: MemoryUse): number =>
    anonymous + Math.max(shared, temporary) + kernel;
  if (all(upper) <= room) return { seen: all(upper), held: all(upper), isExact: false };
  const first = processes.map(sharedFairly);
  const seen = all(total(first));
  if (seen <= room) return { seen, held: seen, isExact: false };
  const lower = first.map((used, at) => lowerOf(used, sharedFairly(processes[at] ?? '')));
  return { seen, held: all(total(lower)), isExact: true };
}

/**
 * About how much the kernel may hold for a sandbox's ordinary sockets, pipes and page tables, in bytes: not the
 * truth, but enough to tell who is suspect.
 */
export function likelyKernelMemory(root: string): number {
  const sockstat = unlessItFails(() => readFileSync(join(root, '../net/sockstat'), 'latin1'));
  const [, sockets = 0] = /^sockets: used (\d+)/.exec(sockstat ?? '') ?? [];
  const processes = unlessItFails(() => processesOf(root)) ?? [];
  return processes.reduce(
    (sum, process) => {
      const descriptors = unlessItFails(() => statSync(`${process}/fd`).size) ?? 0;
      const status = unlessItFails(() => readFileSync(`${process}/status`, 'latin1')) ?? '';
      return sum + descriptors * PIPE_BYTES + field(status, 'VmPTE');
    },
    Number(sockets) * SOCKET_BYTES,
  );
}

interface MemoryUse {
  readonly anonymous: number;
  readonly shared: number;
  /** Room for descriptors in its table. */
  readonly descriptors: number;
}

/** The two kernel files name the same values differently. */
interface Fields {
  readonly file: string;
  readonly anonymous: readonly string[];
  readonly shared: string;
}

const STATUS: Fields = {
  file: 'status',
  anonymous: ['RssAnon', 'VmSwap'],
  shared: 'RssShmem',
};
const ROLLUP: Fields = {
  file: 'smaps_rollup',
  anonymous: ['Pss_Anon', 'SwapPss'],
  shared: 'Pss_Shmem',
};

const sharedFairly = (process: string): MemoryUse | undefined =>
  read(process, ROLLUP) ?? read(process, STATUS);

/** `undefined` if the process has ended meanwhile. */
function read(process: string, fields: Fields): MemoryUse | undefined {
  const used = readOne(process, fields);
  if (used !== undefined) return used;
  // If only its first thread has ended, the others show the memory that they share.
  for (const thread of threadDirectories(process)) {
    const shared = readOne(thread, fields);
    if (shared !== undefined) return shared;
  }
  return undefined;
}

function readOne(path: string, { file, anonymous, shared }: Fields): MemoryUse | undefined {
  const text = unlessItFails(() => readFileSync(`${path}/${file}`, 'latin1')) ?? '';
  if (!text.includes(shared)) return undefined;
  const [, descriptors = 0] = /^FDSize:\s+(\d+)/m.exec(text) ?? [];
  return {
    anonymous: anonymous.reduce((sum, name) => sum + field(text, name), 0),
    shared: field(text, shared),
    descriptors: Number(descriptors),
  };
}

const lowerOf = (one: MemoryUse | undefined, other: MemoryUse | undefined): MemoryUse => ({
  anonymous: Math.min(one?.anonymous ?? 0, other?.anonymous ?? 0),
  shared: Math.min(one?.shared ?? 0, other?.shared ?? 0),
  descriptors: 0,
});

const total = (used: readonly (MemoryUse | undefined)[]): MemoryUse => ({
  anonymous: used.reduce((sum, one) => sum + (one?.anonymous ?? 0), 0),
  shared: used.reduce((sum, one) => sum + (one?.shared ?? 0), 0),
  descriptors: used.reduce((sum, one) => sum + (one?.descriptors ?? 0), 0),
});

function temporaryFiles(path: string): number {
  const { blocks, bfree, bsize, files, ffree } = statfsSync(path);
  return (blocks - bfree) * bsize + (files - ffree) * FILE_BYTES;
}

const KIB = 1024;
const FIELD = /^(\w+): +(\d+) kB$/gm;

/** In bytes. */
export interface MachineMemory {
  readonly available: number;
  readonly total: number;
  /** What `kernelMemory` returns, and free pages that the processors keep for themselves. */
  readonly kernel: number;
}

/** Not the kernel's own: free, of processes, or cached, which the kernel frees when it needs memory. */
const NOT_KERNEL = 'MemFree AnonPages Hugetlb Buffers Cached SwapCached KReclaimable'.split(' ');

export function machineMemory(): MachineMemory {
  const fields = new Map<string, number>();
  for (const [, name = '', kilobytes] of readFileSync('/proc/meminfo', 'latin1').matchAll(FIELD))
    fields.set(name, Number(kilobytes) * KIB);
  const value = (name: string): number => fields.get(name) ?? 0;
  const kernel = NOT_KERNEL.reduce((left, name) => left - value(name), value('MemTotal'));
  return { available: value('MemAvailable'), total: value('MemTotal'), kernel };
}

/** Whether the machine has fallen below its reserve, by that much since `before`. */
export function exhausts(before: MachineMemory, { available, total }: MachineMemory): boolean {
  const floor = floorOf(total);
  return available < floor && before.available - available > floor;
}

/**
 * Bytes that the kernel holds on behalf of processes and cannot free: queues of sockets, pipes, page
 * tables, locks, and pages that only such objects refer to. It is the same whatever processes allocate.
 */
export function kernelMemory(): number {
  const { kernel } = machineMemory();
  return kernel - freeOnProcessorLists();
}

/** Free pages that wait on the lists of each processor count neither as free nor as used. */
function freeOnProcessorLists(): number {
  const text = unlessItFails(() => readFileSync('/proc/zoneinfo', 'latin1')) ?? '';
  const pages = [...text.matchAll(/^ +count:\s+(\d+)/gm)];
  return pages.reduce((sum, [, digits]) => sum + Number(digits), 0) * pageSize();
}

const AT_PAGESZ = 6n;

/** From the vector that the kernel gives every process: pairs of a type and a value. */
function pageSize(): number {
  const vector = new BigUint64Array(new Uint8Array(readFileSync('/proc/self/auxv')).buffer);
  const at = vector.findIndex((type, index) => index % 2 === 0 && type === AT_PAGESZ);
  return Number(vector[at + 1]);
}

/** A value in kB of a file of `/proc`, in bytes; 0 if the kernel does not know it. */
function field(text: string, name: string): number {
  const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text) ?? [];
  return Number(kilobytes ?? 0) * KIB;
}

const FLOOR_BYTES = 256 * 1024 * 1024;
const FLOOR_PART = 0.02;

/**
 * What a command must leave of the machine's memory and disk: 256 MiB, or 2 % of the total if that is less.
 */
export const floorOf = (totalBytes: number): number =>
  Math.min(FLOOR_BYTES, totalBytes * FLOOR_PART);
