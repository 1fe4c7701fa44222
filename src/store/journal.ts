import type { Entry, NewEntry } from '../session/entries/entry.ts';
import { fitBesideAnEntry, storeChanges } from './changes.ts';
import type { Database } from './database.ts';
import { writeEntries } from './entries.ts';
import type { Parts } from './parts.ts';
import { findSession } from './sessions.ts';
import { within } from './statement.ts';
import { ClaimLost, NoSuchSession, type AppendOptions } from './store.ts';
import { upcast } from './upcast.ts';
import { inTransaction } from './transaction.ts';

/** See `Store.append`. */
export async function append(
  parts: Parts,
  id: string,
  entries: readonly NewEntry[],
  options: AppendOptions = {},
): Promise<Entry[]> {
  const { changes = [] } = options;
  if (changes.length > 0 && entries.length === 0)
    throw new Error('Changes are stored with an entry; none was given.');
  const written = fitBesideAnEntry(changes)
    ? await writeEntries(parts.execute, id, entries, options)
    : await appendInParts(parts, id, entries, options);
  if (written === undefined) throw await refusal(parts.database, id);
  parts.publishSoon(id);
  return written;
}

function appendInParts(
  { database }: Parts,
  id: string,
  entries: readonly NewEntry[],
  { changes = [], ...options }: AppendOptions,
): Promise<Entry[] | undefined> {
  return inTransaction(database, async (transaction) => {
    const written = await writeEntries(within(transaction), id, entries, options);
    const last = written?.at(-1);
    if (last !== undefined) await storeChanges(transaction, id, last.seq, changes);
    return written;
  });
}

const refusal = async (database: Database, id: string): Promise<Error> =>
  (await findSession(database, id)) === undefined ? new NoSuchSession(id) : new ClaimLost(id);

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

/** The boundary: only `writeEntries` writes bodies, and it writes objects. */
const parseBody = (body: string): object => JSON.parse(body) as object;
