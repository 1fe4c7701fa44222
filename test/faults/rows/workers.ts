// A worker that freezes until its lease has expired, and then goes on as if nothing had happened.
import type { Row } from '../fault.ts';
import type { World } from '../world.ts';
import { TALES } from '../tales.ts';
import { atEntry, inEachTale } from './moments.ts';

/** Of each story. */
const TRIES = 2;
/** What is before, no worker does. */
const FIRST = 5;
const AT_WORK = /"run (?:started|resumed)"/g;

/** Runs that the worker has begun so far. */
const runsOf = (log: string): number => log.match(AT_WORK)?.length ?? 0;

async function freeze(world: World, open: () => Promise<void>): Promise<void> {
  const workers = world.running.filter(({ role }) => role === 'work').map(({ service }) => service);
  const [frozen] = workers.toSorted((one, other) => runsOf(other.log) - runsOf(one.log));
  if (frozen?.pid === undefined) throw new Error('no worker has the session');
  const others = workers.filter((one) => one !== frozen);
  const before = others.map(({ log }) => runsOf(log));
  process.kill(frozen.pid, 'SIGSTOP');
  try {
    await open();
    const tookOver = () => others.some(({ log }, at) => runsOf(log) > (before[at] ?? 0));
    await world.until('another worker', tookOver);
  } finally {
    process.kill(frozen.pid, 'SIGCONT');
  }
}

export const WORKERS: readonly Row[] = [
  {
    fault: 'two workers, one with an expired lease',
    least: TALES.length,
    tries: (lengthOf) =>
      inEachTale(lengthOf, TRIES)
        .map(({ tale, seq }) => ({ tale, seq: Math.max(FIRST, seq) }))
        .map(({ tale, seq }) => ({
          name: `${tale.name}, entry ${seq}`,
          tale,
          database: 'server',
          roles: ['serve', 'work', 'work'],
          arm: atEntry(seq, (world, gate) => freeze(world, () => gate.open())),
        })),
  },
];
