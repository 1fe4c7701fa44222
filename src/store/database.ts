import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import { Migrator } from 'kysely/migration';
import pg from 'pg';
import type { Logger } from 'pino';
import { messageOf } from '../lib/errors.ts';
import { migrations } from './migrations/index.ts';
import type { Tables } from './tables.ts';

/** Where a PostgreSQL is: a URL, or the Unix socket of an embedded one. */
export type Connection =
  | { readonly connectionString: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly database: string;
    };

export type Database = Kysely<Tables>;
export type DatabaseTransaction = Transaction<Tables>;

const SCHEMA = 'issuewright';
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** A process that froze inside a transaction must not keep a session locked for the others. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/** GitHub's ids are `bigint` columns and fit a double: numbers, where `pg` would give strings. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
};

/** Connects lazily: that a server answers is known after the first query. */
export function openPool(connection: Connection, log: Logger): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    types,
    max: MAX_CONNECTIONS,
    application_name: 'issuewright',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  });
  // Without a listener, a connection that breaks while idle would end the process. One that we close
  // ourselves may still hear that the server ends.
  pool.on('error', (error) => {
    if (!pool.ending) log.warn({ err: error }, 'lost a database connection');
  });
  return pool;
}

/** Queries on `pool`, which ends with it. */
export const openDatabase = (pool: pg.Pool): Database =>
  new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }).withSchema(SCHEMA);

/** Brings the schema up to date. Two processes may do this at once. Errors are for the operator. */
export async function migrate(database: Database): Promise<void> {
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: () => Promise.resolve(migrations) },
    migrationTableSchema: SCHEMA,
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  throw new Error(`Cannot open the database: ${messageOf(error)}`, { cause: error });
}
