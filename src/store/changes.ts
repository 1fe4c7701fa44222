import type { Database, DatabaseTransaction } from './database.ts';
import type { StoredChange } from './store.ts';

/** A statement takes 65,535 parameters at most. */
const ROWS_A_STATEMENT = 1000;

export async function storeChanges(
  transaction: DatabaseTransaction,
  session: string,
  seq: number,
  changes: readonly StoredChange[],
): Promise<void> {
  const rows = changes.map((change) => ({ session_id: session, seq, ...change }));
  for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT)
    await transaction
      .insertInto('changes')
      .values(rows.slice(from, from + ROWS_A_STATEMENT))
      .execute();
}

/** See `Store.changes`. */
export async function readChanges(
  database: Database,
  session: string,
  afterSeq: number,
): Promise<StoredChange[]> {
  const rows = await database
    .selectFrom('changes')
    .select(['path', 'mode', 'content'])
    .distinctOn('path')
    .where('session_id', '=', session)
    .where('seq', '>', afterSeq)
    .orderBy('path')
    .orderBy('seq', 'desc')
    .execute();
  return rows;
}
