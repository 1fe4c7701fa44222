// Processes that end without warning, and with it.
import type { Row, Try } from '../fault.ts';
import { secretsInFiles } from '../canaries.ts';
import { randomnessOf } from '../../shuffled-events/randomness.ts';
import { readSessions } from '../invariants.ts';
import type { JournalGate } from '../journal-gate.ts';
import { TALES, type Tale } from '../tales.ts';
import type { World } from '../world.ts';
import { atEntry, inEachTale, spread } from './moments.ts';

const DOUBLE_KILLS = 100;
/** Of each story. */
const TERMINATIONS = 7;
/** As docs/operations.md says. */
const EXIT_MS = 25_000;
const DATABASE_KILLS = 4;

/** kill -9, and a look at what lies about at that moment. */
async function killAndRestart(world: World): Promise<void> {
  const roles = await world.kill();
  const [secret] = await secretsInFiles(world, world.temporary);
  if (secret !== undefined) throw new Error(`a killed service left a secret in ${secret}`);
  for (const role of roles) await world.start(role);
}

const killsOf = (tale: Tale): Row => ({
  fault: `kill -9 at every entry: ${tale.name}`,
  least: Infinity,
  tries: (lengthOf) =>
    spread(lengthOf(tale).entries, lengthOf(tale).entries).map((seq) => ({
      name: `entry ${seq}`,
      tale,
      arm: atEntry(seq, killAndRestart),
    })),
});

/** At random moments: the second kill comes while the service starts, or soon after. */
const doubleKills: Row = {
  fault: 'kill -9 twice, at random moments',
  least: DOUBLE_KILLS,
  tries: (lengthOf) =>
    Array.from({ length: DOUBLE_KILLS }, (_none, seed): Try => {
      const random = randomnessOf(7_000 + seed);
      const tale = TALES[seed % TALES.length]!;
      const first = 1 + random.below(lengthOf(tale).entries);
      const wait = random.below(1_800);
      return {
        name: `seed ${seed}: entry ${first}, then ${wait} ms after the start began`,
        tale,
        arm: atEntry(first, async (world) => {
          await world.kill();
          await world.startAndKillAfter(wait);
          await world.start();
        }),
      };
    }),
};

const terminations: Row = {
  fault: 'SIGTERM',
  least: TALES.length,
  tries: (lengthOf) =>
    inEachTale(lengthOf, TERMINATIONS).map(({ tale, seq }) => ({
      name: `${tale.name}, entry ${seq}`,
      tale,
      arm: atEntry(seq, terminateAndRestart),
    })),
};

/** A reply that takes so long ends within the time that a step has. */
const REPLY_MS = 4_000;
const REPLIES = 2;

const terminationsMeanwhile: Row = {
  fault: 'SIGTERM while the model answers',
  least: TALES.length,
  tries: (lengthOf) =>
    TALES.flatMap((tale) =>
      spread(REPLIES, lengthOf(tale).replies).map((nth) => ({ tale, nth })),
    ).map(({ tale, nth }): Try => ({
      name: `${tale.name}, reply ${nth}`,
      tale,
      arm: async (world) => {
        const { model } = world.stage;
        const how = { kind: 'dripping', overMs: REPLY_MS } as const;
        model.distortions.add({ how, matches: () => true, after: nth - 1 });
        const asked = model.untilAsked(nth);
        return async () => {
          await asked;
          await terminateAndRestart(world);
        };
      },
    })),
};

/** SIGTERM, a look at how it ends, and at whether what the model answered until then is in the journal. */
async function terminateAndRestart(world: World, gate?: JournalGate): Promise<void> {
  const begun = performance.now();
  const ending = world.terminate();
  await gate?.open();
  const codes = await ending;
  const ms = performance.now() - begun;
  if (codes.some((code) => code !== 0)) throw new Error(`SIGTERM ended with ${codes.join()}`);
  if (ms > EXIT_MS) throw new Error(`SIGTERM ended after ${(ms / 1_000).toFixed(1)} s`);
  const paid = world.turns;
  const ended = new Date().toISOString();
  await world.start();
  const known = (await readSessions(world))
    .flatMap(({ entries }) => entries)
    .filter(({ type, at }) => type === 'reply' && at < ended).length;
  if (known !== paid) throw new Error(`the model gave ${paid} replies, the journal has ${known}`);
}

const databaseRow = (
  fault: string,
  database: 'embedded' | 'server',
  work: (world: World) => Promise<void>,
): Row => ({
  fault,
  least: TALES.length,
  tries: (lengthOf) =>
    inEachTale(lengthOf, DATABASE_KILLS).map(({ tale, seq }) => ({
      name: `${tale.name}, entry ${seq}`,
      tale,
      database,
      arm: atEntry(seq, work),
    })),
});

export const KILLS: readonly Row[] = [
  ...TALES.map(killsOf),
  doubleKills,
  terminations,
  terminationsMeanwhile,
  databaseRow('kill -9 of the embedded PostgreSQL', 'embedded', async (world) => {
    world.killDatabase();
  }),
  databaseRow('kill -9 of a PostgreSQL server', 'server', async (world) => {
    world.killDatabase();
    await world.restartDatabase();
  }),
  databaseRow('kill -9 of a process of PostgreSQL', 'embedded', async (world) => {
    const client = await world.connect();
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and not granted`,
    );
    world.killDatabase(rows[0]?.pid);
  }),
  databaseRow('kill -9 of PostgreSQL and the service', 'server', async (world) => {
    world.killDatabase();
    const roles = await world.kill();
    await world.restartDatabase();
    for (const role of roles) await world.start(role);
  }),
];
