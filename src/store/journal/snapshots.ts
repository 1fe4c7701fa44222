import { sql } from 'kysely';
import type { StoredSnapshot } from '../../session/fold/snapshot.ts';
import type { Database } from '../database/database.ts';
import type { Latest } from '../store.ts';
import { entryOf, type StoredEntry } from './journal.ts';

/** A snapshot is no entry, so it has no time. */
type Row = StoredEntry | (StoredSnapshot & { readonly at: null });

/** See `Store.latest`. */
export async function readLatest(database: Database, id: string, version: string): Promise<Latest> {
  const { rows } = await sql<Row>`
    with snapshot as (
      select seq, body from issuewright.snapshots where session_id = ${id} and version = ${version}
    )
    select seq, null as at, null as version, null as type, body from snapshot
    union all
    select seq, at, version, type, body from issuewright.journal
    where session_id = ${id} and seq > coalesce((select seq from snapshot), 0)
    -- The snapshot is before the entries: it has the number of the last entry that it covers.
    order by seq
  `.execute(database);
  const entries = rows.filter((row) => row.at !== null).map(entryOf);
  const snapshot = rows.find(({ at }) => at === null);
  return { ...(snapshot && { snapshot: { seq: snapshot.seq, body: snapshot.body } }), entries };
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
