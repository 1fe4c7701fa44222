import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What each installation had left at a time, see `content-budget.ts`. */
const CONTENT_BUDGET = sql`
  create table issuewright.content_budget (
    installation bigint primary key,
    at timestamptz not null default now(),
    minute double precision not null,
    hour double precision not null,
    paused_until timestamptz not null default '-infinity'
  ) with (fillfactor = 50)`;

/** How many sessions of an installation are being worked on is asked often. */
const BUSY = sql`
  create index sessions_busy on issuewright.sessions (installation) where state = 'working'`;

export const contentBudget: Migration = {
  async up(database: Kysely<unknown>) {
    await CONTENT_BUDGET.execute(database);
    await BUSY.execute(database);
  },
};
