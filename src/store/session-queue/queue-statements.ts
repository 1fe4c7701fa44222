import type { Execute, Statement } from '../database/database.ts';
import { TURN_STARTS, WAITING_SESSIONS } from './queue-schema.ts';

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
