// The tables of this version: made, taken over from the version before, or rejected.
import { sql, type Kysely, type RawBuilder } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { cannotOpen, inTransaction, SCHEMA, type Database } from './database.ts';
import { SCHEMA_STATEMENTS } from './schema.ts';
import { TAKE_SESSION } from '../session-queue/queue-statements.ts';
import { WRITE_ROOM } from '../writes/writes.ts';

const executing = (statements: readonly RawBuilder<unknown>[]): Migration => ({
  async up(database: Kysely<unknown>) {
    for (const statement of statements) await statement.execute(database);
  },
});

const FIRST = '0022_schema';

/**
 * Each runs once, in the order of the names. One that was released must not change any more: what follows is added after it.
 * If the version before it works with its tables, its name ends in `_compatible`.
 */
const MIGRATIONS: Record<string, Migration> = {
  [FIRST]: executing(SCHEMA_STATEMENTS),
  '0023_outcome_compatible': executing([
    sql`alter table issuewright.sessions add column outcome text not null default ''`,
  ]),
  '0024_spending_compatible': executing([
    sql`alter table issuewright.spending
      add column is_partial boolean not null default false,
      add column person_id bigint,
      add column person text not null default '',
      add column model text not null default ''`,
    sql`update issuewright.spending set model = sessions.model
      from issuewright.sessions as sessions where sessions.id = session_id`,
    // For the budgets of the day and the month, which read nothing else.
    sql`create index spending_at on issuewright.spending (at)
      include (repository_id, person_id, dollars)`,
  ]),
  // What is wrong now; what is over goes once the operator was told, or at once if nobody was told that it began.
  '0025_problems_compatible': executing([
    sql`create table issuewright.problems (
      cause text not null,
      subject text not null,
      text text not null,
      since timestamptz not null default now(),
      last_at timestamptz not null default now(),
      ended_at timestamptz,
      told boolean not null default false,
      taken_until timestamptz not null default '-infinity',
      primary key (cause, subject)
    )`,
  ]),
  // For the limit of a repository on what reviews of pull requests cost.
  '0026_reviews_compatible': executing([
    sql`alter table issuewright.spending add column is_review boolean not null default false`,
  ]),
};

/** The last version with the migrations up to `0021_…`, and how many it made, in their order. */
const EARLIER = { commit: '27e3990d', count: 21 };

/** What turns the tables of that version into the schema. */
const CHANGES_SINCE = [
  sql`drop function issuewright.take_writes`,
  sql`drop function issuewright.room_in`,
  sql`drop function issuewright.take_session`,
  sql`drop table issuewright.snapshots, issuewright.write_queue, issuewright.request_points, issuewright.answers`,
  sql`alter table issuewright.writes drop column holder`,
  sql`alter table issuewright.changes add column made_by_command boolean not null default false`,
  sql`alter table issuewright.watermarks drop column etag`,
  sql`alter table issuewright.sessions drop column claimed_at`,
  sql`alter table issuewright.write_budget drop column at, drop column minute, drop column hour`,
  TAKE_SESSION,
  ...WRITE_ROOM,
];

/** This version cannot use the tables of the database. For the operator. */
export class OtherSchema extends Error {
  override readonly name = 'OtherSchema';
}

/**
 * Makes the tables, or brings them up to date. Two processes may do this at once. If a newer version has migrated the
 * database compatibly, nothing is changed. Errors are for the operator.
 * @throws {OtherSchema}
 */
export async function migrate(database: Database): Promise<void> {
  await adoptEarlier(database).catch((error: unknown) => {
    throw error instanceof OtherSchema ? error : cannotOpen(error);
  });
  const { error } = await migratorOf(database).migrateToLatest();
  if (error === undefined) return;
  // Includes a migration that a newer version makes while this one starts.
  const made = await madeMigrations(database).catch(() => []);
  const unknown = made.filter((name) => !Object.hasOwn(MIGRATIONS, name));
  if (unknown.length === 0) throw cannotOpen(error);
  const breaking = unknown.find((name) => !name.endsWith('_compatible'));
  if (breaking !== undefined)
    throw new OtherSchema(
      `Cannot use the database: a newer version of Issuewright has changed its tables (${breaking}), and this version cannot work with them. ` +
        `Start the newer version. To go back to this one, restore the backup from before the upgrade.`,
    );
  if ((await pendingMigrations(database)) > 0) throw cannotOpen(error);
}

/** How many migrations are missing. */
export async function pendingMigrations(database: Database): Promise<number> {
  const all = await migratorOf(database).getMigrations();
  return all.filter(({ executedAt }) => executedAt === undefined).length;
}

const migratorOf = (database: Database): Migrator =>
  new Migrator({
    db: database,
    provider: { getMigrations: () => Promise.resolve(MIGRATIONS) },
    migrationTableSchema: SCHEMA,
  });

/** Their names, oldest first. */
async function madeMigrations(database: Database): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from issuewright.kysely_migration order by name`.execute(database);
  return rows.map(({ name }) => name);
}

/** The tables of the version before are those of `FIRST`, up to `CHANGES_SINCE`. */
async function adoptEarlier(database: Database): Promise<void> {
  const { rows } = await sql<{ name: string | null }>`
    select to_regclass('issuewright.kysely_migration')::text as name`.execute(database);
  if (rows[0]?.name === null) return;
  await inTransaction(database, async (transaction) => {
    await sql`lock table issuewright.kysely_migration in exclusive mode`.execute(transaction);
    const earlier = (await madeMigrations(transaction)).filter((name) => name < FIRST);
    if (earlier.length === 0) return;
    if (earlier.length !== EARLIER.count)
      throw new OtherSchema(
        `Cannot use the database: an early version of Issuewright made its tables. Start that of commit ${EARLIER.commit} with it once, and then this one.`,
      );
    for (const change of CHANGES_SINCE) await change.execute(transaction);
    await sql`delete from issuewright.kysely_migration where name < ${FIRST}`.execute(transaction);
    await sql`insert into issuewright.kysely_migration (name, timestamp)
      values (${FIRST}, ${new Date().toISOString()})`.execute(transaction);
  });
}
