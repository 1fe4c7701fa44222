import { lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import { unlessItFails } from '../../../src/lib/errors.ts';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** When a process started, in ticks of the machine's clock; with its id, that names it for all time. */
export const startOf = (pid: string): string | undefined => fieldsOf(pid)?.[19];

export const parentOf = (pid: string): string | undefined => fieldsOf(pid)?.[1];

/** What `/proc/PID/stat` says after the name. */
function fieldsOf(pid: string): string[] | undefined {
  const stat = unlessItFails(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The name, which is anything, ends with the last parenthesis.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

const SLICE_MS = 5;
const SLASH = Buffer.from('/');

/**
 * Calls `look` for a directory and everything in it, until `isEnough`. Follows no links. Works in time slices,
 * so that the service stays responsive. Skips what vanishes, and paths that are too long.
 */
export async function visitEntries(
  directory: string,
  look: (path: Buffer, stats: Stats) => void,
  isEnough: () => boolean = () => false,
): Promise<void> {
  const pending: Buffer[] = [Buffer.from(directory)];
  let sliceEnd = performance.now() + SLICE_MS;
  for (let path = pending.pop(); path !== undefined && !isEnough(); path = pending.pop()) {
    const current = path;
    const stats = unlessItFails(() => lstatSync(current));
    if (stats === undefined) continue;
    look(path, stats);
    if (stats.isDirectory()) {
      const names = unlessItFails(() => readdirSync(current, { encoding: 'buffer' })) ?? [];
      for (const name of names) pending.push(Buffer.concat([path, SLASH, name]));
    }
    if (performance.now() < sliceEnd) continue;
    await nextTurn();
    sliceEnd = performance.now() + SLICE_MS;
  }
}
