import { sql, type Selectable } from 'kysely';
import { ENTRY_VERSION, type Entry, type NewEntry } from '../../session/entry.ts';
import {
  executeIn,
  inTransaction,
  type Database,
  type DatabaseTransaction,
  type Execute,
  type Statement,
} from '../database/database.ts';
import type { JournalTable } from '../database/tables.ts';
import { findSession, type StoreParts } from '../sessions.ts';
import { AppendFenced, ClaimLost, NoSuchSession, type AppendOptions } from '../store.ts';
import { dollarsOf, isPriceUnknown } from '../../session/kept-entries.ts';
import type { StoredImage } from '../../contracts/image.ts';
import type { StoredChange } from '../../contracts/files.ts';

/** See `Store.append`. */
export async function append(
  parts: StoreParts,
  id: string,
  entries: readonly NewEntry[],
  options: AppendOptions = {},
): Promise<Entry[]> {
  const { changes = [], images = [] } = options;
  if (changes.length > 0 && entries.length === 0)
    throw new Error('Changes are stored with an entry; none was given.');
  const written =
    images.length === 0 && fitBesideAnEntry(changes)
      ? await writeEntries(parts.execute, id, entries, options)
      : await appendInParts(parts, id, entries, options);
  if (written === undefined) throw await failure(parts.database, id, options);
  parts.publishSoon(id);
  return written;
}

function appendInParts(
  { database }: StoreParts,
  id: string,
  entries: readonly NewEntry[],
  { changes = [], images = [], ...options }: AppendOptions,
): Promise<Entry[] | undefined> {
  return inTransaction(database, async (transaction) => {
    const written = await writeEntries(executeIn(transaction), id, entries, options);
    const last = written?.at(-1);
    if (written !== undefined) await storeImages(transaction, id, images);
    if (last !== undefined) await storeChanges(transaction, id, last.seq, changes);
    return written;
  });
}

async function failure(database: Database, id: string, { claim }: AppendOptions): Promise<Error> {
  const session = await findSession(database, id);
  if (session === undefined) return new NoSuchSession(id);
  const hasClaim = claim === undefined || session.claim === claim;
  return hasClaim ? new AppendFenced() : new ClaimLost(id);
}

/** The highest number of an entry that PostgreSQL takes. */
const NEWEST = 2 ** 31 - 1;

/** See `Store.journal`. */
export async function readJournal(
  database: Database,
  id: string,
  afterSeq = 0,
  upTo = NEWEST,
): Promise<Entry[]> {
  const rows = await database
    .selectFrom('journal')
    .select(['seq', 'at', 'version', 'type', 'body'])
    .where('session_id', '=', id)
    .where('seq', '>', afterSeq)
    .where('seq', '<=', upTo)
    .orderBy('seq')
    .execute();
  return rows.map(entryOf);
}

type StoredEntry = Omit<Selectable<JournalTable>, 'session_id'>;

const entryOf = ({ seq, at, version, type, body }: StoredEntry): Entry => ({
  // The cast is safe: only `writeEntries` writes bodies, and it writes objects.
  ...upcast(version, type, JSON.parse(body) as object),
  seq,
  at: at.toISOString(),
});

/** See `Store.repliesBefore`. */
export async function repliesBefore(database: Database, id: string, seq: number): Promise<number> {
  const { count } = await database
    .selectFrom('journal')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('session_id', '=', id)
    .where('seq', '<', seq)
    .where('type', '=', 'reply')
    .executeTakeFirstOrThrow();
  return count;
}

/** See `Store.newestEntries`. */
export async function newestEntries(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; seq: number }>`
    select id, last_seq as seq from issuewright.sessions where id = any(${ids})
  `.execute(database);
  return new Map(rows.map(({ id, seq }) => [id, seq]));
}

/**
 * Converts a stored entry to the newest version. Throws if a newer Issuewright wrote it, because reading it
 * wrongly would be worse than not reading it.
 */
function upcast(version: number, type: string, body: object): NewEntry {
  if (version > ENTRY_VERSION)
    throw new Error(
      `A journal entry of type ${type} has version ${version}, but this version of Issuewright only ` +
        `supports versions up to ${ENTRY_VERSION}: a newer version wrote it. Upgrade Issuewright.`,
    );
  // The cast is safe: the body was written from a NewEntry of this type and version.
  return { type, ...body } as NewEntry;
}

/** A row of the result: the `seq` and `at` of an entry, or `null` for both if there were no entries. */
interface AppendedRow {
  readonly seq: number | null;
  readonly at: Date | null;
}

/**
 * Everything that an append writes. The update of the session comes first: it locks the row, checks the
 * claim and the fence, and assigns the numbers. If it finds no row, nothing else is written. The fence is a column of that row, so that
 * an attempt that waited for another's lock sees what that wrote. The time of an entry is that of the database, because all
 * workers share its clock.
 */
