import { sql } from 'kysely';
import { executeIn, inTransaction, type DatabaseTransaction } from './database/database.ts';
import { writeEntries } from './journal/entries.ts';
import type { StoreParts } from './sessions.ts';

const MAX_SESSIONS = 500;

/** See `Store.reinstall`. */
export async function reinstall(
  { database, publishSoon }: StoreParts,
  installation: number,
  repositoryIds: readonly number[],
): Promise<void> {
  if (repositoryIds.length === 0) return;
  const found = await database
    .selectFrom('sessions')
    .select('id')
    .where(sql<boolean>`repository_id = any(${[...repositoryIds]}::bigint[])`)
    .where('installation', '!=', installation)
    .orderBy('created_at', 'desc')
    .limit(MAX_SESSIONS)
    .execute();
  for (const { id } of found) {
    await inTransaction(database, (transaction) => move(transaction, id, installation));
    publishSoon(id);
  }
}

async function move(
  transaction: DatabaseTransaction,
  id: string,
  installation: number,
): Promise<void> {
  await writeEntries(executeIn(transaction), id, [{ type: 'reinstalled', installation }]);
  await transaction.updateTable('sessions').set({ installation }).where('id', '=', id).execute();
}
