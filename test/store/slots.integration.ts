import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { SessionQueue } from '../../src/store/session-queue/session-queue.ts';
import { until } from '../contract/store-world.ts';
import { queueWorld, type Place } from './queue/queue-world.ts';

describe('the slots for sessions', () => {
  const { line, openQueue, open, wake, atRest } = queueWorld();

  /** The sessions in the order in which one slot takes them. */
  async function takenOneByOne(queue: SessionQueue, sessions: readonly string[]) {
    const order: string[] = [];
    await queue.work(1, async (session) => void order.push(session));
    await until('all taken', () => order.length === sessions.length);
    return order;
  }

  describe('limits', () => {
    it('are exact, however many processes take sessions at the same time', async () => {
      const limits = { repository: 2, installation: 3, service: 5 };
      const queues = [openQueue(limits), openQueue(limits), openQueue(limits)];
      const places = [11, 12, 21].map((repository) => ({
        installation: Math.floor(repository / 10),
        repository,
      }));
      const sessions = new Map<string, Place>();
      for (let index = 0; index < 60; index += 1) {
        const at = places[index % places.length]!;
        sessions.set(await open(at), at);
      }
      const running = new Set<string>();
      const full = Promise.withResolvers<void>();
      const most = { repository: 0, installation: 0, service: 0 };
      let done = 0;
      const count = (isSame: (other: Place) => boolean) =>
        [...running].filter((id) => isSame(sessions.get(id)!)).length;
      const handle = async (session: string): Promise<void> => {
        running.add(session);
        const at = sessions.get(session)!;
        const now = {
          repository: count(({ repository }) => repository === at.repository),
          installation: count(({ installation }) => installation === at.installation),
          service: running.size,
        };
        for (const name of ['repository', 'installation', 'service'] as const)
          most[name] = Math.max(most[name], now[name]);
        if (running.size === limits.service) full.resolve();
        await full.promise;
        for (let ticks = Math.random() * 30; ticks > 0; ticks -= 1) await nextTick();
        running.delete(session);
        done += 1;
      };
      await wake(queues[0]!, ...sessions.keys());
      for (const queue of queues) await queue.work(8, handle);
      await until('all done', () => done === sessions.size);
      expect(most).toEqual(limits);
    });

    it('of the process are its own', async () => {
      const queue = openQueue();
      let running = 0;
      let most = 0;
      const end = Promise.withResolvers<void>();
      for (let index = 0; index < 6; index += 1)
        await wake(queue, await open({ installation: 1, repository: 1 }));
      await queue.work(2, async () => {
        most = Math.max(most, (running += 1));
        await end.promise;
        running -= 1;
      });
      await until('both slots taken', () => running === 2);
      queue.look();
      end.resolve();
      await atRest();
      expect(most).toBe(2);
    });
  });

  describe('turns', () => {
    it('go round the accounts, in each of them round its repositories, and to the oldest session there', async () => {
      const queue = openQueue();
      const [a, b, c] = [
        { installation: 1, repository: 10 },
        { installation: 1, repository: 20 },
        { installation: 2, repository: 30 },
      ];
      const at = { a, b, c };
      const names = new Map<string, string>();
      const counts = { a: 0, b: 0, c: 0 };
      for (const name of ['a', 'a', 'a', 'a', 'b', 'b', 'c', 'c', 'c'] as const)
        names.set(await open(at[name]), `${name}${(counts[name] += 1)}`);
      // Woken in another order than opened.
      await wake(queue, ...[...names.keys()].toReversed());
      const places = new Map<string, number | undefined>();
      for (const id of names.keys()) places.set(names.get(id)!, await line().place(id));
      const order = (await takenOneByOne(queue, [...names.keys()])).map((id) => names.get(id));
      expect(order).toEqual(['a1', 'c1', 'b1', 'c2', 'a2', 'c3', 'b2', 'a3', 'a4']);
      expect(order.map((name) => places.get(name!))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });

    it('bring a repository that has one session next, whatever another one has queued', async () => {
      const queue = openQueue();
      const ends: (() => void)[] = [];
      const order: string[] = [];
      for (let index = 0; index < 20; index += 1)
        await wake(queue, await open({ installation: 1, repository: 1 }));
      await queue.work(4, async (session) => {
        order.push(session);
        await new Promise<void>((resolve) => ends.push(resolve));
      });
      await until('all slots taken', () => ends.length === 4);
      const single = await open({ installation: 2, repository: 2 });
      await wake(queue, single);
      expect(await line().place(single)).toBe(1);
      ends.shift()!();
      await until('another taken', () => order.length === 5);
      expect(order[4]).toBe(single);
      expect(await line().place(single)).toBeUndefined();
      const stopping = queue.stop(5000);
      for (const end of ends) end();
      await stopping;
    });

    it('have no places while a worker lives and none of the slots is taken', async () => {
      const queue = openQueue();
      const session = await open({ installation: 1, repository: 1 });
      await wake(queue, session);
      expect(await line().place(session)).toBe(1);
      // It lives, and has not looked yet.
      await queue.work(0, () => Promise.resolve());
      expect(await line().place(session)).toBeUndefined();
    });

    it('are not saved up by an account that was idle', async () => {
      const queue = openQueue();
      const busy = { installation: 1, repository: 1 };
      const idle = { installation: 2, repository: 2 };
      const first = [await open(busy), await open(busy), await open(busy), await open(busy)];
      await wake(queue, ...first);
      const order: string[] = [];
      await queue.work(1, async (session) => void order.push(session));
      await until('all taken', () => order.length === 4);
      await queue.stop(1000);
      const other = openQueue();
      const names = new Map<string, string>();
      for (let index = 0; index < 3; index += 1) {
        names.set(await open(idle), 'idle');
        names.set(await open(busy), 'busy');
      }
      await wake(other, ...names.keys());
      const taken = (await takenOneByOne(other, [...names.keys()])).map((id) => names.get(id));
      expect(taken.slice(0, 4).filter((name) => name === 'idle')).toHaveLength(2);
    });
  });
});
