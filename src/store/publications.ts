import { sql } from 'kysely';
import { inTransaction, type Database } from './database.ts';
import { lockSession, type StoreParts } from './sessions.ts';
import type { Publication, StandingPublication } from './store.ts';

/** See `Store.publications`. */
export async function readPublications(
  database: Database,
  id: string,
): Promise<StandingPublication[]> {
  const rows = await database
    .selectFrom('publications')
    .select(['key', 'remote_id', 'url', 'digest', 'updated_at'])
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
  { key, remoteId, url, digest }: Publication,
): Promise<void> {
  const values = { remote_id: remoteId, url, digest };
  await database
    .insertInto('publications')
    .values({ session_id: id, key, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['session_id', 'key'])
        .doUpdateSet({ ...values, updated_at: sql<Date>`now()` }),
    )
    .execute();
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
