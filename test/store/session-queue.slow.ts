// Statements of the queue that are carried out, and whose answers are lost with their connections.
import { expect, it } from '@jest/globals';
import type { Execute } from '../../src/store/database/database.ts';
import { TAKE } from '../../src/store/session-queue/queue-statements.ts';
import { until } from '../contract/store-world.ts';
import { queueWorld } from './queue/queue-world.ts';

const { openQueue, open, wake, atRest } = queueWorld();

it('a session that was taken for a worker that did not hear of it is taken again', async () => {
  let lost = 0;
  const losing =
    (execute: Execute): Execute =>
    async <Row extends object>(...[statement, values]: Parameters<Execute>) => {
      const rows = await execute<Row>(statement, values);
      const [row] = rows as { readonly session?: string | null }[];
      if (statement !== TAKE || typeof row?.session !== 'string' || lost > 0) return rows;
      lost += 1;
      throw new Error('Connection terminated unexpectedly');
    };
  const queue = openQueue({}, losing);
  const session = await open({ installation: 1, repository: 1 });
  const taken: string[] = [];
  await queue.work(3, async (name) => {
    taken.push(name);
  });
  await wake(queue, session);
  // The look for lost work comes every five seconds.
  await until('taken', () => taken.length > 0);
  await atRest();
  expect({ lost, taken }).toEqual({ lost: 1, taken: [session] });
});
