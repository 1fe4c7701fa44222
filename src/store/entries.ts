import { ENTRY_VERSION, type Entry, type NewEntry } from '../session/entries/entry.ts';
import { dollarsOf } from './spending.ts';
import type { Execute, Statement } from './statement.ts';
import type { AppendOptions } from './store.ts';

/** `seq` and `at` are those of an entry; both `null` where no entry was given. */
interface Written {
  readonly seq: number | null;
  readonly at: Date | null;
}

/**
 * All that an append writes. The update comes first: it locks the session's row, is the fence of the
 * claim, and takes the numbers; without the row nothing else is written. Entries get their time from
 * the database's clock, the one that all workers share.
 */
const WRITE: Statement = {
  name: 'write_entries',
  text: `
with given as (
  select * from unnest($3::text[], $4::text[], $5::float8[]) with ordinality
    as given (type, body, dollars, place)
), session as (
  update issuewright.sessions set
    last_seq = last_seq + cardinality($3::text[]),
    updated_at = now(),
    state = case when coalesce($15, last_seq) = last_seq then coalesce($7, state) else state end,
    pull_request = case when $8 then $9::integer else pull_request end,
    wake_at = case when $10 then $11::timestamptz else wake_at end
  where id = $1 and ($2::text is null or claim = $2)
  returning id, repository_id, last_seq, last_seq - cardinality($3::text[]) as before
), entry as (
  insert into issuewright.journal (session_id, seq, at, version, type, body)
  select id, before + place, clock_timestamp(), $6, type, body from session, given
  returning seq, at
), spent as (
  insert into issuewright.spending (repository_id, at, session_id, seq, dollars)
  select repository_id, at, id, seq, dollars
  from session cross join given join entry on seq = before + place
  where dollars is not null
), changed as (
  insert into issuewright.changes (session_id, seq, path, mode, content)
  select id, last_seq, path, mode, content
  from session, unnest($12::text[], $13::text[], $14::bytea[]) as change (path, mode, content)
)
select seq, at from session left join entry on true order by seq`,
};

/**
 * Writes entries and what goes with them, and keeps the session's row in step. `undefined`: there is
 * no such session, or another run has its claim.
 */
export async function writeEntries(
  execute: Execute,
  id: string,
  entries: readonly NewEntry[],
  options: AppendOptions = {},
): Promise<Entry[] | undefined> {
  const written = await execute<Written>(WRITE, valuesOf(id, entries, options));
  if (written.length === 0) return undefined;
  return entries.map((entry, index) => placed(entry, written[index]));
}

function valuesOf(
  id: string,
  entries: readonly NewEntry[],
  { claim, projection = {}, changes = [], seen }: AppendOptions,
): unknown[] {
  const { state, pullRequest, wakeAt } = projection;
  return [
    id,
    claim,
    entries.map(({ type }) => type),
    entries.map(({ type: _type, ...body }) => JSON.stringify(body)),
    entries.map(dollarsOf),
    ENTRY_VERSION,
    state,
    pullRequest !== undefined,
    pullRequest,
    wakeAt !== undefined,
    wakeAt,
    changes.map(({ path }) => path),
    changes.map(({ mode }) => mode),
    changes.map(({ content }) => content),
    seen,
  ];
}

function placed(entry: NewEntry, written: Written | undefined): Entry {
  const { seq = null, at = null } = written ?? {};
  if (seq === null || at === null) throw new Error('the database wrote fewer entries than given');
  return { ...entry, seq, at: at.toISOString() };
}
