// What was added to the first tables.
import { sql } from 'kysely';

/** What people did elsewhere than in a session is taken once too. */
export const DELIVERIES_WITHOUT_SESSION = sql`
  alter table issuewright.deliveries alter column session_id drop not null`;

/** For lost wake-ups: sessions at rest are many, and need no look. */
export const ACTIVE_INDEX = sql`
  create index sessions_active on issuewright.sessions (id) where state in ('queued', 'working')`;

/** What is known of a session up to an entry; `version`: of the code that computed it. */
export const SNAPSHOTS = sql`
  create table issuewright.snapshots (
    session_id text primary key references issuewright.sessions on delete cascade,
    seq integer not null, version text not null, body text not null
  )`;

/** Who has signed in on the session pages. */
export const SIGN_INS = sql`
  create table issuewright.sign_ins (
    key text primary key,
    account_id bigint not null,
    login text not null,
    sealed text not null,
    expires_at timestamptz not null
  )`;

/** Whose the logins of administrators were when they first signed in. In lower case: GitHub's logins have no case. */
export const KNOWN_LOGINS = sql`
  create table issuewright.known_logins (
    login text primary key check (login = lower(login)),
    account_id bigint not null,
    at timestamptz not null default now()
  )`;

/** No crash has to be survived, so nothing of it is written to the log of the database. */
export const ANSWERS = sql`
  create unlogged table issuewright.answers (
    installation bigint not null,
    question text not null,
    etag text not null,
    answer text not null,
    at timestamptz not null default now(),
    primary key (installation, question)
  )`;

/** When the last failed try to take a missed delivery was counted. */
export const MISSED_TRIED_AT = sql`
  alter table issuewright.missed_deliveries add column tried_at timestamptz not null default '-infinity'`;

/** For what is stored of a path when it changes again. */
export const CHANGES_INDEX = sql`create index changes_path on issuewright.changes (session_id, path)`;

/**
 * The index of pull requests began with the repository, so that PostgreSQL took it for look-ups of issues too, and
 * read all sessions of a repository. Most sessions have no pull request when they are opened.
 */
export const PULL_REQUEST_INDEX = [
  sql`drop index issuewright.sessions_pull_request`,
  sql`create index sessions_pull_request on issuewright.sessions (pull_request, repository_id)
    where pull_request is not null`,
];

/** For statements that reach the database late, after their second attempt. */
export const ATTEMPTS = sql`
  alter table issuewright.sessions
    add column claims integer not null default 0,
    add column append_fence integer not null default 0`;
