import { sql, type RawBuilder } from 'kysely';
import type { DatabaseTransaction } from './database.ts';
import type { Parts } from './parts.ts';
import type { QueueName } from './queue.ts';
import type { Due } from './store.ts';
import { inTransaction } from './transaction.ts';

/** Reasons to wake a session; `after` is what its row says then, so that it is woken once. */
interface Reason {
  readonly queue: QueueName;
  readonly holds: (now: Date) => RawBuilder<boolean>;
  readonly after: (now: Date) => RawBuilder<unknown>;
}

const AT_ONCE = 200;
const SECONDS = 1000;
/** A wake-up that has not come by then was lost; see `Store.append`. */
const LOST_PUBLISH_MS = 5 * SECONDS;
const LOST_ADVANCE_MS = 60 * SECONDS;
/** Time enough for the one that the sweep sent. */
const NEXT_LOOK_MS = 30 * SECONDS;
const later = (now: Date, ms: number): Date => new Date(now.getTime() + ms);

const REASONS: readonly Reason[] = [
  {
    queue: 'advance',
    holds: (now) => sql`wake_at <= ${now}`,
    after: () => sql`wake_at = null`,
  },
  {
    queue: 'publish',
    holds: (now) => sql`publish_at <= ${now}`,
    after: () => sql`publish_at = null`,
  },
  {
    queue: 'publish',
    holds: (now) => sql`coalesce(publish_at, 'infinity') > ${later(now, NEXT_LOOK_MS)}
      and published_seq < last_seq and updated_at < ${later(now, -LOST_PUBLISH_MS)} and ${nobodyHas('publish')}`,
    after: (now) => sql`publish_at = ${later(now, NEXT_LOOK_MS)}`,
  },
  {
    queue: 'advance',
    holds: (now) => sql`state in ('queued', 'working') and wake_at is null
      and updated_at < ${later(now, -LOST_ADVANCE_MS)} and ${nobodyHas('advance')}`,
    after: () => sql`updated_at = now()`,
  },
];

/** No job of the session waits or runs: its wake-up was lost, whatever the cause. */
const nobodyHas = (queue: QueueName): RawBuilder<boolean> => sql`not exists (
  select from pgboss.job where job.name = ${queue} and job.singleton_key = sessions.id
  and job.state in ('created', 'retry', 'active'))`;

/** See `Store.due`. */
export async function wakeDue(parts: Parts, now: Date): Promise<Due> {
  const woken = { advance: 0, publish: 0 };
  for (const reason of REASONS)
    for (const id of await sessionsWith(parts, reason, now))
      if (await wakeOne(parts, reason, id, now)) woken[reason.queue] += 1;
  return woken;
}

async function sessionsWith({ database }: Parts, reason: Reason, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from issuewright.sessions as sessions
    where ${reason.holds(now)} limit ${AT_ONCE}`.execute(database);
  return rows.map(({ id }) => id);
}

/** One transaction for each session, which looks again: another process sweeps at the same time. */
function wakeOne({ database, queue }: Parts, reason: Reason, id: string, now: Date) {
  return inTransaction(database, async (transaction): Promise<boolean> => {
    if (!(await updateWhere(transaction, reason, id, now))) return false;
    await queue.wake(reason.queue, id, transaction);
    return true;
  });
}

async function updateWhere(
  transaction: DatabaseTransaction,
  reason: Reason,
  id: string,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    update issuewright.sessions as sessions set ${reason.after(now)}
    where id = ${id} and ${reason.holds(now)} returning id`.execute(transaction);
  return rows.length > 0;
}
