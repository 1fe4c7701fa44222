import { readFileSync } from 'node:fs';
import { unlessItFails } from '../../../../src/lib/unless-it-fails.ts';

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
export function field(text: string, name: string): number {
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
