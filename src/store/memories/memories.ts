import { sql } from 'kysely';
import type {
  Memory,
  MemoryList,
  MemoryStore,
  NewMemory,
  Remembered,
} from '../../contracts/memory.ts';
import { inTransaction, type Database, type DatabaseTransaction } from '../database/database.ts';
import { rankMemories } from './memory-search.ts';
import { readVectors, saveVectors } from './memory-vectors.ts';
import { trigramsIn, wordsIn } from './memory-terms.ts';
import { repositoryOf } from '../sessions.ts';
import { NoSuchSession } from '../store.ts';

/** The most memories of one repository. */
export const MOST_MEMORIES = 1000;

export const memoryStore = (database: Database): MemoryStore => ({
  remember: (session, memory) => remember(database, session, memory),
  rank: (session, query) => rankMemories(database, session, query),
  recall: (session, numbers) => recall(database, session, numbers),
  list: (session, limit) => list(database, session, limit),
  find: (session, numbers) => find(database, session, numbers),
  vectors: (session, kind, limit) => readVectors(database, session, kind, limit),
  saveVectors: (session, model, vectors) => saveVectors(database, session, model, vectors),
  forget: (session, number, by) => forget(database, session, number, by),
});

interface MemoryRow {
  readonly number: number;
  readonly text: string;
  readonly session: string;
  readonly issue: number;
  readonly at: Date;
  readonly fromStrangers: boolean;
}

const SELECT_MEMORIES = sql`
  select memories.number, memories.text, memories.session_id as session, memories.issue,
    memories.created_at as at, memories.from_strangers as "fromStrangers"
  from issuewright.memories`;

const toMemory = ({ at, ...row }: MemoryRow): Memory => ({ ...row, at: at.toISOString() });

function remember(database: Database, session: string, memory: NewMemory): Promise<Remembered> {
  return inTransaction(database, async (transaction) => {
    await lockRepository(transaction, session);
    const text = storable(memory.text);
    const known = await knownAs(transaction, session, { ...memory, text });
    if (known !== undefined) return { number: known, isKnown: true, dropped: 0 };
    const number = await insert(transaction, session, { ...memory, text });
    return { number, isKnown: false, dropped: await dropSurplus(transaction, session, number) };
  });
}

/** PostgreSQL takes no NUL in a text. */
const storable = (text: string): string => text.replaceAll('\0', '');

/** Writers of one repository wait for each other, because numbers must not be given twice. */
async function lockRepository(transaction: DatabaseTransaction, session: string): Promise<void> {
  const { rows } = await sql`
    select pg_advisory_xact_lock(hashtextextended('issuewright.memories ' || repository_id, 0))
    from issuewright.sessions where id = ${session}`.execute(transaction);
  if (rows.length === 0) throw new NoSuchSession(session);
}

async function knownAs(
  transaction: DatabaseTransaction,
  session: string,
  { call, text }: NewMemory,
): Promise<number | undefined> {
  const { rows } = await sql<{ number: number }>`
    update issuewright.memories set used_at = now()
    where repository_id = ${repositoryOf(session)}
      and ((session_id = ${session} and call = ${call}) or (text = ${text} and forgotten_by is null))
    returning number`.execute(transaction);
  return rows[0]?.number;
}

async function insert(
  transaction: DatabaseTransaction,
  session: string,
  { call, text, fromStrangers }: NewMemory,
): Promise<number> {
  const { rows } = await sql<{ number: number }>`
    insert into issuewright.memories
      (repository_id, number, text, session_id, issue, call, from_strangers, words, trigrams)
    select repository_id,
      1 + coalesce((select max(number) from issuewright.memories as others
        where others.repository_id = sessions.repository_id), 0),
      ${text}, id, issue, ${call}, ${fromStrangers},
      to_tsvector('pg_catalog.english', ${wordsIn(text).join(' ')}), ${[...trigramsIn(text)]}
    from issuewright.sessions where id = ${session}
    returning number`.execute(transaction);
  const [row] = rows;
  if (row === undefined) throw new NoSuchSession(session);
  return row.number;
}

/** Keeps the newest, whatever it says. Resolves with how many were deleted. */
async function dropSurplus(
  transaction: DatabaseTransaction,
  session: string,
  newest: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from issuewright.memories
    where repository_id = ${repositoryOf(session)} and number in (
      select number from issuewright.memories
      where repository_id = ${repositoryOf(session)} and forgotten_by is null and number <> ${newest}
      order by from_strangers, used_at desc, number desc offset ${MOST_MEMORIES - 1})`.execute(
    transaction,
  );
  return Number(numAffectedRows);
}

async function find(
  database: Database,
  session: string,
  numbers: readonly number[],
): Promise<readonly Memory[]> {
  const { rows } = await sql<MemoryRow>`
    ${SELECT_MEMORIES}
    where memories.repository_id = ${repositoryOf(session)}
      and number = any(${[...numbers]}::integer[]) and forgotten_by is null
    order by array_position(${[...numbers]}::integer[], number)`.execute(database);
  return rows.map(toMemory);
}

async function recall(
  database: Database,
  session: string,
  numbers: readonly number[],
): Promise<readonly Memory[]> {
  await sql`
    update issuewright.memories set used_at = now()
    where repository_id = ${repositoryOf(session)}
      and number = any(${[...numbers]}::integer[])`.execute(database);
  return find(database, session, numbers);
}

async function list(database: Database, session: string, limit: number): Promise<MemoryList> {
  const { rows } = await sql<MemoryRow>`
    ${SELECT_MEMORIES}
    where memories.repository_id = ${repositoryOf(session)} and forgotten_by is null
    order by number desc limit ${limit}`.execute(database);
  const { rows: counted } = await sql<{ total: number }>`
    select count(*) as total from issuewright.memories
    where repository_id = ${repositoryOf(session)} and forgotten_by is null`.execute(database);
  return { total: counted[0]?.total ?? 0, memories: rows.map(toMemory) };
}

async function forget(
  database: Database,
  session: string,
  number: number,
  by: string,
): Promise<boolean> {
  const { rows } = await sql`
    with vector as (
      delete from issuewright.memory_vectors
      where repository_id = ${repositoryOf(session)} and number = ${number}
    )
    update issuewright.memories
    set text = '', words = '', trigrams = '{}', forgotten_by = ${by}
    where repository_id = ${repositoryOf(session)} and number = ${number}
      and (forgotten_by is null or forgotten_by = ${by})
    returning number`.execute(database);
  return rows.length > 0;
}
