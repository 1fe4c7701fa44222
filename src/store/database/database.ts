import { CompiledQuery, Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { Logger } from 'pino';
import { hasCode } from '../../lib/errors.ts';
import { measured } from '../../lib/measurements.ts';
import { reasonOf } from '../../lib/reason.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { socketOptions, type SilenceLimit } from './silence.ts';
import type { Tables } from './tables.ts';

/** The address of a PostgreSQL server: a URL, or the Unix socket of an embedded one. */
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

export const SCHEMA = 'issuewright';
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;
/** A process that froze inside a transaction must not keep a session locked for the others. */
const IDLE_IN_TRANSACTION_MS = 30_000;

/** Reads `bigint` columns as numbers, because GitHub's ids fit a double. `pg` would return strings. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
};

/** The service's connections, as `pg_stat_activity` has them. */
export const SERVICE_NAME = 'issuewright';

interface PoolOptions {
  /** `SERVICE_NAME` by default. */
  readonly name?: string;
  /** Milliseconds that a statement may take; the server then cancels it. */
  readonly statementMs?: number;
  /** Without it, a statement may take any time. */
  readonly silence?: SilenceLimit;
}

/** Connects lazily: only the first query shows whether the server answers. */
export function openPool(
  connection: Connection,
  log: Logger,
  { name = SERVICE_NAME, statementMs, silence }: PoolOptions = {},
): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    ...socketOptions(silence),
    types,
    max: MAX_CONNECTIONS,
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    ...withoutUndefined({ statement_timeout: statementMs }),
  });
  // Without a listener, a connection that breaks would end the process: the pool reports those that are idle, and
  // a query that runs on one fails. While the pool is closing, connections may still report that the server has ended.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', (error) => {
    if (pool.ending) return;
    // An idle one: what needs a connection opens another.
    log.info({ reason: reasonOf(error) }, 'lost a database connection');
    measured('database_connection_lost', {});
  });
  return pool;
}

/** A query builder on `pool`. Destroying it ends the pool. */
export const openDatabase = (pool: pg.Pool): Database =>
  new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }).withSchema(SCHEMA);

/** For the operator. */
export const cannotOpen = (cause: unknown): Error =>
  new Error(`Cannot open the database: ${reasonOf(cause)}`, { cause });

const DEADLOCK = '40P01';
const MAX_TRIES = 4;

/**
 * Runs `work` in a transaction. If PostgreSQL aborts it because of a deadlock, for example with the
 * maintenance of the queue, it runs again: `work` must have no effects outside the database.
 */
export async function inTransaction<T>(
  database: Database,
  work: (transaction: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await database.transaction().execute(work);
    } catch (error) {
      if (tries === MAX_TRIES || !hasCode(error, DEADLOCK)) throw error;
    }
}

/** SQL that runs so often that each connection prepares it once, under its name. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** `Row` is the type of the result's rows. Nothing checks it. */
export type Execute = <Row extends object>(
  statement: Statement,
  values: readonly unknown[],
) => Promise<Row[]>;

/**
 * Executes statements on a pool, each in its own transaction and one round trip. They are prepared,
 * because planning takes longer than running them.
 */
export const executeOn =
  (pool: pg.Pool): Execute =>
  async <Row extends object>({ name, text }: Statement, values: readonly unknown[]) => {
    const { rows } = await pool.query<Row>({ name, text, values: [...values] });
    return rows;
  };

/** Executes statements as part of `transaction`. */
export const executeIn =
  (transaction: DatabaseTransaction): Execute =>
  async <Row extends object>({ text }: Statement, values: readonly unknown[]) => {
    const { rows } = await transaction.executeQuery<Row>(CompiledQuery.raw(text, [...values]));
    return rows;
  };
