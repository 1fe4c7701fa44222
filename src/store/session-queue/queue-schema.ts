// The tables of the queue of sessions, and how the next one is taken.
import { sql } from 'kysely';

/**
 * The sessions that have to be advanced. `is_woken`: since it was taken last. `worker`: the process that has
 * taken it. A row without both is deleted.
 */
const SESSION_QUEUE = sql`
  create table issuewright.session_queue (
    session_id text primary key references issuewright.sessions on delete cascade,
    is_woken boolean not null default true,
    not_before timestamptz not null default '-infinity',
    failures integer not null default 0,
    worker text
  ) with (fillfactor = 70)`;

/** The processes that advance sessions. `since`: when their signs of life began to come without a gap. */
const WORKERS = sql`
  create table issuewright.workers (
    id text primary key,
    alive_at timestamptz not null default now(),
    since timestamptz not null default now()
  )`;

/**
 * What accounts (`repository_id` 0) and repositories have used of the slots, for start-time fair queueing: who
 * has used least is next. `clock` is where the last one below started (below installation 0: of all accounts), so that
 * one that was idle saves nothing up.
 */
const SHARES = sql`
  create table issuewright.shares (
    installation bigint not null,
    repository_id bigint not null,
    used double precision not null default 0,
    clock double precision not null default 0,
    primary key (installation, repository_id)
  ) with (fillfactor = 50)`;

/** Of a session that waits: when its account's turn starts, and that of its repository within it. */
export const TURN_STARTS = `
  greatest(coalesce(account.used, 0), coalesce(service.clock, 0)) as account_start,
  greatest(coalesce(repository.used, 0), coalesce(account.clock, 0)) as repository_start`;

/** The sessions that wait for a slot now, with what `TURN_STARTS` needs. */
export const WAITING_SESSIONS = `
  from issuewright.session_queue as queued
  join issuewright.sessions on sessions.id = queued.session_id
  left join issuewright.shares as service
    on service.installation = 0 and service.repository_id = 0
  left join issuewright.shares as account
    on account.installation = sessions.installation and account.repository_id = 0
  left join issuewright.shares as repository
    on repository.installation = sessions.installation
    and repository.repository_id = sessions.repository_id
  where queued.worker is null and queued.is_woken and queued.not_before <= now()`;

/**
 * Takes the next session that the limits allow, or none. The lock makes the limits exact, and as each statement of
 * the function sees what was committed before it, the second one sees all that was taken before. A client that
 * freezes cannot hold the lock, because the function is one statement for it.
 */
export const TAKE_SESSION = sql`
  create function issuewright.take_session(
    taker text, most_in_repository integer, most_in_installation integer, most integer
  ) returns text volatile language sql as $function$
    select pg_advisory_xact_lock(hashtextextended('issuewright.take_session', 0));
    with taken as materialized (
      select sessions.repository_id, sessions.installation
      from issuewright.session_queue join issuewright.sessions on sessions.id = session_id
      where worker is not null
    ), next as (
      select
        queued.session_id, sessions.installation, sessions.repository_id, ${sql.raw(TURN_STARTS)}
      ${sql.raw(WAITING_SESSIONS)}
        and exists (select from issuewright.workers where workers.id = taker)
        and (most is null or (select count(*) from taken) < most)
        and sessions.installation not in (
          select taken.installation from taken group by 1 having count(*) >= most_in_installation)
        and sessions.repository_id not in (
          select taken.repository_id from taken group by 1 having count(*) >= most_in_repository)
      order by
        account_start, sessions.installation, repository_start, sessions.repository_id,
        sessions.created_at, sessions.id
      limit 1
      for no key update of queued skip locked
    ), of_service as (
      insert into issuewright.shares as shares (installation, repository_id, clock)
      select 0, 0, account_start from next
      on conflict (installation, repository_id) do update set clock = excluded.clock
    ), of_account as (
      insert into issuewright.shares as shares (installation, repository_id, used, clock)
      select installation, 0, account_start + 1, repository_start from next
      on conflict (installation, repository_id)
        do update set used = excluded.used, clock = excluded.clock
    ), of_repository as (
      insert into issuewright.shares as shares (installation, repository_id, used)
      select installation, repository_id, repository_start + 1 from next
      on conflict (installation, repository_id) do update set used = excluded.used
    )
    update issuewright.session_queue as queued set worker = taker, is_woken = false
    from next where queued.session_id = next.session_id
    returning queued.session_id
  $function$`;

export const SESSION_QUEUE_STATEMENTS = [SESSION_QUEUE, WORKERS, SHARES, TAKE_SESSION];
