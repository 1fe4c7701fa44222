import { sql } from 'kysely';
import { ENTRY_VERSION, type Entry, type NewEntry } from '../session/entry.ts';
import { storeChanges } from './changes.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import type { Parts } from './parts.ts';
import { lockSession, projectionColumns } from './sessions.ts';
import { recordSpending } from './spending.ts';
import { ClaimLost, type AppendOptions, type Projection, type SessionRow } from './store.ts';
import { upcast } from './upcast.ts';

/** See `Store.append`. */
export function append(
  { database, queue }: Parts,
  id: string,
  entries: readonly NewEntry[],
  options: AppendOptions = {},
): Promise<Entry[]> {
  return database.transaction().execute(async (transaction) => {
    const session = await lockSession(transaction, id);
    if (options.claim !== undefined && session.claim !== options.claim) throw new ClaimLost(id);
    const written = await writeEntries(transaction, session, entries, options.projection);
    if (options.changes !== undefined && options.changes.length > 0)
      await storeChanges(transaction, id, lastOf(written).seq, options.changes);
    await queue.wake('publish', id, transaction);
    return written;
  });
}

/** Adds entries to a session whose row is locked, and keeps the row in step. */
export async function writeEntries(
  transaction: DatabaseTransaction,
  session: Pick<SessionRow, 'id' | 'repository' | 'lastSeq'>,
  entries: readonly NewEntry[],
  projection: Projection = {},
): Promise<Entry[]> {
  const written = entries.length === 0 ? [] : await insertEntries(transaction, session, entries);
  await recordSpending(transaction, session, written);
  await transaction
    .updateTable('sessions')
    .set({
      ...projectionColumns(projection),
      last_seq: session.lastSeq + entries.length,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', session.id)
    .execute();
  return written;
}

/** The database's clock is the one that all workers share. */
async function insertEntries(
  transaction: DatabaseTransaction,
  session: Pick<SessionRow, 'id' | 'lastSeq'>,
  entries: readonly NewEntry[],
): Promise<Entry[]> {
  const rows = entries.map(({ type, ...body }, index) => ({
    session_id: session.id,
    seq: session.lastSeq + 1 + index,
    at: sql<Date>`clock_timestamp()`,
    version: ENTRY_VERSION,
    type,
    body: JSON.stringify(body),
  }));
  const times = await transaction
    .insertInto('journal')
    .values(rows)
    .returning(['seq', 'at'])
    .execute();
  const timeOf = new Map(times.map(({ seq, at }) => [seq, at.toISOString()]));
  return entries.map((entry, index) => {
    const seq = session.lastSeq + 1 + index;
    return { ...entry, seq, at: timeOf.get(seq) ?? '' };
  });
}

/** See `Store.journal`. */
export async function readJournal(
  database: Database,
  id: string,
  afterSeq: number,
): Promise<Entry[]> {
  const rows = await database
    .selectFrom('journal')
    .select(['seq', 'at', 'version', 'type', 'body'])
    .where('session_id', '=', id)
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .execute();
  return rows.map(({ seq, at, version, type, body }) => ({
    ...upcast(version, type, parseBody(body)),
    seq,
    at: at.toISOString(),
  }));
}

/** The boundary: only `insertEntries` writes bodies, and it writes objects. */
const parseBody = (body: string): object => JSON.parse(body) as object;

function lastOf(entries: readonly Entry[]): Entry {
  const last = entries.at(-1);
  if (last === undefined) throw new Error('Changes are stored with an entry; none was given.');
  return last;
}
