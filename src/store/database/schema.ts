import { sql } from 'kysely';
import { SESSION_QUEUE_STATEMENTS } from '../session-queue/queue-statements.ts';
import { WRITES_STATEMENTS } from '../writes/writes.ts';

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
    model text not null default '',
    dollars double precision not null default 0,
    is_partial boolean not null default false,
    last_seq integer not null default 0,
    published_seq integer not null default 0,
    claim text,
    -- For statements that reach the database late, after their second attempt.
    claims integer not null default 0,
    append_fence integer not null default 0,
    wake_at timestamptz,
    publish_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    unique (repository_id, issue)
  );
  -- Begins with the pull request, or PostgreSQL would take it for look-ups of issues too.
  create index sessions_pull_request on issuewright.sessions (pull_request, repository_id)
    where pull_request is not null;
  create index sessions_wake_at on issuewright.sessions (wake_at) where wake_at is not null;
  create index sessions_publish_at on issuewright.sessions (publish_at) where publish_at is not null;
  create index sessions_newest on issuewright.sessions (created_at, id);
  -- For the number of working sessions of an installation, which every look-up of its budget counts.
  create index sessions_busy on issuewright.sessions (installation) where state = 'working';
  -- For lost wake-ups: sessions at rest are many, and need no look.
  create index sessions_active on issuewright.sessions (id) where state in ('queued', 'working')`;

/**
 * What refers to sessions. No index leads from a session to its deliveries and its spending, so that PostgreSQL would
 * read a whole table for each row that it deletes: these have no foreign key.
 */
const JOURNAL = sql`
  -- Without a session: what people did elsewhere, which is taken once too.
  create table issuewright.deliveries (
    id text primary key,
    meaning text not null unique,
    event text not null,
    session_id text,
    received_at timestamptz not null default now()
  );
  create table issuewright.journal (
    session_id text not null references issuewright.sessions,
    seq integer not null,
    at timestamptz(3) not null,
    version integer not null,
    type text not null,
    body text not null,
    primary key (session_id, seq)
  );
  -- For the last one of every session, which is looked up when an installation changes.
  create index journal_publishing_blocked on issuewright.journal (session_id, seq)
    where type = 'publishing_blocked';
  create table issuewright.changes (
    session_id text not null,
    seq integer not null,
    path text collate "C" not null,
    mode text not null,
    content bytea,
    -- Of a file that only commands made, and no call named.
    made_by_command boolean not null default false,
    primary key (session_id, seq, path),
    foreign key (session_id, seq) references issuewright.journal
  );
  -- For what is stored of a path when it changes again.
  create index changes_path on issuewright.changes (session_id, path);
  -- What the journal says of images has their ids.
  create table issuewright.images (
    session_id text not null references issuewright.sessions on delete cascade,
    id text not null,
    content bytea not null check (length(content) <= 4000000),
    primary key (session_id, id)
  );
  create table issuewright.publications (
    session_id text not null references issuewright.sessions,
    key text not null,
    remote_id bigint not null,
    url text not null,
    digest text not null,
    updated_at timestamptz not null default now(),
    primary key (session_id, key)
  );
  create table issuewright.spending (
    repository_id bigint not null,
    at timestamptz(3) not null,
    session_id text not null,
    seq integer not null,
    dollars double precision not null,
    primary key (repository_id, at, session_id, seq)
  )`;

/** Kept longer than the sessions that they are from. */
const WITHOUT_SESSION = sql`
  -- What each session came to. Milliseconds are from the request to what people wait for.
  create table issuewright.results (
    session_id text primary key,
    repository_id bigint not null,
    model text not null,
    result text not null,
    rounds integer not null,
    is_zero_touch boolean not null,
    dollars double precision not null,
    is_partial boolean not null,
    worked_ms bigint not null,
    sign_ms bigint,
    proposed_ms bigint,
    merged_ms bigint,
    begun_at timestamptz not null,
    active_at timestamptz not null
  );
  -- A forgotten memory keeps its row, without its text, so that its number is not given again. The call says which
  -- one wrote it, because it may be repeated. Words and trigrams are for the search, see memories.ts.
  create table issuewright.memories (
    repository_id bigint not null,
    number integer not null,
    text text not null check (length(text) <= 4000),
    session_id text not null,
    issue integer not null,
    call text not null,
    from_strangers boolean not null,
    words tsvector not null,
    trigrams text[] not null,
    created_at timestamptz(3) not null default now(),
    used_at timestamptz not null default now(),
    forgotten_by text,
    primary key (repository_id, number),
    unique (session_id, call)
  );
  -- The vector: 32-bit floats, little-endian.
  create table issuewright.memory_vectors (
    repository_id bigint not null,
    number integer not null,
    model text not null,
    vector bytea not null,
    primary key (repository_id, number),
    foreign key (repository_id, number) references issuewright.memories on delete cascade
  );
  -- Repositories that the App was removed from, until it comes back or their data is deleted.
  create table issuewright.removed_repositories (
    repository_id bigint primary key,
    removed_at timestamptz not null default now()
  )`;

/** What is known of GitHub, of people, and of the operator's wishes. */
const SERVICE = sql`
  -- Up to when something was looked through, by GitHub's clock.
  create table issuewright.watermarks (
    source text primary key,
    until timestamptz(3) not null,
    looked_at timestamptz not null default now()
  );
  -- Deliveries that did not arrive. A settled one was taken from GitHub's list, or given up. The last failed try that
  -- counted was at tried_at.
  create table issuewright.missed_deliveries (
    id text primary key,
    tries integer not null default 0,
    tried_at timestamptz not null default '-infinity',
    is_settled boolean not null default false,
    first_seen_at timestamptz not null default now()
  );
  -- Who has signed in on the session pages.
  create table issuewright.sign_ins (
    key text primary key,
    account_id bigint not null,
    login text not null,
    sealed text not null,
    expires_at timestamptz not null
  );
  -- Whose the logins of administrators were when they first signed in. In lower case: GitHub's logins have no case.
  create table issuewright.known_logins (
    login text primary key check (login = lower(login)),
    account_id bigint not null,
    at timestamptz not null default now()
  );
  -- The operator's pause of the whole service: at most one row.
  create table issuewright.service_pause (
    one boolean primary key default true check (one),
    reason text not null,
    since timestamptz not null default now()
  );
  -- Until when each installation may not write, see writes/.
  create table issuewright.write_budget (
    installation bigint primary key,
    paused_until timestamptz not null default '-infinity'
  ) with (fillfactor = 50)`;

/** All tables, indexes and functions. */
export const SCHEMA_STATEMENTS = [
  SESSIONS,
  JOURNAL,
  WITHOUT_SESSION,
  SERVICE,
  ...SESSION_QUEUE_STATEMENTS,
  ...WRITES_STATEMENTS,
];
