import { sql } from 'kysely';

/** Repositories that the App was removed from, until it comes back or their data is deleted. */
const REMOVED_REPOSITORIES = sql`
  create table issuewright.removed_repositories (
    repository_id bigint primary key,
    removed_at timestamptz not null default now()
  )`;

/** Memories and results are kept longer than the session that they are from. */
const RESULTS_WITHOUT_SESSION = [
  sql`alter table issuewright.results drop constraint results_session_id_fkey`,
  sql`alter table issuewright.results add column repository_id bigint`,
  sql`update issuewright.results set repository_id = sessions.repository_id
    from issuewright.sessions where sessions.id = results.session_id`,
  sql`alter table issuewright.results alter column repository_id set not null`,
];
const MEMORIES_WITHOUT_SESSION = [
  sql`alter table issuewright.memories drop constraint memories_session_id_fkey`,
  sql`alter table issuewright.memories add column issue integer`,
  sql`update issuewright.memories set issue = sessions.issue
    from issuewright.sessions where sessions.id = memories.session_id`,
  sql`alter table issuewright.memories alter column issue set not null`,
];

/** No index leads from a session to its rows there, so that PostgreSQL would read the whole table for each row it deletes. */
const UNCHECKED = [
  sql`alter table issuewright.spending drop constraint spending_session_id_seq_fkey`,
  sql`alter table issuewright.deliveries drop constraint deliveries_session_id_fkey`,
];

export const RETENTION_STATEMENTS = [
  REMOVED_REPOSITORIES,
  ...RESULTS_WITHOUT_SESSION,
  ...MEMORIES_WITHOUT_SESSION,
  ...UNCHECKED,
];
