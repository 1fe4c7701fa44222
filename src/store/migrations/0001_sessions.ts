import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

const SESSIONS = sql`
  create table issuewright.sessions (
    id text primary key,
    installation bigint not null,
    repository_id bigint not null,
    owner text not null,
    name text not null,
    issue integer not null,
    pull_request integer,
    state text not null default 'queued',
    last_seq integer not null default 0,
    published_seq integer not null default 0,
    claim text,
    claimed_at timestamptz,
    wake_at timestamptz,
    publish_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (repository_id, issue)
  )`;

const DELIVERIES = sql`
  create table issuewright.deliveries (
    id text primary key,
    meaning text not null unique,
    event text not null,
    session_id text not null references issuewright.sessions,
    received_at timestamptz not null default now()
  )`;

const JOURNAL = sql`
  create table issuewright.journal (
    session_id text not null references issuewright.sessions,
    seq integer not null,
    at timestamptz(3) not null,
    version integer not null,
    type text not null,
    body text not null,
    primary key (session_id, seq)
  )`;

const CHANGES = sql`
  create table issuewright.changes (
    session_id text not null,
    seq integer not null,
    path text collate "C" not null,
    mode text not null,
    content bytea,
    primary key (session_id, seq, path),
    foreign key (session_id, seq) references issuewright.journal
  )`;

const PUBLICATIONS = sql`
  create table issuewright.publications (
    session_id text not null references issuewright.sessions,
    key text not null,
    remote_id bigint not null,
    url text not null,
    digest text not null,
    updated_at timestamptz not null default now(),
    primary key (session_id, key)
  )`;

const INDEXES = [
  sql`create index sessions_pull_request on issuewright.sessions (repository_id, pull_request)`,
  sql`create index sessions_wake_at on issuewright.sessions (wake_at) where wake_at is not null`,
  sql`create index sessions_publish_at on issuewright.sessions (publish_at) where publish_at is not null`,
  sql`create index sessions_created_at on issuewright.sessions (created_at)`,
];

export const sessions: Migration = {
  async up(database: Kysely<unknown>) {
    for (const statement of [SESSIONS, DELIVERIES, JOURNAL, CHANGES, PUBLICATIONS, ...INDEXES])
      await statement.execute(database);
  },
};
