// What was spent, by all processes. A row repeats what an entry of a journal cost, so that sums need not read journals.
import { sql } from 'kysely';
import type { Budgets, SharedBudget, SharedSpending } from '../agent/limits.ts';
import type { Database } from './database/database.ts';

/** When the budgets of a day and of a month began. */
export interface BudgetPeriods {
  readonly day: Date;
  readonly month: Date;
}

/** Whose budgets. */
export interface SpendingQuery extends BudgetPeriods {
  readonly repository: number;
  /** GitHub's number of whoever requested the work; `undefined`: nobody did. */
  readonly person: number | undefined;
}

export type SpentByScope = Readonly<Record<SharedBudget, SharedSpending>>;

interface ScopeRow {
  readonly scope: SharedBudget;
  readonly dollars: number;
  readonly last: Date | null;
}

/** What the store says of it. */
export const spendingIn = (database: Database) => ({
  spent: (query: SpendingQuery) => spentIn(database, query),
  spentFor: (query: CostQuery) => spentFor(database, query),
  budgetsUsedUp: (budgets: Budgets, since: BudgetPeriods) =>
    budgetsUsedUp(database, budgets, since),
});

/** See `Store.spent`. */
async function spentIn(
  database: Database,
  { repository, person, day, month }: SpendingQuery,
): Promise<SpentByScope> {
  const { rows } = await sql<ScopeRow>`
    with recent as (
      select at, dollars, at >= ${day} as is_today, repository_id, person_id, is_review
      from issuewright.spending where at >= least(${day}::timestamptz, ${month}::timestamptz)
    ), sums as (
      select
        sum(dollars) filter (where is_today and repository_id = ${repository}) as repository_day,
        max(at) filter (where is_today and repository_id = ${repository}) as repository_at,
        sum(dollars) filter (where is_today and repository_id = ${repository} and is_review) as reviews_day,
        max(at) filter (where is_today and repository_id = ${repository} and is_review) as reviews_at,
        sum(dollars) filter (where is_today and person_id = ${person ?? null}) as person_day,
        max(at) filter (where is_today and person_id = ${person ?? null}) as person_at,
        sum(dollars) filter (where is_today) as service_day,
        max(at) filter (where is_today) as service_day_at,
        sum(dollars) filter (where at >= ${month}) as service_month,
        max(at) filter (where at >= ${month}) as service_month_at
      from recent
    )
    select scope, coalesce(dollars, 0)::float8 as dollars, last from sums, lateral (values
      ('reviewsDay', reviews_day, reviews_at),
      ('repositoryDay', repository_day, repository_at), ('personDay', person_day, person_at),
      ('serviceDay', service_day, service_day_at), ('serviceMonth', service_month, service_month_at)
    ) as each (scope, dollars, last)`.execute(database);
  const of = (scope: SharedBudget): SharedSpending => {
    const { dollars = 0, last = null } = rows.find((row) => row.scope === scope) ?? {};
    return last === null ? { dollars } : { dollars, lastAt: last.toISOString() };
  };
  return {
    reviewsDay: of('reviewsDay'),
    repositoryDay: of('repositoryDay'),
    personDay: of('personDay'),
    serviceDay: of('serviceDay'),
    serviceMonth: of('serviceMonth'),
  };
}

export interface UsedUpBudget {
  readonly scope: SharedBudget;
  /** Of a repository or a login; empty for the whole service. */
  readonly name: string;
}

/** Which of these budgets are used up. */
async function budgetsUsedUp(
  database: Database,
  { repositoryDay, personDay, serviceDay, serviceMonth }: Budgets,
  { day, month }: BudgetPeriods,
): Promise<readonly UsedUpBudget[]> {
  const { rows } = await sql<UsedUpBudget>`
    select 'serviceDay' as scope, '' as name
      from issuewright.spending where at >= ${day} having sum(dollars) >= ${serviceDay ?? null}
    union all select 'serviceMonth', ''
      from issuewright.spending where at >= ${month} having sum(dollars) >= ${serviceMonth ?? null}
    union all select 'personDay', max(person)
      from issuewright.spending where at >= ${day} and person_id is not null
      group by person_id having sum(dollars) >= ${personDay ?? null}
    union all select 'repositoryDay', (
      select owner || '/' || name from issuewright.sessions
      where sessions.repository_id = spending.repository_id order by created_at desc limit 1)
      from issuewright.spending where at >= ${day} and repository_id <> 0
      group by repository_id having sum(dollars) >= ${repositoryDay ?? null}
    order by scope, name`.execute(database);
  return rows.map(({ scope, name }) => ({ scope, name: name ?? '' }));
}

export interface CostQuery {
  readonly since?: Date | undefined;
  /** Only of these repositories. */
  readonly within?: readonly number[] | undefined;
}

/** What was spent for one person, one repository, with one model, or in one month. */
export interface CostSum {
  readonly by: 'person' | 'repository' | 'model' | 'month';
  /** A login, GitHub's number of a repository, a model, or "2026-11"; empty if it is not known. */
  readonly name: string;
  readonly dollars: number;
  /** Some prices are not known. */
  readonly isPartial: boolean;
}

/** See `Store.spentFor`. */
async function spentFor(
  database: Database,
  { since, within }: CostQuery,
): Promise<readonly CostSum[]> {
  const { rows } = await sql<CostSum>`
    select by, name, sum(dollars)::float8 as dollars, bool_or(is_partial) as "isPartial"
    from issuewright.spending, lateral (values
      ('person', person), ('repository', repository_id::text), ('model', model),
      ('month', to_char(at at time zone 'UTC', 'YYYY-MM'))
    ) as each (by, name)
    where at >= ${since ?? new Date(0)}
      and (${within ?? null}::bigint[] is null or repository_id = any(${within ?? null}::bigint[]))
    group by by, name
    order by by, case when by = 'month' then name end desc, sum(dollars) desc, name`.execute(
    database,
  );
  return rows;
}
