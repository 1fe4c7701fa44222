import { sql } from 'kysely';
import { inTransaction, type Database } from './database/database.ts';
import { lockSession, type StoreParts } from './sessions.ts';
import type { Publication, StandingPublication } from './store.ts';

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
  publication: Publication,
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
  { key, remoteId, url, digest }: Publication,
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
  { key, remoteId, url, digest }: Publication,
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
export function markPublished(
  { database, queue }: StoreParts,
  id: string,
  seq: number,
  publishAt: Date | null,
): Promise<void> {
  return inTransaction(database, async (transaction) => {
    const session = await lockSession(transaction, id);
    await transaction
      .updateTable('sessions')
      .set({ published_seq: Math.max(seq, session.publishedSeq), publish_at: publishAt })
      .where('id', '=', id)
      .execute();
    if (publishAt === null && session.lastSeq > seq) await queue.wake('publish', id, transaction);
  });
}
