import { sql, type Selectable } from 'kysely';
import { ENTRY_VERSION, type Entry, type NewEntry } from '../../session/entry.ts';
import { fitBesideAnEntry, storeChanges, storeImages, writeEntries } from './entries.ts';
import { executeIn, inTransaction, type Database } from '../database/database.ts';
import type { JournalTable } from '../database/tables.ts';
import { findSession, type StoreParts } from '../sessions.ts';
import { AppendFenced, ClaimLost, NoSuchSession, type AppendOptions } from '../store.ts';

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
  afterSeq: number,
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
  ...upcast(version, type, parseBody(body)),
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

/** The cast is safe: only `writeEntries` writes bodies, and it writes objects. */
const parseBody = (body: string): object => JSON.parse(body) as object;
