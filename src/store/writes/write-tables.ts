import { sql } from 'kysely';

/**
 * The writes of the last hour, each when it was answered. `holder`: who reserved it and has not made it yet; it counts
 * until it lapses at `at`, so a process that dies loses nothing for longer.
 */
const WRITES = sql`
  create table issuewright.writes (
    id uuid primary key default gen_random_uuid(),
    installation bigint not null,
    at timestamptz not null,
    holder text
  )`;

const WRITES_INDEX = sql`create index writes_at on issuewright.writes (installation, at)`;

/** Who waits for room. See `WRITE_RANKS` for the rank, and the shares of the windows that it may fill. */
const WRITE_QUEUE = sql`
  create table issuewright.write_queue (
    installation bigint not null,
    holder text not null,
    rank integer not null,
    minute_share double precision not null,
    hour_share double precision not null,
    amount integer not null,
    asked_at timestamptz not null default clock_timestamp(),
    primary key (installation, holder)
  )`;

/** What is left of `write_budget` is the pause. */
const PAUSE_ONLY = sql`
  alter table issuewright.write_budget
    alter column minute set default 0,
    alter column hour set default 0`;

/**
 * Milliseconds until `needed` more writes fit a window of which no more than `most` are used, if those that wait are
 * granted as soon as possible and what is reserved is written now.
 */
const ROOM_IN = sql`
  create function issuewright.room_in(
    of_installation bigint, needed integer, most integer, window_length interval, moment timestamptz
  ) returns double precision stable language sql as $function$
    with used as (
      select
        least(at, moment) as at,
        row_number() over (order by at) - 1 as place, count(*) over () as count
      from issuewright.writes
      where installation = of_installation and at > moment - window_length
    ), over_by as (
      select (select count(*) from used) + needed - most as count
    )
    select case when over_by.count <= 0 then 0 else coalesce((
      select extract(epoch from
        used.at + window_length * (1 + (over_by.count - 1) / used.count) - moment) * 1000
      from used where used.place = (over_by.count - 1) % used.count
    ), extract(epoch from window_length) * 1000) end::double precision
    from over_by
  $function$`;

/**
 * Gives the writes that fit to those who wait, in order, and answers how long this one has to wait: 0 if it has what
 * it needs. With `is_made`, one of its writes begins, and its id is the answer. The lock makes it exact; as it is one
 * statement, a process that freezes cannot hold the lock. Whoever asks grants to all, so nobody's place is lost while it
 * does not ask.
 */
const TAKE_WRITES = sql`
  create function issuewright.take_writes(
    of_installation bigint, of_holder text,
    of_rank integer, of_minute_share double precision, of_hour_share double precision, waits boolean,
    of_amount integer, is_made boolean,
    most_in_minute integer, minute interval, most_in_hour integer, hour interval,
    out wait_ms double precision, out write_id uuid
  ) language plpgsql as $function$
  declare
    moment timestamptz;
    waiting issuewright.write_queue;
    own issuewright.write_queue;
    in_minute integer;
    in_hour integer;
    held integer;
    needed integer;
    pause_ms double precision;
  begin
    perform pg_advisory_xact_lock(hashtextextended('issuewright.writes', of_installation));
    moment := clock_timestamp();
    of_amount := least(of_amount, greatest(1, floor(most_in_minute * of_minute_share)::integer));
    delete from issuewright.writes where installation = of_installation and at < moment - hour;
    select coalesce(max(extract(epoch from paused_until - moment)::double precision * 1000), 0)
      into pause_ms from issuewright.write_budget
      where installation = of_installation and paused_until > moment;
    select
      count(*) filter (where at > moment - minute), count(*),
      count(*) filter (where holder = of_holder and at > moment)
      into in_minute, in_hour, held
      from issuewright.writes where installation = of_installation;
    if held < of_amount then
      insert into issuewright.write_queue as queued
        (installation, holder, rank, minute_share, hour_share, amount)
      values (
        of_installation, of_holder, of_rank, of_minute_share, of_hour_share, of_amount - held)
      on conflict (installation, holder) do update set amount = excluded.amount
      returning * into own;
    end if;
    for waiting in
      select * from issuewright.write_queue as queued
      where queued.installation = of_installation and pause_ms = 0
      order by queued.rank, queued.asked_at, queued.holder
    loop
      in_minute := in_minute + waiting.amount;
      in_hour := in_hour + waiting.amount;
      exit when in_minute > greatest(1, floor(most_in_minute * waiting.minute_share))
        or in_hour > greatest(1, floor(most_in_hour * waiting.hour_share));
      insert into issuewright.writes (installation, at, holder)
      select of_installation, moment + 2 * minute, waiting.holder
      from generate_series(1, waiting.amount);
      delete from issuewright.write_queue as queued
      where queued.installation = of_installation and queued.holder = waiting.holder;
    end loop;
    wait_ms := pause_ms;
    select sum(queued.amount) into needed from issuewright.write_queue as queued
      where queued.installation = of_installation
        and (queued.rank, queued.asked_at, queued.holder) <= (own.rank, own.asked_at, own.holder)
        and exists (
          select from issuewright.write_queue as mine
          where mine.installation = of_installation and mine.holder = of_holder);
    if needed is not null then
      wait_ms := ceil(greatest(1, pause_ms,
        issuewright.room_in(of_installation, needed,
          greatest(1, floor(most_in_minute * of_minute_share)::integer), minute, moment),
        issuewright.room_in(of_installation, needed,
          greatest(1, floor(most_in_hour * of_hour_share)::integer), hour, moment)));
      if not waits then
        delete from issuewright.write_queue as queued
        where queued.installation = of_installation and queued.holder = of_holder;
      end if;
    end if;
    if is_made and wait_ms = 0 then
      update issuewright.writes set holder = null, at = moment + minute / 4
      where id = (
        select id from issuewright.writes
        where installation = of_installation and holder = of_holder and at > moment limit 1)
      returning id into write_id;
    end if;
  end
  $function$`;

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

/** The queue of writes, the points of all requests, and answers of GitHub that processes shared. */
const GONE = [
  sql`drop function issuewright.take_writes`,
  sql`drop function issuewright.room_in`,
  sql`drop table issuewright.write_queue, issuewright.request_points, issuewright.answers`,
  sql`alter table issuewright.writes drop column holder`,
  sql`alter table issuewright.write_budget drop column at, drop column minute, drop column hour`,
  sql`alter table issuewright.watermarks drop column etag`,
];

export const ONE_WINDOW_STATEMENTS = [...GONE, WRITE_WAIT, TAKE_WRITE];

/** The points of all requests, by the second; those of the last minute count. */
const REQUEST_POINTS = sql`
  create table issuewright.request_points (
    installation bigint not null,
    second timestamptz not null,
    points integer not null,
    primary key (installation, second)
  )`;

export const POINTS_STATEMENTS = [REQUEST_POINTS];

export const WRITES_STATEMENTS = [
  WRITES,
  WRITES_INDEX,
  WRITE_QUEUE,
  PAUSE_ONLY,
  ROOM_IN,
  TAKE_WRITES,
];
