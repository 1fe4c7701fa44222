import { randomUUID } from 'node:crypto';
import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { inTransaction, type Execute } from '../../src/store/database/database.ts';
import { BEAT } from '../../src/store/session-queue/queue-statements.ts';
import { until } from '../contract/store-world.ts';
import { queueWorld } from './queue/queue-world.ts';

describe('the queue of sessions', () => {
  const { database, openQueue, open, wake, rows, atRest } = queueWorld();

  describe('wake-ups', () => {
    const one = { installation: 1, repository: 1 };

    it('that come while a session runs make it run once more', async () => {
      const queue = openQueue();
      const session = await open(one);
      const end = Promise.withResolvers<void>();
      let runs = 0;
      await queue.work(3, async () => {
        runs += 1;
        await end.promise;
      });
      await wake(queue, session);
      await until('running', () => runs === 1);
      for (let more = 0; more < 5; more += 1) await wake(queue, session);
      expect(runs).toBe(1);
      end.resolve();
      await atRest();
      expect(runs).toBe(2);
    });

    it('come again by themselves if the handler says so, and wait a moment', async () => {
      const queue = openQueue();
      const session = await open(one);
      let runs = 0;
      await queue.work(1, async () => {
        runs += 1;
        return runs < 2 ? 'again' : undefined;
      });
      await wake(queue, session);
      await until('run twice', () => runs === 2);
      await atRest();
      expect(runs).toBe(2);
    });

    it('are never lost, whatever two processes do at the same time', async () => {
      await sql`create table numbers (session text primary key, value int)`.execute(database());
      const queues = [openQueue(), openQueue()];
      const seen = new Map<string, number>();
      const running = new Set<string>();
      const sessions: string[] = [];
      for (let index = 0; index < 6; index += 1) {
        sessions.push(await open(one));
        await sql`insert into numbers values (${sessions[index]}, 0)`.execute(database());
      }
      const handle = async (session: string): Promise<void> => {
        expect(running.has(session)).toBe(false);
        running.add(session);
        const { rows: found } = await sql<{ value: number }>`
          select value from numbers where session = ${session}`.execute(database());
        seen.set(session, found[0]!.value);
        for (let ticks = Math.random() * 20; ticks > 0; ticks -= 1) await nextTick();
        running.delete(session);
      };
      for (const queue of queues) await queue.work(3, handle);
      const bump = (session: string, index: number) =>
        inTransaction(database(), async (transaction) => {
          const wakesFirst = index % 2 === 0;
          if (wakesFirst) await queues[index % 2]!.wake(session, transaction);
          await sql`update numbers set value = value + 1 where session = ${session}`.execute(
            transaction,
          );
          if (!wakesFirst) await queues[index % 2]!.wake(session, transaction);
        });
      for (let round = 1; round <= 3; round += 1) {
        // In the order of locks that the store keeps: each session by one writer at a time.
        const all = sessions.map(async (session) => {
          for (let index = 0; index < 10; index += 1) await bump(session, index);
        });
        await Promise.all(all);
        await until('every last value seen', () =>
          sessions.every((session) => seen.get(session) === round * 10),
        );
      }
      await atRest();
    });

    it('of a transaction that was rolled back take no slot', async () => {
      const queue = openQueue();
      const session = await open(one);
      const undone = inTransaction(database(), async (transaction) => {
        await queue.wake(session, transaction);
        throw new Error('undo');
      });
      await expect(undone).rejects.toThrow('undo');
      expect(await rows()).toBe(0);
    });

    it('end the pause after a failure', async () => {
      const queue = openQueue();
      const session = await open(one);
      let isBroken = true;
      let runs = 0;
      await queue.work(1, async () => {
        runs += 1;
        if (isBroken) throw new Error('again');
      });
      await wake(queue, session);
      await until('it pauses for ever', () => pauseForEver(session));
      isBroken = false;
      const before = runs;
      await wake(queue, session);
      await atRest();
      expect(runs).toBe(before + 1);
    });

    /** Resolves with whether it pauses after a failure. */
    async function pauseForEver(session: string): Promise<boolean> {
      const paused = await sql`
        update issuewright.session_queue set not_before = 'infinity'
        where session_id = ${session} and worker is null and failures > 0 returning 1`.execute(
        database(),
      );
      return paused.rows.length > 0;
    }
  });

  describe('a worker', () => {
    const one = { installation: 1, repository: 1 };

    /** A process that took a session and gave no sign of life for that long. */
    async function leave(session: string, silentFor: number): Promise<void> {
      const id = randomUUID();
      await sql`insert into issuewright.workers (id, alive_at)
        values (${id}, now() - ${silentFor} * interval '1 second')`.execute(database());
      await sql`insert into issuewright.session_queue (session_id, is_woken, worker)
        values (${session}, false, ${id})`.execute(database());
    }

    const makeSteady = () =>
      sql`update issuewright.workers set since = now() - interval '1 minute'`.execute(database());

    it('takes the sessions of one that gave no sign of life for ten seconds', async () => {
      const queue = openQueue();
      const [dead, alive] = [await open(one), await open(one)];
      await leave(dead, 11);
      await leave(alive, 3);
      const taken: string[] = [];
      await queue.work(2, async (session) => void taken.push(session));
      await makeSteady();
      await until('taken', () => taken.length > 0);
      expect(taken).toEqual([dead]);
    });

    it('takes nobody for dead if it was cut off itself a moment ago', async () => {
      const queue = openQueue();
      const session = await open(one);
      await leave(session, 60);
      const taken: string[] = [];
      await queue.work(1, async (id) => void taken.push(id));
      const cutOff = sql`update issuewright.workers
        set since = now() - interval '1 hour', alive_at = now() - interval '6 seconds'
        where alive_at > now() - interval '30 seconds'`;
      await cutOff.execute(database());
      const since = async () =>
        (
          await sql<{ age: number }>`
            select extract(epoch from now() - max(since))::float8 as age from issuewright.workers
            where alive_at > now() - interval '3 seconds'`.execute(database())
        ).rows[0]!.age;
      await until('it has given a sign of life', async () => (await since()) !== null);
      expect(await since()).toBeLessThan(1_800);
      expect(taken).toEqual([]);
    });

    it('takes nobody for dead if it was frozen since its sign of life', async () => {
      let beats = 0;
      let frozenAfter = Infinity;
      const freeze = () =>
        sql`update issuewright.workers set alive_at = now() - interval '20 seconds'`.execute(
          database(),
        );
      const through =
        (execute: Execute): Execute =>
        async (statement, values) => {
          const rows = await execute<never>(statement, values);
          if (statement !== BEAT) return rows;
          beats += 1;
          if (beats === frozenAfter) await freeze();
          return rows;
        };
      const queue = openQueue({}, through);
      const session = await open(one);
      await leave(session, 0);
      const taken: string[] = [];
      await queue.work(1, async (id) => void taken.push(id));
      await makeSteady();
      frozenAfter = beats + 1;
      await until('another sign of life', () => beats > frozenAfter);
      expect(taken).toEqual([]);
    });

    it('aborts what others have taken from it, and touches that no more', async () => {
      const queue = openQueue();
      const session = await open(one);
      const aborted = Promise.withResolvers<unknown>();
      await queue.work(1, async (_id, signal) => {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        aborted.resolve(signal.reason);
      });
      await wake(queue, session);
      const steal = () =>
        sql`update issuewright.session_queue set worker = 'another' where worker is not null`.execute(
          database(),
        );
      await until('taken and stolen', async () => Number((await steal()).numAffectedRows) === 1);
      expect(String(await aborted.promise)).toContain('another process');
      await queue.stop(1000);
      const { rows: left } = await sql`select worker from issuewright.session_queue`.execute(
        database(),
      );
      expect(left).toEqual([{ worker: 'another' }]);
    });

    it('that stops aborts what runs, waits for it, and leaves it to others at once', async () => {
      const [first, second] = [openQueue(), openQueue()];
      const session = await open(one);
      let reason = '';
      const started = Promise.withResolvers<void>();
      const taken: string[] = [];
      await first.work(1, async (_id, signal) => {
        started.resolve();
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        reason = String(signal.reason);
        await wake(first, session);
      });
      await wake(first, session);
      await started.promise;
      await second.work(1, async (id) => void taken.push(id));
      await first.stop(5000);
      expect(reason).toContain('stopping');
      // It signed off: nobody has to find it dead.
      const { rows: workers } = await sql`select from issuewright.workers`.execute(database());
      expect(workers).toHaveLength(1);
      await until('taken by the other', () => taken.length === 1);
    });

    it('that drains takes nothing more, and lets what runs come to its end', async () => {
      const queue = openQueue();
      const [running, waiting] = [await open(one), await open(one)];
      const end = Promise.withResolvers<void>();
      const taken: string[] = [];
      await wake(queue, running, waiting);
      await queue.work(1, async (id) => {
        taken.push(id);
        await end.promise;
      });
      await until('taken', () => taken.length === 1);
      expect(await queue.drain(50)).toBe(false);
      const drained = queue.drain(5000);
      end.resolve();
      expect(await drained).toBe(true);
      expect(taken).toEqual([running]);
    });
  });
});
