import { randomUUID } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { Pool } from 'pg';
import { pino } from 'pino';
import {
  executeOn,
  inTransaction,
  openDatabase,
  openPool,
  type Database,
} from '../../../src/store/database/database.ts';
import { openQueue, type OpenQueue } from '../../../src/store/queue/queue.ts';
import { silent, until } from '../../contract/store-world.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { createDatabase, type TestDatabase } from '../../support/test-database.ts';

type Handler = (signal: AbortSignal) => Promise<void>;

const gate = () => Promise.withResolvers<void>();

const name = 'publish';

describe('the queue of publications', () => {
  const handlers = new Map<string, Handler>();
  const failures: string[] = [];
  let place: TestDatabase;
  let database: Database;
  let pool: Pool;
  const queues: OpenQueue[] = [];

  /** Two of them, as two processes would have. */
  beforeAll(async () => {
    place = await createDatabase();
    pool = openPool(place.connection, silent);
    database = openDatabase(pool);
    const log = pino({ level: 'error' }, { write: (line) => void failures.push(line) });
    for (let process = 0; process < 2; process += 1) {
      const queue = await openQueue({
        connection: place.connection,
        execute: executeOn(pool),
        log,
      });
      queues.push(queue);
      await queue.work(name, { concurrency: 3 }, async (session, signal) => {
        await handlers.get(session)?.(signal);
      });
    }
  });
  afterAll(async () => {
    for (const queue of queues) await queue.stop({ timeoutMs: 1000 });
    await database.destroy();
    await place.drop();
  });

  const wake = (session: string) =>
    database.transaction().execute((transaction) => queues[0]!.wake(name, session, transaction));

  /** All in one transaction, so that a worker can take them at once. */
  const wakeAll = (sessions: readonly string[]) =>
    database.transaction().execute(async (transaction) => {
      for (const session of sessions) await queues[0]!.wake(name, session, transaction);
    });

  const handle = (handler: Handler): string => {
    const session = randomUUID();
    handlers.set(session, handler);
    return session;
  };

  it('runs a session once more for all wake-ups that come while it runs', async () => {
    const end = gate();
    let runs = 0;
    let together = 0;
    const session = handle(async () => {
      runs += 1;
      together += 1;
      expect(together).toBe(1);
      await end.promise;
      together -= 1;
    });
    await wake(session);
    await until('running', () => runs === 1);
    for (let more = 0; more < 5; more += 1) await wake(session);
    end.resolve();
    await until('at rest', async () => (await unfinished(session)) === 0);
    expect(runs).toBe(2);
  });

  it('merges the wake-ups that wait', async () => {
    const end = gate();
    const session = handle(() => end.promise);
    await wake(session);
    await until('running', async () => (await active(session)) === 1);
    for (let more = 0; more < 5; more += 1) await wake(session);
    expect(await waiting(session)).toBe(1);
    end.resolve();
    await until('at rest', async () => (await unfinished(session)) === 0);
  });

  it('does not let a session that runs and waits hold up the others', async () => {
    const end = gate();
    const busy = handle(() => end.promise);
    await wake(busy);
    await until('running', async () => (await active(busy)) === 1);
    await wake(busy);
    let done = 0;
    const others = Array.from({ length: 20 }, () => handle(async () => void (done += 1)));
    for (const other of others) await wake(other);
    await until('the others done', () => done === others.length);
    expect(await waiting(busy)).toBe(1);
    end.resolve();
    await until('at rest', async () => (await unfinished(busy)) === 0);
  });

  it('runs many sessions at once, and each again although others of its batch still run', async () => {
    const end = gate();
    const runs = new Map<string, number>();
    const sessions = Array.from({ length: 30 }, (_none, at): string => {
      const session: string = handle(async () => {
        runs.set(session, (runs.get(session) ?? 0) + 1);
        if (at % 5 > 0) await end.promise;
      });
      return session;
    });
    await wakeAll(sessions);
    await until('all running', () => runs.size === sessions.length);
    const quick = sessions.filter((_session, at) => at % 5 === 0);
    for (const session of quick) {
      await until('at rest', async () => (await unfinished(session)) === 0);
      runs.delete(session);
    }
    await wakeAll(quick.slice(0, 2));
    await until('run again', () => quick.slice(0, 2).every((session) => runs.has(session)));
    end.resolve();
    for (const session of sessions)
      await until('at rest', async () => (await unfinished(session)) === 0);
  });

  it('never loses a wake-up, whatever runs at the same time', async () => {
    await sql`create table if not exists numbers (session text primary key, value int)`.execute(
      database,
    );
    const sessions = Array.from({ length: 6 }, (): string => randomUUID());
    const seen = new Map<string, number>();
    const running = new Set<string>();
    for (const session of sessions) {
      await sql`insert into numbers values (${session}, 0)`.execute(database);
      handlers.set(session, async () => {
        expect(running.has(session)).toBe(false);
        running.add(session);
        seen.set(session, await valueOf(session));
        for (let ticks = Math.random() * 20; ticks > 0; ticks -= 1) await nextTick();
        running.delete(session);
      });
    }
    const bump = async (session: string, queue: OpenQueue) =>
      inTransaction(database, async (transaction) => {
        const wakesFirst = sessions.indexOf(session) % 2 === 0;
        if (wakesFirst) await queue.wake(name, session, transaction);
        await sql`update numbers set value = value + 1 where session = ${session}`.execute(
          transaction,
        );
        if (!wakesFirst) await queue.wake(name, session, transaction);
      });
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          bump(sessions[index % sessions.length]!, queues[index % 2]!),
        ),
      );
      await until('every last value seen', () =>
        sessions.every((session) => seen.get(session) === (round + 1) * 10),
      );
    }
  });

  it('wakes no session for a transaction that was rolled back', async () => {
    let runs = 0;
    const session = handle(async () => void (runs += 1));
    const undone = database.transaction().execute(async (transaction) => {
      await queues[0]!.wake(name, session, transaction);
      throw new Error('undo');
    });
    await expect(undone).rejects.toThrow('undo');
    expect(await unfinished(session)).toBe(0);
    expect(runs).toBe(0);
  });

  it('logs a failure, and sits its pause out before it publishes again', async () => {
    let runs = 0;
    const session = handle(async () => {
      runs += 1;
      if (runs === 1) throw new Error('out of order');
    });
    await wake(session);
    await until('paused', async () => runs === 1 && (await waiting(session)) === 1);
    const due = await startOf(session);
    await wake(session);
    expect(await startOf(session)).toEqual(due);
    await until('run again', () => runs === 2);
    const logged = failures.find((line) => line.includes(session));
    expect(logged).toContain('out of order');
  });

  it('runs what was active again at once when asked to', async () => {
    const first = gate();
    let runs = 0;
    let cause = '';
    const session = handle(async () => {
      runs += 1;
      if (runs === 1) await first.promise;
      else cause = await failureOf(session);
    });
    await wake(session);
    await until('running', () => runs === 1);
    await queues[0]!.restartActive();
    await until('run again', () => cause !== '');
    first.resolve();
    await until('at rest', async () => (await unfinished(session)) === 0);
    expect(runs).toBe(2);
    // Not because the queue missed a sign of life.
    expect(cause).toBe('the service ended during this job');
  });

  it('aborts running handlers when it stops, waits for them, and keeps what they left', async () => {
    const queue = await openQueue({
      connection: place.connection,
      execute: executeOn(pool),
      log: silent,
    });
    let reason = '';
    const started = gate();
    const session = randomUUID();
    for (const other of queues.splice(0)) await other.stop({ timeoutMs: 1000 });
    await queue.work(name, { concurrency: 1 }, async (_session, signal) => {
      started.resolve();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      reason = String(signal.reason);
      await database.transaction().execute((transaction) => queue.wake(name, session, transaction));
    });
    await database.transaction().execute((transaction) => queue.wake(name, session, transaction));
    await started.promise;
    await queue.stop({ timeoutMs: PATIENCE_MS });
    expect(reason).toContain('stopping');
    expect(await waiting(session)).toBe(1);
  });

  const valueOf = async (session: string): Promise<number> => {
    const { rows } = await sql<{ value: number }>`
      select value from numbers where session = ${session}`.execute(database);
    return rows[0]!.value;
  };

  const startOf = async (session: string): Promise<Date> => {
    const { rows } = await sql<{ start_after: Date }>`
      select start_after from pgboss.job where singleton_key = ${session}`.execute(database);
    return rows[0]!.start_after;
  };

  const failureOf = async (session: string): Promise<string> => {
    const { rows } = await sql<{ message: string }>`
      select output ->> 'message' as message from pgboss.job where singleton_key = ${session}`.execute(
      database,
    );
    return rows[0]!.message;
  };

  const jobs = async (session: string, states: string[]): Promise<number> => {
    const { rows } = await sql<{ state: string }>`
      select state from pgboss.job where name = ${name} and singleton_key = ${session}`.execute(
      database,
    );
    return rows.filter(({ state }) => states.includes(state)).length;
  };
  const waiting = (session: string) => jobs(session, ['created', 'retry']);
  const active = (session: string) => jobs(session, ['active']);
  const unfinished = (session: string) => jobs(session, ['created', 'retry', 'active']);
});
