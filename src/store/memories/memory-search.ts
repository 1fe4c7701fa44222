import { sql } from 'kysely';
import type { RankedMemories } from '../../contracts/memory.ts';
import type { Database } from '../database/database.ts';
import { trigramsIn, wordsIn } from './memory-terms.ts';
import { repositoryOf } from '../sessions.ts';

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
export async function rankMemories(
  database: Database,
  session: string,
  query: string,
): Promise<RankedMemories> {
  return {
    byWords: await byWords(database, session, query),
    byTrigrams: await byTrigrams(database, session, query),
  };
}
