import { sql } from 'kysely';
import type { StoredSnapshot } from '../../session/fold/snapshot.ts';
import type { Database } from '../database/database.ts';

/** See `Store.snapshot`. */
export async function readSnapshot(
  database: Database,
  id: string,
  version: string,
): Promise<StoredSnapshot | undefined> {
  return database
    .selectFrom('snapshots')
    .select(['seq', 'body'])
    .where('session_id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst();
}

/** See `Store.saveSnapshot`. Without a claim: whoever computes it from the same entries computes the same. */
export async function saveSnapshot(
  database: Database,
  id: string,
  version: string,
  { seq, body }: StoredSnapshot,
): Promise<void> {
  await sql`
    insert into issuewright.snapshots as before (session_id, seq, version, body)
    values (${id}, ${seq}, ${version}, ${body})
    on conflict (session_id) do update
    set seq = excluded.seq, version = excluded.version, body = excluded.body
    where before.version <> excluded.version or before.seq < excluded.seq
  `.execute(database);
}
