import { WRITE_BUCKETS, msUntilNextWrite, type WriteBudget } from '../lib/write-budget.ts';
import type { Execute, Statement } from './database.ts';

// One row for each installation, shared by all processes. Times are those of the database's clock.

const { minute, hour } = WRITE_BUCKETS;

/** SQL for the current level of a bucket. It does not grow if the clock was set back. */
const levelOf = (name: 'minute' | 'hour'): string => {
  const { capacity, perSecond } = WRITE_BUCKETS[name];
  const seconds = 'greatest(0, extract(epoch from now() - budget.at)::double precision)';
  return `least(${capacity}, budget.${name} + ${perSecond} * ${seconds})`;
};

/** Returns a row if the budget allowed the write. */
const TAKE_WRITE: Statement = {
  name: 'take_write',
  text: `
    insert into issuewright.write_budget as budget (installation, minute, hour)
    values ($1, ${minute.capacity} - 1, ${hour.capacity} - 1)
    on conflict (installation) do update set
      at = greatest(budget.at, now()), minute = ${levelOf('minute')} - 1, hour = ${levelOf('hour')} - 1
    where ${levelOf('minute')} >= 1 and ${levelOf('hour')} >= 1 and budget.paused_until <= now()
    returning installation`,
};

const READ_BUDGET: Statement = {
  name: 'write_budget',
  text: `
    select
      coalesce(${levelOf('minute')}, ${minute.capacity}) as "minute",
      coalesce(${levelOf('hour')}, ${hour.capacity}) as "hour",
      case when budget.paused_until > now()
        then extract(epoch from budget.paused_until - now())::double precision * 1000
        else 0 end as "pausedMs",
      (select count(*)::integer from issuewright.sessions
        where sessions.installation = asked.installation and state = 'working') as "busy"
    from (select $1::bigint as installation) as asked
    left join issuewright.write_budget as budget using (installation)`,
};

const PAUSE_WRITES: Statement = {
  name: 'pause_writes',
  text: `
    insert into issuewright.write_budget as budget (installation, minute, hour, paused_until)
    values ($1, ${minute.capacity}, ${hour.capacity}, now() + $2 * interval '1 millisecond')
    on conflict (installation) do update
      set paused_until = greatest(budget.paused_until, excluded.paused_until)`,
};

/** See `Store.takeWrite`. */
export async function takeWrite(execute: Execute, installation: number): Promise<number> {
  const taken = await execute(TAKE_WRITE, [installation]);
  if (taken.length > 0) return 0;
  // The buckets may have refilled in between. Then the caller should retry immediately.
  return Math.max(1, msUntilNextWrite(await writeBudget(execute, installation)));
}

/** See `Store.writeBudget`. */
export async function writeBudget(execute: Execute, installation: number): Promise<WriteBudget> {
  const [budget] = await execute<WriteBudget>(READ_BUDGET, [installation]);
  if (budget === undefined) throw new Error('the database answered with no row');
  return budget;
}

/** See `Store.pauseWrites`. */
export async function pauseWrites(
  execute: Execute,
  installation: number,
  ms: number,
): Promise<void> {
  await execute(PAUSE_WRITES, [installation, ms]);
}
