// A worker that freezes until its lease has expired, and then goes on as if nothing had happened.
import { DidNotHappen, type Row } from '../fault.ts';
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

/** Gives no sign of life any more, and could not be taken for dead yet. They give one every 2 s. */
const SILENT = `select id from issuewright.workers where alive_at < now() - interval '5 seconds'`;
const HOLDER = 'select worker as id from issuewright.session_queue where worker is not null';

/** Freezes the worker that has the session, while a gate holds up its work, until another has taken the session over. */
async function freeze(world: World, open: () => Promise<void>): Promise<void> {
  const client = await world.connect();
  const idOf = async (query: string) => (await client.query<{ id: string }>(query)).rows[0]?.id;
  const holder = await world.until('a worker to have the session', () => idOf(HOLDER));
  const [one, other] = world.running.filter(({ role }) => role === 'work');
  if (one === undefined || other === undefined) throw new Error('there are no two workers');
  try {
    // Which process it is, shows in which one falls silent.
    signal(one, 'SIGSTOP');
    const isOne = (await world.until('a silent worker', () => idOf(SILENT))) === holder;
    if (!isOne) {
      signal(one, 'SIGCONT');
      signal(other, 'SIGSTOP');
    }
    const taker = (isOne ? other : one).service;
    const before = taker.log;
    await open();
    await world.until('another worker', () => runsOf(taker.log) > runsOf(before));
    if ((await idOf(HOLDER)) === holder) throw new DidNotHappen('the session stayed where it was');
  } finally {
    for (const worker of [one, other]) signal(worker, 'SIGCONT');
  }
}

function signal({ service: { pid } }: World['running'][number], name: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(pid, name);
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
