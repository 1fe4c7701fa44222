import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { unlessItFails } from '../../../src/lib/unless-it-fails.ts';

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
