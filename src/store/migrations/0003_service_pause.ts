import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** One row at most: the operator's pause of the whole service. */
const SERVICE_PAUSE = sql`
  create table issuewright.service_pause (
    one boolean primary key default true check (one),
    reason text not null,
    since timestamptz not null default now()
  )`;

export const servicePause: Migration = {
  async up(database: Kysely<unknown>) {
    await SERVICE_PAUSE.execute(database);
  },
};
