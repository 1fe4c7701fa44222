// What the operating system says of a process, on Linux.
import { readFileSync } from 'node:fs';

const TICK_MS = 10;
const TICKS = { user: 13, system: 14 };

/** `present`: kB that are resident now; `most`: the most that ever were. */
export function memoryOf(pid: number): { readonly present: number; readonly most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN);
  return { present: of('VmRSS'), most: of('VmHWM') };
}

/** Milliseconds of processor time so far. */
export function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, the second field, may have blanks and ends with the last parenthesis.
  const fields = ['', ...stat.slice(stat.lastIndexOf(')')).split(' ')];
  return (Number(fields[TICKS.user]) + Number(fields[TICKS.system])) * TICK_MS;
}
