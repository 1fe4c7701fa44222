import { sql, type Kysely, type RawBuilder } from 'kysely';
import type { Migration } from 'kysely/migration';
import {
  ACTIVE_INDEX,
  ANSWERS,
  ATTEMPTS,
  CHANGES_INDEX,
  DELIVERIES_WITHOUT_SESSION,
  KNOWN_LOGINS,
  MISSED_TRIED_AT,
  PULL_REQUEST_INDEX,
  SIGN_INS,
  SNAPSHOTS,
} from './later-tables.ts';
import { LIST_STATEMENTS } from './list-tables.ts';
import { RETENTION_STATEMENTS } from '../retention/retention-tables.ts';
import { SESSION_QUEUE_STATEMENTS } from '../session-queue/queue-tables.ts';
import {
  ONE_WINDOW_STATEMENTS,
  POINTS_STATEMENTS,
  WRITES_STATEMENTS,
} from '../writes/write-tables.ts';

const SESSIONS = sql`
  create table issuewright.sessions (
    id text primary key,
    installation bigint not null,
    repository_id bigint not null,
    owner text not null,
    name text not null,
    issue integer not null,
    title text not null default '',
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
    id text primary key, meaning text not null unique, event text not null,
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

const SESSION_INDEXES = [
  sql`create index sessions_pull_request on issuewright.sessions (repository_id, pull_request)`,
  sql`create index sessions_wake_at on issuewright.sessions (wake_at) where wake_at is not null`,
  sql`create index sessions_publish_at on issuewright.sessions (publish_at) where publish_at is not null`,
  sql`create index sessions_created_at on issuewright.sessions (created_at)`,
];

const SPENDING = sql`
  create table issuewright.spending (
    repository_id bigint not null,
    at timestamptz(3) not null,
    session_id text not null,
    seq integer not null,
    dollars double precision not null,
    primary key (repository_id, at, session_id, seq),
    foreign key (session_id, seq) references issuewright.journal
  )`;

/** The operator's pause of the whole service: at most one row. */
const SERVICE_PAUSE = sql`
  create table issuewright.service_pause (
    one boolean primary key default true check (one),
    reason text not null,
    since timestamptz not null default now()
  )`;

/** Until when each installation may not write, see `writes/`; the rest was a budget of earlier versions. */
const WRITE_BUDGET = sql`
  create table issuewright.write_budget (
    installation bigint primary key,
    at timestamptz not null default now(),
    minute double precision not null, hour double precision not null,
    paused_until timestamptz not null default '-infinity'
  ) with (fillfactor = 50)`;

/** For the number of working sessions of an installation, which every look-up of its budget counts. */
const BUSY_INDEX = sql`
  create index sessions_busy on issuewright.sessions (installation) where state = 'working'`;

/** For the last `publishing_blocked` of every session, which is looked up when an installation changes. */
const BLOCKED_INDEX = sql`
  create index journal_publishing_blocked on issuewright.journal (session_id, seq)
  where type = 'publishing_blocked'`;

/**
 * A forgotten memory keeps its row, without its text, so that its number is not given again. `call` says which
 * call wrote it, because a call may be repeated. `words` and `trigrams` are for the search, see `memory-search.ts`.
 */
const MEMORIES = sql`
  create table issuewright.memories (
    repository_id bigint not null,
    number integer not null,
    text text not null check (length(text) <= 4000),
    session_id text not null references issuewright.sessions,
    call text not null,
    from_strangers boolean not null,
    words tsvector not null,
    trigrams text[] not null,
    created_at timestamptz(3) not null default now(),
    used_at timestamptz not null default now(),
    forgotten_by text,
    primary key (repository_id, number),
    unique (session_id, call)
  )`;

/** `vector`: 32-bit floats, little-endian. */
const MEMORY_VECTORS = sql`
  create table issuewright.memory_vectors (
    repository_id bigint not null,
    number integer not null,
    model text not null,
    vector bytea not null,
    primary key (repository_id, number),
    foreign key (repository_id, number) references issuewright.memories on delete cascade
  )`;

/** What the journal says of images has their ids. */
const IMAGES = sql`
  create table issuewright.images (
    session_id text not null references issuewright.sessions on delete cascade,
    id text not null,
    content bytea not null check (length(content) <= 4000000),
    primary key (session_id, id)
  )`;

/** What each session came to; the session's row says in which repository. */
const RESULTS = sql`
  create table issuewright.results (
    session_id text primary key references issuewright.sessions on delete cascade,
    model text not null,
    result text not null,
    rounds integer not null,
    is_zero_touch boolean not null,
    dollars double precision not null,
    is_partial boolean not null,
    worked_ms bigint not null,
    begun_at timestamptz not null,
    active_at timestamptz not null
  )`;

/** Up to when something was looked through, by GitHub's clock. `etag`: of GitHub's answer to the same question. */
const WATERMARKS = sql`
  create table issuewright.watermarks (
    source text primary key,
    until timestamptz(3) not null,
    etag text,
    looked_at timestamptz not null default now()
  )`;

/** Deliveries that did not arrive. A settled one was taken from GitHub's list, or given up. */
const MISSED_DELIVERIES = sql`
  create table issuewright.missed_deliveries (
    id text primary key,
    tries integer not null default 0,
    is_settled boolean not null default false,
    first_seen_at timestamptz not null default now()
  )`;

const STATEMENTS = [
  SESSIONS,
  DELIVERIES,
  JOURNAL,
  CHANGES,
  PUBLICATIONS,
  ...SESSION_INDEXES,
  SPENDING,
  SERVICE_PAUSE,
  WRITE_BUDGET,
  BUSY_INDEX,
  BLOCKED_INDEX,
];

const executing = (statements: readonly RawBuilder<unknown>[]): Migration => ({
  async up(database: Kysely<unknown>) {
    for (const statement of statements) await statement.execute(database);
  },
});

/**
 * Each runs once, in the order of the names. A migration that was released must not change any more. If the version before
 * it works with its tables, its name ends in `_compatible`.
 */
export const migrations: Record<string, Migration> = {
  '0001_tables': executing(STATEMENTS),
  '0002_memories': executing([MEMORIES]),
  '0003_memory_vectors': executing([MEMORY_VECTORS]),
  '0004_images': executing([IMAGES]),
  '0005_results': executing([RESULTS]),
  '0006_missed': executing([WATERMARKS, MISSED_DELIVERIES]),
  '0007_session_queue': executing(SESSION_QUEUE_STATEMENTS),
  '0008_deliveries_without_session': executing([DELIVERIES_WITHOUT_SESSION]),
  '0009_pull_request_index': executing(PULL_REQUEST_INDEX),
  '0010_active_index': executing([ACTIVE_INDEX]),
  '0011_writes': executing(WRITES_STATEMENTS),
  '0012_retention': executing(RETENTION_STATEMENTS),
  '0013_snapshots': executing([SNAPSHOTS]),
  '0014_request_points': executing(POINTS_STATEMENTS),
  '0015_session_list': executing(LIST_STATEMENTS),
  '0016_sign_ins': executing([SIGN_INS]),
  '0017_answers': executing([ANSWERS]),
  '0018_known_logins': executing([KNOWN_LOGINS]),
  '0019_changes_index': executing([CHANGES_INDEX]),
  '0020_attempts_compatible': executing([ATTEMPTS]),
  '0021_missed_tries_compatible': executing([MISSED_TRIED_AT]),
  '0022_one_write_window': executing(ONE_WINDOW_STATEMENTS),
};
