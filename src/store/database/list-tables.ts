import { sql } from 'kysely';

/** For the list of sessions: what else it shows, and the order of its pages. */
const SESSION_COLUMNS = [
  sql`alter table issuewright.sessions
    add column model text not null default '',
    add column dollars double precision not null default 0,
    add column is_partial boolean not null default false`,
  sql`update issuewright.sessions set
    model = results.model, dollars = results.dollars, is_partial = results.is_partial
    from issuewright.results where results.session_id = sessions.id`,
  sql`drop index issuewright.sessions_created_at`,
  sql`create index sessions_newest on issuewright.sessions (created_at, id)`,
];

/** Milliseconds from the request to what people wait for. */
const RESULT_COLUMNS = sql`alter table issuewright.results
  add column sign_ms bigint, add column proposed_ms bigint, add column merged_ms bigint`;

export const LIST_STATEMENTS = [...SESSION_COLUMNS, RESULT_COLUMNS];
