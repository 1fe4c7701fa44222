// Queues of sessions on one database, each with connections of its own, as processes have.
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { sql } from 'kysely';
import {
  executeOn,
  inTransaction,
  openDatabase,
  openPool,
  type Database,
  type Execute,
} from '../../../src/store/database/database.ts';
import {
  waitingLine,
  type WaitingLine,
} from '../../../src/store/session-queue/queue-statements.ts';
import { SessionQueue, type SlotLimits } from '../../../src/store/session-queue/session-queue.ts';
import { silent, until } from '../../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../../support/test-database.ts';

export interface Place {
  readonly installation: number;
  readonly repository: number;
}

/** Call it where tests are described. */
export function queueWorld() {
  let place: TestDatabase;
  let database: Database;
  let line: WaitingLine;
  const opened: { queue: SessionQueue; close: () => Promise<void> }[] = [];
  let issues = 0;

  beforeAll(async () => {
    place = await createDatabase();
    const pool = openPool(place.connection, silent);
    database = openDatabase(pool);
    line = waitingLine(executeOn(pool));
  });
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
    await sql`truncate issuewright.session_queue, issuewright.workers, issuewright.shares`.execute(
      database,
    );
  });
  afterAll(async () => {
    await database.destroy();
    await place.drop();
  });

  /** With connections of its own, as a process has. */
  function openQueue(
    limits: SlotLimits = {},
    through = (execute: Execute): Execute => execute,
  ): SessionQueue {
    const pool = openPool(place.connection, silent);
    const execute = through(executeOn(pool));
    const queue = new SessionQueue({ execute, limits, log: silent });
    const close = async (): Promise<void> => {
      await queue.stop(1000);
      await pool.end();
    };
    opened.push({ queue, close });
    return queue;
  }

  async function open({ installation, repository }: Place): Promise<string> {
    issues += 1;
    const id = `s${issues}`;
    await sql`
      insert into issuewright.sessions (id, installation, repository_id, owner, name, issue, created_at)
      values (${id}, ${installation}, ${repository}, ${`Owner-${installation}`}, 'sample', ${issues},
        now() + ${issues} * interval '1 second')`.execute(database);
    return id;
  }

  const wake = (queue: SessionQueue, ...sessions: string[]) =>
    inTransaction(database, async (transaction) => {
      for (const session of sessions) await queue.wake(session, transaction);
    });

  const rows = async (): Promise<number> => {
    const result = await sql`select from issuewright.session_queue`.execute(database);
    return result.rows.length;
  };
  const atRest = () => until('at rest', async () => (await rows()) === 0);

  return { database: () => database, line: () => line, openQueue, open, wake, rows, atRest };
}
