import { sql } from 'kysely';

/** The writes of the last hour, each when it was answered. */
const WRITES = sql`
  create table issuewright.writes (
    id uuid primary key default gen_random_uuid(),
    installation bigint not null,
    at timestamptz not null
  )`;

const WRITES_INDEX = sql`create index writes_at on issuewright.writes (installation, at)`;

/** Milliseconds until both windows have room for one more write and no pause is left; 0: now. */
const WRITE_WAIT = sql`
  create function issuewright.write_wait(
    of_installation bigint, most_in_minute integer, minute interval,
    most_in_hour integer, hour interval, moment timestamptz
  ) returns double precision stable language sql as $function$
    select coalesce(ceil(max(extract(epoch from full_until - moment)) * 1000), 0)::double precision
    from (
      (select at + minute as full_until from issuewright.writes
        where installation = of_installation order by at desc offset most_in_minute - 1 limit 1)
      union all
      (select at + hour from issuewright.writes
        where installation = of_installation order by at desc offset most_in_hour - 1 limit 1)
      union all
      select paused_until from issuewright.write_budget where installation = of_installation
    ) as windows where full_until > moment
  $function$`;

/**
 * Takes room for one write, or says how long to wait. The lock makes both windows exact for all processes; as it is one
 * statement, a process that freezes cannot hold the lock. A write counts as if it were answered a quarter of a minute from
 * now, until it is.
 */
const TAKE_WRITE = sql`
  create function issuewright.take_write(
    of_installation bigint, most_in_minute integer, minute interval, most_in_hour integer, hour interval,
    out wait_ms double precision, out write_id uuid
  ) language plpgsql as $function$
  declare
    moment timestamptz;
  begin
    perform pg_advisory_xact_lock(hashtextextended('issuewright.writes', of_installation));
    moment := clock_timestamp();
    delete from issuewright.writes where installation = of_installation and at < moment - hour;
    wait_ms := issuewright.write_wait(
      of_installation, most_in_minute, minute, most_in_hour, hour, moment);
    if wait_ms = 0 then
      insert into issuewright.writes (installation, at)
      values (of_installation, moment + minute / 4) returning id into write_id;
    end if;
  end
  $function$`;

/** How room for writes is taken. */
export const WRITE_ROOM = [WRITE_WAIT, TAKE_WRITE];

export const WRITES_STATEMENTS = [WRITES, WRITES_INDEX, ...WRITE_ROOM];
