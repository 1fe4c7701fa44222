import {
  POINTS_A_MINUTE,
  usable,
  WRITE_RANKS,
  type ContentLimits,
  type WriteBudget,
  type Writer,
} from '../../lib/write-budget.ts';
import type { Execute, Statement } from '../database/database.ts';

/** Who asks for room, and with what rank. */
type Asking = Pick<Writer, 'holder' | 'rank'>;

/** A write that may be sent now, by its id, or the milliseconds until one may. */
type Taken = { readonly write: string } | { readonly waitMs: number };

/** Milliseconds. Both are 0 if the points were taken. */
interface PointsWait {
  /** Until there may be so many. */
  readonly waitMs: number;
  /** Until the end of the pause that GitHub asked for. */
  readonly pausedMs: number;
}

/** What installations may write. Times are those of the database's clock. */
export interface Writes {
  /**
   * Reserves so many requests that create or change content on GitHub, in order with all who ask. Resolves with 0, or
   * with the milliseconds until it may be granted: until then, its place is kept, if its rank has one.
   */
  reserveWrites(installation: number, asking: Asking, amount: number): Promise<number>;
  /** Takes one that was reserved, or one more. It counts as late as possible until `writeMade` is called. */
  takeWrite(installation: number, asking: Asking): Promise<Taken>;
  /** GitHub has answered it. */
  writeMade(write: string): Promise<void>;
  /** Gives back what was reserved and not taken, and the place. */
  releaseWrites(installation: number, holder: string): Promise<void>;
  /** Takes points of what GitHub allows an installation in a minute, unless it has to wait. */
  spendPoints(installation: number, points: number): Promise<PointsWait>;
  writeBudget(installation: number): Promise<WriteBudget>;
  /** Milliseconds for which GitHub asked the installation to wait; 0: it did not. */
  requestPause(installation: number): Promise<number>;
  /** Allows no requests for `ms`, because GitHub asked the installation to wait. */
  pauseRequests(installation: number, ms: number): Promise<void>;
}

const statement = (name: string, text: string): Statement => ({ name: `writes_${name}`, text });

const TAKE = statement(
  'take',
  `select wait_ms as "waitMs", write_id as "write" from issuewright.take_writes(
     $1, $2, $3, $4, $5, $6, $7, $8,
     $9, $10 * interval '1 second', $11, $12 * interval '1 second')`,
);

const MADE = statement(
  'made',
  'update issuewright.writes set at = clock_timestamp() where id = $1',
);

const RELEASE = statement(
  'release',
  `with gone as (delete from issuewright.write_queue where installation = $1 and holder = $2)
   delete from issuewright.writes where installation = $1 and holder = $2`,
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

/** The margin covers those who ask at the same moment. */
const SPEND = statement(
  'spend',
  `with used as (
     select second, points from issuewright.request_points
     where installation = $1 and second > clock_timestamp() - $4 * interval '1 second'
   ), pause as (
     select coalesce(max(extract(epoch from paused_until - clock_timestamp())), 0) * 1000 as ms
     from issuewright.write_budget
     where installation = $1 and paused_until > clock_timestamp()
   ), room as (
     select coalesce(sum(points), 0) + $2 <= $3 as is_left from used
   ), spent as (
     insert into issuewright.request_points as spent (installation, second, points)
     select $1, date_trunc('second', clock_timestamp()) + interval '1 second', $2
     from room, pause where is_left and pause.ms <= 0
     on conflict (installation, second) do update set points = spent.points + excluded.points
   ), gone as (
     delete from issuewright.request_points
     where installation = $1 and second < clock_timestamp() - 2 * $4 * interval '1 second'
   )
   select
     (select ms from pause)::double precision as "pausedMs",
     case when (select is_left from room) then 0 else greatest(50, coalesce((
       select extract(epoch from min(second) + $4 * interval '1 second' - clock_timestamp()) * 1000
       from used), 0))::double precision end as "waitMs"`,
);

interface TakenRow {
  readonly waitMs: number;
  readonly write: string | null;
}

export function openWrites(execute: Execute, { minute, hour }: ContentLimits): Writes {
  const windows = [usable(minute), minute.seconds, usable(hour), hour.seconds];

  const take = async (
    installation: number,
    { holder, rank }: Asking,
    amount: number,
    isMade: boolean,
  ): Promise<TakenRow> => {
    const { place, waits, ...share } = WRITE_RANKS[rank];
    const asked = [installation, holder, place, share.minute, share.hour, waits, amount, isMade];
    return only(await execute<TakenRow>(TAKE, [...asked, ...windows]));
  };

  return {
    reserveWrites: async (installation, asking, amount) =>
      (await take(installation, asking, amount, false)).waitMs,
    takeWrite: async (installation, asking) => {
      const { waitMs, write } = await take(installation, asking, 1, true);
      return write === null ? { waitMs: Math.max(1, waitMs) } : { write };
    },
    writeMade: async (write) => void (await execute(MADE, [write])),
    releaseWrites: async (installation, holder) =>
      void (await execute(RELEASE, [installation, holder])),
    spendPoints: async (installation, points) => {
      const asked = [installation, points, POINTS_A_MINUTE, minute.seconds];
      return only(await execute<PointsWait>(SPEND, asked));
    },
    writeBudget: async (installation) => {
      const asked = [installation, minute.seconds, hour.seconds];
      const { minute: made, hour: madeInHour, ...rest } = only(await execute<Used>(BUDGET, asked));
      const room = (window: typeof minute, used: number) => ({
        ...window,
        requests: usable(window),
        left: Math.max(0, usable(window) - used),
      });
      return { minute: room(minute, made), hour: room(hour, madeInHour), ...rest };
    },
    requestPause: async (installation) =>
      only(await execute<Pick<Used, 'pausedMs'>>(PAUSED_FOR, [installation])).pausedMs,
    pauseRequests: async (installation, ms) => void (await execute(PAUSE, [installation, ms])),
  };
}

interface Used {
  readonly minute: number;
  readonly hour: number;
  readonly pausedMs: number;
  readonly busy: number;
}

function only<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('the database answered with no row');
  return row;
}
