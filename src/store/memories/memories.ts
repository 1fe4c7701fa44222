import { bindFirst } from '../../lib/bind-first.ts';
import { sql } from 'kysely';
import type {
  Memory,
  MemoryList,
  MemoryStore,
  MemoryVector,
  MemoryVectors,
  NewMemory,
  RankedMemories,
  RememberedFact,
  VectorKind,
} from '../../contracts/memory.ts';
import { inTransaction, type Database, type DatabaseTransaction } from '../database/database.ts';
import { repositoryOf } from '../sessions.ts';
import { NoSuchSession } from '../store.ts';

/** The most memories of one repository. */
export const MOST_MEMORIES = 1000;

const OPERATIONS = {
  remember,
  rank: rankMemories,
  recall,
  list,
  find,
  vectors: readVectors,
  saveVectors,
  forget,
};

export const memoryStore = (database: Database): MemoryStore => bindFirst(database, OPERATIONS);

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

function remember(database: Database, session: string, memory: NewMemory): Promise<RememberedFact> {
  return inTransaction(database, async (transaction) => {
    await lockRepository(transaction, session);
    // PostgreSQL takes no NUL in a text.
    const text = memory.text.replaceAll('\0', '');
    const known = await knownAs(transaction, session, { ...memory, text });
    if (known !== undefined) return { number: known, isKnown: true, dropped: 0 };
    const number = await insert(transaction, session, { ...memory, text });
    return { number, isKnown: false, dropped: await dropSurplus(transaction, session, number) };
  });
}

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

// How the text of a memory is split for the search: the same for what is stored and for what is asked.

/** Scripts that put no blanks between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

const partsOf = (word: string): readonly string[] =>
  UNSPACED.test(word) ? Array.from(segmenter.segment(word), ({ segment }) => segment) : [word];

/** The words of a text; a name such as `parseJson`, `parse_json` or `src/parse.json` counts as its parts. */
export const wordsIn = (text: string): readonly string[] =>
  (
    text
      .normalize('NFKC')
      .replaceAll(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  ).flatMap(partsOf);

/** All sequences of three characters in a text's words, with blanks around each word, each sequence once. */
export function trigramsIn(text: string): readonly string[] {
  const found = new Set<string>();
  for (const word of wordsIn(text)) {
    const padded = Array.from(`  ${word.toLowerCase()} `);
    for (let at = 0; at + 3 <= padded.length; at += 1) found.add(padded.slice(at, at + 3).join(''));
  }
  return [...found];
}

/** See `MemoryStore.vectors`. */
async function readVectors(
  database: Database,
  session: string,
  { model, dimensions }: VectorKind,
  limit: number,
): Promise<MemoryVectors> {
  const bytes = dimensions * Float32Array.BYTES_PER_ELEMENT;
  const { rows } = await sql<{ number: number; vector: Buffer }>`
    select number, vector from issuewright.memory_vectors
    where repository_id = ${repositoryOf(session)} and model = ${model}
      and octet_length(vector) = ${bytes}`.execute(database);
  const { rows: missing } = await sql<{ number: number; text: string }>`
    select number, text from issuewright.memories
    where repository_id = ${repositoryOf(session)} and forgotten_by is null and not exists (
      select from issuewright.memory_vectors as vectors
      where vectors.repository_id = memories.repository_id and vectors.number = memories.number
        and model = ${model} and octet_length(vector) = ${bytes})
    order by number desc limit ${limit}`.execute(database);
  return {
    known: rows.map(({ number, vector }) => ({ number, vector: fromBytes(vector) })),
    missing,
  };
}

/** See `MemoryStore.saveVectors`. */
async function saveVectors(
  database: Database,
  session: string,
  model: string,
  vectors: readonly MemoryVector[],
): Promise<void> {
  if (vectors.length === 0) return;
  const numbers = vectors.map(({ number }) => number);
  const bytes = vectors.map(({ vector }) => toBytes(vector));
  await sql`
    insert into issuewright.memory_vectors (repository_id, number, model, vector)
    select repository_id, number, ${model}, vector
    from issuewright.memories
    join unnest(${numbers}::integer[], ${bytes}::bytea[]) as given (number, vector) using (number)
    where repository_id = ${repositoryOf(session)} and forgotten_by is null
    for key share of memories
    on conflict (repository_id, number) do update
      set model = excluded.model, vector = excluded.vector`.execute(database);
}

/** As this machine has them in memory: little-endian on all that Issuewright runs on. */
const toBytes = ({ buffer, byteOffset, byteLength }: Float32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

/** Copied, because floats must be aligned. */
const fromBytes = (bytes: Buffer): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);

/** More than anyone asks for, so that what two ways of searching find can be compared. */
const CANDIDATES = 50;
/** Terms of a query that count. A query is as long as a sentence, not as a file. */
const MOST_TERMS = 400;

/**
 * BM25 over the words of a repository's memories: PostgreSQL's own ranking does not know that a word in few
 * memories says more than one in all of them. One repository has so few memories that no index is needed.
 */
async function byWords(database: Database, session: string, query: string) {
  const words = wordsIn(query).slice(0, MOST_TERMS).join(' ');
  const { rows } = await sql<{ number: number }>`
    with own as materialized (
      select number, words, length(words) as size from issuewright.memories
      where repository_id = ${repositoryOf(session)} and forgotten_by is null
    ), whole as (
      select count(*)::float8 as memories, greatest(avg(size), 1)::float8 as mean from own
    ), asked as (
      select lexeme from unnest(to_tsvector('pg_catalog.english', ${words}))
    ), hit as (
      select number, size, term.lexeme, cardinality(term.positions)::float8 as times
      from own, unnest(own.words) as term join asked using (lexeme)
    ), weight as (
      select lexeme, ln(1 + (memories - count(*) + 0.5) / (count(*) + 0.5)) as weight
      from hit, whole group by lexeme, memories
    )
    select number from hit join weight using (lexeme), whole
    group by number
    order by sum(weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * size / mean))) desc, number desc
    limit ${CANDIDATES}`.execute(database);
  return rows.map(({ number }) => number);
}

/** The least share of a query's trigrams, by weight, that a memory must have. */
const LEAST_SHARE = 0.3;

async function byTrigrams(database: Database, session: string, query: string) {
  const trigrams = trigramsIn(query).slice(0, MOST_TERMS);
  const { rows } = await sql<{ number: number }>`
    with own as materialized (
      select number, trigrams from issuewright.memories
      where repository_id = ${repositoryOf(session)} and forgotten_by is null
    ), whole as (
      select count(*)::float8 as memories from own
    ), asked as (
      select distinct trigram from unnest(${trigrams}::text[]) as trigram
    ), hit as (
      select number, trigram from own, unnest(own.trigrams) as trigram join asked using (trigram)
    ), weight as (
      select trigram, ln(1 + (memories + 0.5) / (count(hit.number) + 0.5)) as weight
      from whole, asked left join hit using (trigram) group by trigram, memories
    ), total as (
      select sum(weight) as total from weight
    )
    select number from hit join weight using (trigram), total
    group by number, total
    having sum(weight) >= ${LEAST_SHARE} * total
    order by sum(weight) desc, number desc
    limit ${CANDIDATES}`.execute(database);
  return rows.map(({ number }) => number);
}

/** See `MemoryStore.rank`. */
async function rankMemories(
  database: Database,
  session: string,
  query: string,
): Promise<RankedMemories> {
  return {
    byWords: await byWords(database, session, query),
    byTrigrams: await byTrigrams(database, session, query),
  };
}
