import { readFileSync } from 'node:fs';
import { unlessItFails } from '../../../src/lib/unless-it-fails.ts';

/** When a process started, in ticks of the machine's clock; with its id, that names it for all time. */
export const startOf = (pid: string): string | undefined => fieldsOf(pid)?.[19];

export const parentOf = (pid: string): string | undefined => fieldsOf(pid)?.[1];

/** What `/proc/PID/stat` says after the name. */
function fieldsOf(pid: string): string[] | undefined {
  const stat = unlessItFails(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The name, which is anything, ends with the last parenthesis.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}