const WRITE: Statement = {
  name: 'write_entries',
  text: `
with given as (
  select * from unnest($3::text[], $4::text[], $5::float8[], $22::boolean[]) with ordinality
    as given (type, body, dollars, is_partial, place)
), session as (
  update issuewright.sessions set
    last_seq = last_seq + cardinality($3::text[]),
    append_fence = coalesce($19, append_fence),
    updated_at = now(),
    state = case when coalesce($15, last_seq) = last_seq then coalesce($7, state) else state end,
    outcome = case when coalesce($15, last_seq) = last_seq then coalesce($21, outcome) else outcome end,
    pull_request = case when $8 then $9::integer else pull_request end,
    model = coalesce($16::text, model),
    dollars = coalesce($17::float8, dollars),
    is_partial = coalesce($18::boolean, is_partial),
    wake_at = case when $10 then $11::timestamptz else wake_at end
  where id = $1 and ($2::text is null or claim = $2) and ($19::integer is null or append_fence < $19)
  returning id, repository_id, last_seq, last_seq - cardinality($3::text[]) as before
), entry as (
  insert into issuewright.journal (session_id, seq, at, version, type, body)
  select id, before + place, clock_timestamp(), $6, type, body from session, given
  returning seq, at
), spent as (
  insert into issuewright.spending
    (repository_id, at, session_id, seq, dollars, is_partial, person_id, person, model, is_review)
  select repository_id, at, id, seq, coalesce(dollars, 0), is_partial, $23, coalesce($24, ''), coalesce($25, ''), $26
  from session cross join given join entry on seq = before + place
  where dollars is not null or is_partial
), superseded as (
  delete from issuewright.changes as earlier
  using session, unnest($12::text[]) as change (path)
  where earlier.session_id = session.id and earlier.path = change.path
), changed as (
  insert into issuewright.changes (session_id, seq, path, mode, content, made_by_command)
  select id, last_seq, path, mode, content, made
  from session, unnest($12::text[], $13::text[], $14::bytea[], $20::boolean[]) as change (path, mode, content, made)
)
select seq, at from session left join entry on true order by seq`,
};

/**
 * Writes entries with their costs and changes, and updates the session's row. Resolves with `undefined` if
 * there is no such session, another run has its claim, or the `fence` is not a higher one.
 */
export async function writeEntries(
  execute: Execute,
  id: string,
  entries: readonly NewEntry[],
  options: AppendOptions = {},
): Promise<Entry[] | undefined> {
  const written = await execute<AppendedRow>(WRITE, valuesOf(id, entries, options));
  if (written.length === 0) return undefined;
  return entries.map((entry, index) => withPosition(entry, written[index]));
}

function valuesOf(
  id: string,
  entries: readonly NewEntry[],
  { claim, projection = {}, changes = [], seen, fence, spender }: AppendOptions,
): unknown[] {
  const { state, outcome, pullRequest, wakeAt, model, cost } = projection;
  return [
    id,
    claim,
    entries.map(({ type }) => type),
    entries.map(({ type: _type, ...body }) => JSON.stringify(body)),
    // Repeats what the journal says: adding it up from entries would mean reading all of a repository's.
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
    model,
    cost?.dollars,
    cost?.isPartial,
    fence,
    changes.map(({ madeByCommand = false }) => madeByCommand),
    outcome,
    entries.map(isPriceUnknown),
    spender?.person?.id,
    spender?.person?.login,
    spender?.model,
    spender?.isReview === true,
  ];
}

function withPosition(entry: NewEntry, written: AppendedRow | undefined): Entry {
  const { seq = null, at = null } = written ?? {};
  if (seq === null || at === null)
    throw new Error('the database wrote fewer entries than it was given');
  return { ...entry, seq, at: at.toISOString() };
}

/** Stores them one by one: together they may be larger than one statement should be. */
async function storeImages(
  transaction: DatabaseTransaction,
  session: string,
  images: readonly StoredImage[],
): Promise<void> {
  for (const { id, content } of images)
    await transaction
      .insertInto('images')
      .values({ session_id: session, id, content })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** See `Store.images`. */
export async function readImages(
  database: Database,
  session: string,
  images: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (images.length === 0) return new Map();
  const rows = await database
    .selectFrom('images')
    .select(['id', 'content'])
    .where('session_id', '=', session)
    .where(sql<boolean>`id = any(${[...images]})`)
    .execute();
  return new Map(rows.map(({ id, content }) => [id, content]));
}

/** PostgreSQL allows at most 65,535 parameters per statement. */
const ROWS_A_STATEMENT = 1000;
/** The statement of an entry sends contents in hexadecimal; a separate insert sends them in binary. */
const BYTES_BESIDE_AN_ENTRY = 4 * 1024 * 1024;

/** Whether the statement that writes an entry can include the changes, which saves a round trip. */
function fitBesideAnEntry(changes: readonly StoredChange[]): boolean {
  if (changes.length > ROWS_A_STATEMENT) return false;
  const bytes = changes.reduce((sum, { content }) => sum + (content?.byteLength ?? 0), 0);
  return bytes <= BYTES_BESIDE_AN_ENTRY;
}

/** Takes the place of what was stored of the same paths: only the last state of a path is ever read. */
async function storeChanges(
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
