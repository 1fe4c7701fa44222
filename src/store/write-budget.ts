import { WRITE_BUCKETS, msUntilNextWrite, type WriteBudget } from '../lib/write-budget.ts';
import type { Execute, Statement } from './statement.ts';

// One row for each installation, by the clock of the database: it holds among all processes.

const { minute, hour } = WRITE_BUCKETS;

/** What a bucket holds by now. A clock that was put back fills nothing. */
const held = (name: 'minute' | 'hour'): string => {
  const { capacity, perSecond } = WRITE_BUCKETS[name];
  const seconds = 'greatest(0, extract(epoch from now() - budget.at)::double precision)';
  return `least(${capacity}, budget.${name} + ${perSecond} * ${seconds})`;
};

/** Answers with a row where there was room. */
const TAKE: Statement = {
  name: 'content_take',
  text: `
    insert into issuewright.content_budget as budget (installation, minute, hour)
    values ($1, ${minute.capacity} - 1, ${hour.capacity} - 1)
    on conflict (installation) do update set
      at = greatest(budget.at, now()), minute = ${held('minute')} - 1, hour = ${held('hour')} - 1
    where ${held('minute')} >= 1 and ${held('hour')} >= 1 and budget.paused_until <= now()
    returning installation`,
};

const ROOM: Statement = {
  name: 'content_room',
  text: `
    select
      coalesce(${held('minute')}, ${minute.capacity}) as "minute",
      coalesce(${held('hour')}, ${hour.capacity}) as "hour",
      case when budget.paused_until > now()
        then extract(epoch from budget.paused_until - now())::double precision * 1000
        else 0 end as "pausedMs",
      (select count(*)::integer from issuewright.sessions
        where sessions.installation = asked.installation and state = 'working') as "busy"
    from (select $1::bigint as installation) as asked
    left join issuewright.content_budget as budget using (installation)`,
};

const PAUSE: Statement = {
  name: 'content_pause',
  text: `
    insert into issuewright.content_budget as budget (installation, minute, hour, paused_until)
    values ($1, ${minute.capacity}, ${hour.capacity}, now() + $2 * interval '1 millisecond')
    on conflict (installation) do update
      set paused_until = greatest(budget.paused_until, excluded.paused_until)`,
};

/** See `Store.takeWrite`. */
export async function takeWrite(execute: Execute, installation: number): Promise<number> {
  const taken = await execute(TAKE, [installation]);
  if (taken.length > 0) return 0;
  // Another process may have given up its turn in between: then it is asked for again at once.
  return Math.max(1, msUntilNextWrite(await writeBudget(execute, installation)));
}

/** See `Store.writeBudget`. */
export async function writeBudget(execute: Execute, installation: number): Promise<WriteBudget> {
  const [room] = await execute<WriteBudget>(ROOM, [installation]);
  if (room === undefined) throw new Error('the database answered with no row');
  return room;
}

/** See `Store.pauseWrites`. */
export async function pauseWrites(
  execute: Execute,
  installation: number,
  ms: number,
): Promise<void> {
  await execute(PAUSE, [installation, ms]);
}
