// What all processes have in common, for the operator's metrics.
import { sql } from 'kysely';
import { PUBLISH } from './queue/queue.ts';
import type { Database } from './database/database.ts';

interface JobFigures {
  readonly queue: 'advance' | 'publish';
  readonly waiting: number;
  readonly running: number;
  /** How long the oldest of those waits that are due; 0 if none is. */
  readonly oldestSeconds: number;
}

export interface ServiceFigures {
  readonly jobs: readonly JobFigures[];
  /** Sessions by state. */
  readonly sessions: Readonly<Record<string, number>>;
  /** Sessions by what they came to. */
  readonly results: Readonly<Record<string, number>>;
  /** What is wrong now, by cause. */
  readonly problems: Readonly<Record<string, number>>;
}

/** A session that waits for a slot has waited since something happened in it. */
const JOBS = sql<JobFigures>`
  select 'advance' as queue,
    (count(*) filter (where is_due))::integer as waiting,
    (count(*) filter (where is_running))::integer as running,
    coalesce(extract(epoch from now() - min(since) filter (where is_due)), 0)::float8 as "oldestSeconds"
  from (
    select worker is null and is_woken and not_before <= now() as is_due, worker is not null as is_running,
      greatest(sessions.updated_at, not_before) as since
    from issuewright.session_queue join issuewright.sessions on sessions.id = session_id
  ) as queued
  union all
  select 'publish',
    (count(*) filter (where is_due))::integer,
    (count(*) filter (where state = 'active'))::integer,
    coalesce(extract(epoch from now() - min(start_after) filter (where is_due)), 0)::float8
  from (
    select state, start_after, state < 'active' and start_after <= now() as is_due
    from pgboss.job where name = ${PUBLISH} and state <= 'active'
  ) as job`;

interface NamedCount {
  readonly name: string;
  readonly count: number;
}

const SESSIONS = sql<NamedCount>`
  select state as name, count(*)::integer as count from issuewright.sessions group by state`;
const RESULTS = sql<NamedCount>`
  select result as name, count(*)::integer as count from issuewright.results group by result`;

const PROBLEMS = sql<NamedCount>`
  select cause as name, count(*)::integer as count from issuewright.problems
  where ended_at is null group by cause`;

const byName = ({
  rows,
}: {
  readonly rows: readonly NamedCount[];
}): Readonly<Record<string, number>> =>
  Object.fromEntries(rows.map(({ name, count }) => [name, count]));

export async function readFigures(database: Database): Promise<ServiceFigures> {
  const [jobs, sessions, results, problems] = await Promise.all([
    JOBS.execute(database),
    SESSIONS.execute(database),
    RESULTS.execute(database),
    PROBLEMS.execute(database),
  ]);
  return {
    jobs: jobs.rows,
    sessions: byName(sessions),
    results: byName(results),
    problems: byName(problems),
  };
}
