// The queue of sessions in SQL: its tables, how the next one is taken, and what else is asked of it.
import type { Execute, Statement } from '../database/database.ts';
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
const TURN_STARTS = `
  greatest(coalesce(account.used, 0), coalesce(service.clock, 0)) as account_start,
  greatest(coalesce(repository.used, 0), coalesce(account.clock, 0)) as repository_start`;

/** The sessions that wait for a slot now, with what `TURN_STARTS` needs. */
const WAITING_SESSIONS = `
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

/** A worker without a sign of life for this long is dead: its sessions go to others. */
const LEASE_SECONDS = 10;
/**
 * A worker that was itself without the database for this long takes nobody for dead for a lease: the others may
 * have been cut off too, and have a moment to come back.
 */
const GAP_SECONDS = 5;
const LONGEST_PAUSE_SECONDS = 30;

const statement = (name: string, text: string): Statement => ({
  name: `session_${name}`,
  text,
});

/** Locks the row until the transaction ends: nobody takes the session before that. */
export const WAKE = statement(
  'wake',
  `insert into issuewright.session_queue as queued (session_id) values ($1)
   on conflict (session_id) do update set is_woken = true, not_before = '-infinity'`,
);

export const TAKE = statement('take', 'select issuewright.take_session($1, $2, $3, $4) as session');

/** Gives the session back; `DROP_IDLE` removes its row afterwards, unless it was woken meanwhile. */
export const GIVE_BACK = statement(
  'give_back',
  `update issuewright.session_queue set worker = null, failures = 0
   where session_id = $1 and worker = $2`,
);

export const DROP_IDLE = statement(
  'drop_idle',
  `delete from issuewright.session_queue
   where session_id = $1 and worker is null and not is_woken`,
);

export const RETRY_LATER = statement(
  'retry_later',
  `update issuewright.session_queue set
     worker = null, is_woken = true, failures = least(failures, 20) + 1,
     not_before = now() + least(${LONGEST_PAUSE_SECONDS}, 2 ^ least(failures, 20)) * interval '1 second'
   where session_id = $1 and worker = $2`,
);

/** A sign of life. */
export const BEAT = statement(
  'beat',
  `insert into issuewright.workers as worker (id) values ($1)
   on conflict (id) do update set
     alive_at = now(),
     since = case when worker.alive_at < now() - interval '${GAP_SECONDS} seconds'
       then now() else worker.since end`,
);

const FREE = 'update issuewright.session_queue set worker = null, is_woken = true';

/**
 * Frees what dead workers had taken, if the worker that asks may take others for dead: it is alive itself, and has been for
 * a lease without a gap. A row for each of these sessions.
 */
export const BURY_DEAD = statement(
  'bury_dead',
  `with dead as (
     delete from issuewright.workers
     where alive_at < now() - interval '${LEASE_SECONDS} seconds' and exists (
       select from issuewright.workers as own where own.id = $1
         and own.alive_at > now() - interval '${GAP_SECONDS} seconds'
         and own.since < now() - interval '${LEASE_SECONDS} seconds')
     returning id
   )
   ${FREE} where worker in (select id from dead) returning session_id as session`,
);

/** What a worker still has. */
export const HELD = statement(
  'held',
  'select session_id as session from issuewright.session_queue where worker = $1',
);

/** The worker stops: others may take what it had at once. */
export const SIGN_OFF = statement(
  'sign_off',
  `with gone as (delete from issuewright.workers where id = $1) ${FREE} where worker = $1`,
);

/** Nobody else can be alive: whatever is taken was left by a process that was killed. */
export const FREE_ALL = statement(
  'free_all',
  `with gone as (delete from issuewright.workers) ${FREE} where worker is not null`,
);

// Who waits for a slot.

/**
 * The place of a session among those that wait for a slot, beginning with 1: when it would be taken if no other
 * came and no limit of a repository or account were reached. No row if it does not wait: while a worker lives and none
 * has a session, there are free slots.
 */
const PLACE = statement(
  'place',
  `with waiting as (
     select sessions.id, sessions.installation, sessions.repository_id, sessions.created_at, ${TURN_STARTS}
     ${WAITING_SESSIONS}
   ), in_repository as (
     select *, repository_start + row_number() over (
       partition by installation, repository_id order by created_at, id) - 1 as repository_turn
     from waiting
   ), in_account as (
     select *, account_start + row_number() over (
       partition by installation order by repository_turn, repository_id) - 1 as account_turn
     from in_repository
   ), in_service as (
     select id, row_number() over (order by account_turn, installation)::integer as place
     from in_account
   )
   select place from in_service where id = $1 and (
     exists (select from issuewright.session_queue where worker is not null)
     or not exists (
       select from issuewright.workers where alive_at > now() - interval '${LEASE_SECONDS} seconds'))`,
);

export interface WaitingLine {
  /** The place of a session among those that wait for a slot; `undefined` if it does not wait. */
  place(session: string): Promise<number | undefined>;
}

export const waitingLine = (execute: Execute): WaitingLine => ({
  place: async (session) => {
    const [row] = await execute<{ place: number }>(PLACE, [session]);
    return row?.place;
  },
});
