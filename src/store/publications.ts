import { sql } from 'kysely';
import { inTransaction, type Database } from './database/database.ts';
import type { StoreParts } from './sessions.ts';
import { NoSuchSession, type PublishedObject, type StandingPublication } from './store.ts';

/** The transaction that wrote the row. */
const VERSION = sql<string>`xmin::text`;

/** See `Store.publications`. */
export async function readPublications(
  database: Database,
  id: string,
): Promise<StandingPublication[]> {
  const rows = await database
    .selectFrom('publications')
    .select(['key', 'remote_id', 'url', 'digest', 'updated_at', VERSION.as('version')])
    .where('session_id', '=', id)
    .orderBy('key')
    .execute();
  return rows.map(({ remote_id, updated_at, ...rest }) => ({
    ...rest,
    remoteId: remote_id,
    updatedAt: updated_at,
  }));
}

/** See `Store.savePublication`. */
export async function savePublication(
  database: Database,
  id: string,
  publication: PublishedObject,
  before: StandingPublication | undefined,
): Promise<'saved' | 'contested'> {
  const { key } = publication;
  const saved =
    before === undefined
      ? await insert(database, id, publication)
      : await replace(database, id, publication, before);
  if (saved) return 'saved';
  await database
    .deleteFrom('publications')
    .where('session_id', '=', id)
    .where('key', '=', key)
    .execute();
  return 'contested';
}

async function insert(
  database: Database,
  id: string,
  { key, remoteId, url, digest }: PublishedObject,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows: count } = await database
    .insertInto('publications')
    .values({ session_id: id, key, remote_id: remoteId, url, digest })
    .onConflict((conflict) => conflict.columns(['session_id', 'key']).doNothing())
    .executeTakeFirst();
  return count === 1n;
}

async function replace(
  database: Database,
  id: string,
  { key, remoteId, url, digest }: PublishedObject,
  { version }: StandingPublication,
): Promise<boolean> {
  const { numUpdatedRows: count } = await database
    .updateTable('publications')
    .set({ remote_id: remoteId, url, digest, updated_at: sql<Date>`now()` })
    .where('session_id', '=', id)
    .where('key', '=', key)
    .where(VERSION, '=', version)
    .executeTakeFirst();
  return count === 1n;
}

/** See `Store.markPublished`. */
export async function markPublished(
  { database, queue }: StoreParts,
  id: string,
  seq: number,
  publishAt: Date | null,
): Promise<void> {
  const session = await database
    .updateTable('sessions')
    .set({ published_seq: sql`greatest(published_seq, ${seq})`, publish_at: publishAt })
    .where('id', '=', id)
    .returning('last_seq')
    .executeTakeFirst();
  if (session === undefined) throw new NoSuchSession(id);
  // If the process dies here, the queue runs the handler again that called this.
  if (publishAt === null && session.last_seq > seq)
    await inTransaction(database, (transaction) => queue.wake('publish', id, transaction));
}
