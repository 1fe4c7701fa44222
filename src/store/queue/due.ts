import { sql, type RawBuilder } from 'kysely';
import { inTransaction, type Database, type DatabaseTransaction } from '../database/database.ts';
import type { QueueName } from './queue.ts';
import type { StoreParts } from '../sessions.ts';
import type { WokenCounts } from '../store.ts';

/** A reason to wake a session. `after` updates its row, so that it is woken once. */
interface Reason {
  readonly queue: QueueName;
  readonly holds: (now: Date) => RawBuilder<boolean>;
  readonly after: (now: Date) => RawBuilder<unknown>;
}

const MAX_SESSIONS = 200;
const SECONDS = 1000;
/** A wake-up that is this late was lost; see `Store.append`. */
const LOST_PUBLISH_MS = 5 * SECONDS;
const LOST_ADVANCE_MS = 60 * SECONDS;
/** Time for the wake-up of the sweep to run before the next one. */
const NEXT_LOOK_MS = 30 * SECONDS;
const later = (now: Date, ms: number): Date => new Date(now.getTime() + ms);

/** No job of the session is queued or running, so its wake-up was lost. */
const HAS_NO_JOB = sql<boolean>`not exists (
  select from pgboss.job where job.name = 'publish' and job.singleton_key = sessions.id
  and job.state in ('created', 'retry', 'active'))`;

/** The session neither waits for a slot nor has one, so its wake-up was lost. */
const IS_NOT_QUEUED = sql<boolean>`not exists (
  select from issuewright.session_queue as queued where queued.session_id = sessions.id
  and (queued.is_woken or queued.worker is not null))`;

/** Their sessions are found by an index on the time. */
const TIMERS: readonly Reason[] = [
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
];

/**
 * To find what is not published, all sessions are read: an index would have to be changed with every entry, which costs
 * more.
 */
const UNPUBLISHED: Reason = {
  queue: 'publish',
  holds: (now) => sql`coalesce(publish_at, 'infinity') > ${later(now, NEXT_LOOK_MS)}
      and published_seq < last_seq and updated_at < ${later(now, -LOST_PUBLISH_MS)} and ${HAS_NO_JOB}`,
  after: (now) => sql`publish_at = ${later(now, NEXT_LOOK_MS)}`,
};

/** Found by an index on those that are not at rest. */
const LOST_WORK: Reason = {
  queue: 'advance',
  holds: (now) => sql`state in ('queued', 'working') and wake_at is null
      and updated_at < ${later(now, -LOST_ADVANCE_MS)} and ${IS_NOT_QUEUED}`,
  after: () => sql`updated_at = now()`,
};

type WakingParts = Pick<StoreParts, 'database' | 'queue'>;

/** See `Store.due`. */
export async function wakeDue(
  parts: WakingParts,
  now: Date,
  which: 'all' | 'timers' = 'all',
): Promise<WokenCounts> {
  const woken = { advance: 0, publish: 0 };
  for (const reason of which === 'all' ? [...TIMERS, LOST_WORK, UNPUBLISHED] : TIMERS)
    for (const id of await sessionsWith(parts.database, reason, now))
      if (await wakeOne(parts, reason, id, now)) woken[reason.queue] += 1;
  return woken;
}

async function sessionsWith(database: Database, reason: Reason, now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from issuewright.sessions as sessions
    where ${reason.holds(now)} limit ${MAX_SESSIONS}`.execute(database);
  return rows.map(({ id }) => id);
}

/** One transaction per session. It checks the reason again, because another process may sweep too. */
function wakeOne({ database, queue }: WakingParts, reason: Reason, id: string, now: Date) {
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
