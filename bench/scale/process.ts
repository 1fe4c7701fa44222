// What the operating system says of a process, on Linux.
import { readdirSync, readFileSync } from 'node:fs';

const TICK_MS = 10;
const TICKS = { user: 13, system: 14, userOfEnded: 15, systemOfEnded: 16 };
const PARENT = 3;

/** `present`: kB that are resident now; `most`: the most that ever were. */
export function memoryOf(pid: number): { readonly present: number; readonly most: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN);
  return { present: of('VmRSS'), most: of('VmHWM') };
}

/** Milliseconds of processor time so far. */
export function cpuOf(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[TICKS.user]) + Number(fields[TICKS.system])) * TICK_MS;
}

/** The same, with that of the processes that it has started. */
export function cpuWithChildrenOf(pid: number): number {
  const fields = statOf(pid);
  const ended = (Number(fields[TICKS.userOfEnded]) + Number(fields[TICKS.systemOfEnded])) * TICK_MS;
  const isChild = (name: string): boolean => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return Number(statOf(Number(name))[PARENT]) === pid;
    } catch {
      return false; // It has ended.
    }
  };
  const children = readdirSync('/proc').filter(isChild);
  return children.reduce((sum, child) => sum + cpuOf(Number(child)), cpuOf(pid) + ended);
}

function statOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, the second field, may have blanks and ends with the last parenthesis.
  return ['', ...stat.slice(stat.lastIndexOf(')')).split(' ')];
}
