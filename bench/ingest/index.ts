import { loadavg } from 'node:os';
import { benchAccepts } from './accepts.ts';
import { benchEyes } from './eyes.ts';
import { benchPaced } from './paced.ts';
import { OWN_TREE, otherTree } from './tree.ts';

/**
 * The floors of what happens when people label or comment: deliveries accepted a second, how long each takes while
 * sessions work, and how soon people see 👀. An argument names another checkout, which is measured in turns with this one.
 */
export async function benchIngest(): Promise<string> {
  const others = process.argv.slice(3).map(otherTree);
  const trees = [OWN_TREE, ...others];
  const load = loadavg()[0] ?? Number.NaN;
  return [
    `Load of the machine before: ${load.toFixed(1)}.`,
    await benchAccepts(trees),
    await benchPaced(trees),
    await benchEyes(trees),
  ].join('\n\n');
}
