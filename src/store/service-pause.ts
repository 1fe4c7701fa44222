import { sql } from 'kysely';
import { inTransaction, type Database } from './database/database.ts';
import type { ServicePause } from '../contracts/service-pause.ts';

export async function readPause(database: Database): Promise<ServicePause | undefined> {
  const row = await database
    .selectFrom('service_pause')
    .select(['reason', 'since'])
    .executeTakeFirst();
  return row;
}

/** Pauses the service, or changes the reason of the pause. */
export async function pauseService(database: Database, reason: string): Promise<void> {
  await database
    .insertInto('service_pause')
    .values({ reason })
    .onConflict((conflict) => conflict.column('one').doUpdateSet({ reason }))
    .execute();
}

/** Ends the pause and makes all paused sessions due. Resolves with whether there was a pause. */
export function resumeService(database: Database): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    const ended = await transaction.deleteFrom('service_pause').returning('one').executeTakeFirst();
    await transaction
      .updateTable('sessions')
      .set({ wake_at: sql<Date>`now()` })
      .where('state', '=', 'waiting(pause)')
      .execute();
    return ended !== undefined;
  });
}
