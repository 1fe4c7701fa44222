import type { Database, DatabaseTransaction } from '../database/database.ts';
import type { StoredChange } from '../../contracts/files.ts';

/** PostgreSQL allows at most 65,535 parameters per statement. */
const ROWS_A_STATEMENT = 1000;
/** The statement of an entry sends contents in hexadecimal; a separate insert sends them in binary. */
const BYTES_BESIDE_AN_ENTRY = 4 * 1024 * 1024;

/** Whether the statement that writes an entry can include the changes, which saves a round trip. */
export function fitBesideAnEntry(changes: readonly StoredChange[]): boolean {
  if (changes.length > ROWS_A_STATEMENT) return false;
  const bytes = changes.reduce((sum, { content }) => sum + (content?.byteLength ?? 0), 0);
  return bytes <= BYTES_BESIDE_AN_ENTRY;
}

/** Takes the place of what was stored of the same paths: only the last state of a path is ever read. */
export async function storeChanges(
  transaction: DatabaseTransaction,
  session: string,
  seq: number,
  changes: readonly StoredChange[],
): Promise<void> {
  const rows = changes.map(({ madeByCommand = false, ...change }) => ({
    session_id: session,
    seq,
    ...change,
    made_by_command: madeByCommand,
  }));
  for (let from = 0; from < rows.length; from += ROWS_A_STATEMENT) {
    const some = rows.slice(from, from + ROWS_A_STATEMENT);
    const paths = some.map(({ path }) => path);
    await transaction
      .deleteFrom('changes')
      .where('session_id', '=', session)
      .where('seq', '<', seq)
      .where('path', 'in', paths)
      .execute();
    await transaction.insertInto('changes').values(some).execute();
  }
}

/** See `Store.changes`. */
export async function readChanges(
  database: Database,
  session: string,
  afterSeq: number,
): Promise<StoredChange[]> {
  const rows = await database
    .selectFrom('changes')
    .select(['path', 'mode', 'content', 'made_by_command'])
    .distinctOn('path')
    .where('session_id', '=', session)
    .where('seq', '>', afterSeq)
    .orderBy('path')
    .orderBy('seq', 'desc')
    .execute();
  return rows.map(({ made_by_command: made, ...change }) =>
    made ? { ...change, madeByCommand: true } : change,
  );
}
