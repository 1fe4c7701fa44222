import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

const SPENDING = sql`
  create table issuewright.spending (
    repository_id bigint not null,
    at timestamptz(3) not null,
    session_id text not null,
    seq integer not null,
    dollars double precision not null,
    primary key (repository_id, at, session_id, seq),
    foreign key (session_id, seq) references issuewright.journal
  )`;

export const spending: Migration = {
  async up(database: Kysely<unknown>) {
    await SPENDING.execute(database);
  },
};
