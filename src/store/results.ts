// What sessions came to. A row repeats what the journal of its session says, so that sums need not read journals.
import { sql } from 'kysely';
import type { Worth, WorthSum } from '../session/worth.ts';
import type { Database, DatabaseTransaction } from './database/database.ts';

/** The sums of sessions that have something in common: see `WorthQuery.by`. */
export interface GroupSum extends WorthSum {
  /** 0 if it is not what they have in common. */
  readonly repositoryId: number;
  /** Empty if it is not what they have in common. */
  readonly model: string;
}

export interface WorthQuery {
  /** `all`: one sum, or none if there are no sessions. */
  readonly by: 'repository' | 'model' | 'all';
  /** Sessions that began then or later. */
  readonly since?: Date;
  /** Only of these repositories. */
  readonly within?: readonly number[] | undefined;
}

interface SessionOfRepository {
  readonly id: string;
  readonly repository: { readonly id: number };
}

/** Replaces the row of a session. It stays when the session is deleted. */
export async function writeWorth(
  transaction: DatabaseTransaction,
  { id: session, repository }: SessionOfRepository,
  { result, rounds, isZeroTouch, dollars, isPartial, workedMs, model, ...worth }: Worth,
): Promise<void> {
  const row = {
    repository_id: repository.id,
    model,
    result,
    rounds,
    is_zero_touch: isZeroTouch,
    dollars,
    is_partial: isPartial,
    worked_ms: workedMs,
    sign_ms: worth.signMs ?? null,
    proposed_ms: worth.proposedMs ?? null,
    merged_ms: worth.mergedMs ?? null,
    begun_at: new Date(worth.begunAt),
    active_at: new Date(worth.activeAt),
  };
  await transaction
    .insertInto('results')
    .values({ session_id: session, ...row })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(row))
    .execute();
}

const ABANDONED_MS = 30 * 24 * 60 * 60_000;

/** See `Store.worth`. */
export async function sumWorth(
  database: Database,
  { since, within, by }: WorthQuery,
  now: Date,
): Promise<readonly GroupSum[]> {
  const old = new Date(now.getTime() - ABANDONED_MS);
  const { rows } = await sql<GroupSum>`
    with each as (
      select case when ${by === 'repository'} then repository_id else 0 end as repository_id,
        case when ${by === 'model'} then model else '' end as model,
        rounds, is_zero_touch, dollars, is_partial, worked_ms, sign_ms, proposed_ms, merged_ms,
        case when result = 'open' and active_at <= ${old} then 'abandoned' else result end as result
      from issuewright.results
      where begun_at >= ${since ?? new Date(0)}
        and (${within ?? null}::bigint[] is null or repository_id = any(${within ?? null}::bigint[]))
    )
    select repository_id::float8 as "repositoryId", model,
      count(*)::integer as sessions,
      (count(*) filter (where result = 'merged'))::integer as merged,
      (count(*) filter (where result = 'closed'))::integer as closed,
      (count(*) filter (where result = 'unchanged'))::integer as unchanged,
      (count(*) filter (where result = 'abandoned'))::integer as abandoned,
      (count(*) filter (where result = 'open'))::integer as open,
      (count(*) filter (where result = 'merged' and is_zero_touch))::integer as "zeroTouch",
      coalesce(sum(rounds) filter (where result = 'merged'), 0)::integer as rounds,
      sum(dollars) as dollars, bool_or(is_partial) as "isPartial",
      coalesce(sum(dollars) filter (where result = 'merged'), 0) as "mergedDollars",
      sum(worked_ms)::float8 as "workedMs",
      percentile_cont(0.5) within group (order by sign_ms) as "signMs",
      percentile_cont(0.5) within group (order by proposed_ms) as "proposedMs",
      percentile_cont(0.5) within group (order by merged_ms) as "mergedMs"
    from each group by repository_id, model order by repository_id, model
  `.execute(database);
  return rows;
}
