import {
  usable,
  usableBy,
  type ContentLimits,
  type WriteBudget,
  type WriteRank,
} from '../../lib/write-budget.ts';
import type { Execute, Statement } from '../database/database.ts';
import { sql } from 'kysely';

/** A write that may be sent now, by its id, or the milliseconds until one may. */
type WriteRoom = { readonly write: string } | { readonly waitMs: number };

/** What installations may write. Times are those of the database's clock. */
export interface Writes {
  /** Milliseconds until there is room for a write of this rank, if nobody else takes it; 0: there is. */
  writeWait(installation: number, rank: WriteRank): Promise<number>;
  /** Takes room for one write. It counts as late as possible until `writeMade` is called. */
  takeWrite(installation: number, rank: WriteRank): Promise<WriteRoom>;
  /** GitHub has answered it. */
  writeMade(write: string): Promise<void>;
  writeBudget(installation: number): Promise<WriteBudget>;
  /** Milliseconds for which GitHub asked the installation to wait; 0: it did not. */
  requestPause(installation: number): Promise<number>;
  /** Allows no requests for `ms`, because GitHub asked the installation to wait. */
  pauseRequests(installation: number, ms: number): Promise<void>;
}

const statement = (name: string, text: string): Statement => ({ name: `writes_${name}`, text });

const WAIT = statement(
  'wait',
  `select issuewright.write_wait(
     $1, $2, $3 * interval '1 second', $4, $5 * interval '1 second', clock_timestamp()) as "waitMs"`,
);

const TAKE = statement(
  'take',
  `select write_id as "write", wait_ms as "waitMs" from issuewright.take_write(
     $1, $2, $3 * interval '1 second', $4, $5 * interval '1 second')`,
);

const MADE = statement(
  'made',
  'update issuewright.writes set at = clock_timestamp() where id = $1',
);

const BUDGET = statement(
  'budget',
  `select
     (select count(*)::integer from issuewright.writes
       where installation = $1 and at > now() - $2 * interval '1 second') as "minute",
     (select count(*)::integer from issuewright.writes
       where installation = $1 and at > now() - $3 * interval '1 second') as "hour",
     coalesce((select extract(epoch from paused_until - now())::double precision * 1000
       from issuewright.write_budget
       where installation = $1 and paused_until > now()), 0) as "pausedMs",
     (select count(*)::integer from issuewright.sessions
       where installation = $1 and state = 'working') as "busy"`,
);

const PAUSED_FOR = statement(
  'paused_for',
  `select coalesce(max(extract(epoch from paused_until - now())), 0)::double precision * 1000 as "pausedMs"
   from issuewright.write_budget where installation = $1 and paused_until > now()`,
);

const PAUSE = statement(
  'pause',
  `insert into issuewright.write_budget as budget (installation, paused_until)
   values ($1, now() + $2 * interval '1 millisecond')
   on conflict (installation) do update
     set paused_until = greatest(budget.paused_until, excluded.paused_until)`,
);

interface TakenRow {
  readonly waitMs: number;
  readonly write: string | null;
}

interface UsedRoom {
  readonly minute: number;
  readonly hour: number;
  readonly pausedMs: number;
  readonly busy: number;
}

export function openWrites(execute: Execute, { minute, hour }: ContentLimits): Writes {
  const asked = (installation: number, rank: WriteRank): readonly unknown[] => [
    installation,
    usableBy(rank, minute),
    minute.seconds,
    usableBy(rank, hour),
    hour.seconds,
  ];
  const room = (window: typeof minute, used: number) => ({
    ...window,
    requests: usable(window),
    left: Math.max(0, usable(window) - used),
  });

  return {
    writeWait: async (...of) =>
      only(await execute<Pick<TakenRow, 'waitMs'>>(WAIT, asked(...of))).waitMs,
    takeWrite: async (...of) => {
      const { waitMs, write } = only(await execute<TakenRow>(TAKE, asked(...of)));
      return write === null ? { waitMs } : { write };
    },
    writeMade: async (write) => void (await execute(MADE, [write])),
    writeBudget: async (installation) => {
      const windows = [installation, minute.seconds, hour.seconds];
      const used = only(await execute<UsedRoom>(BUDGET, windows));
      return { ...used, minute: room(minute, used.minute), hour: room(hour, used.hour) };
    },
    requestPause: async (installation) =>
      only(await execute<Pick<UsedRoom, 'pausedMs'>>(PAUSED_FOR, [installation])).pausedMs,
    pauseRequests: async (installation, ms) => void (await execute(PAUSE, [installation, ms])),
  };
}

function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('the database answered with no row');
  return row;
}

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
