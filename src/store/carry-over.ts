// Carries the data of an embedded database to a server.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Logger } from 'pino';
import { openDatabase, openPool, SERVICE_NAME, type Connection } from './database/database.ts';
import { migrate } from './database/migrations.ts';
import { CLUSTER, startEmbedded } from './embedded/postgres-server.ts';
import { unreachable } from './database/silence.ts';

export interface CarryOverOptions {
  /** Of the embedded database. No service may use it. */
  readonly dataDir: string;
  /** The server; no service may use it, and it may have no sessions. */
  readonly databaseUrl: string;
  readonly log: Logger;
}

interface Table {
  readonly name: string;
  /** The tables that its rows refer to. */
  readonly parents: readonly string[];
}

const NAME = `${SERVICE_NAME} migrate`;
/** Rows in a statement: some hold files of a megabyte. */
const BATCH = 100;
/** Of the database itself, of processes that are over, or quickly made again. */
const LEFT_OUT = new Set(['kysely_migration', 'kysely_migration_lock', 'workers', 'sign_ins']);

/**
 * Copies all tables in one transaction, and verifies the number of their rows. The embedded database stays as it is.
 * Resolves with the number of rows by table. Errors are for the operator; after one, the server has no data.
 */
export async function carryOver(options: CarryOverOptions): Promise<ReadonlyMap<string, number>> {
  const { dataDir, databaseUrl, log } = options;
  if (!existsSync(join(dataDir, CLUSTER, 'PG_VERSION')))
    throw new Error('DATA_DIR has no database. Set it to the directory that the service used.');
  const embedded = await startEmbedded(dataDir, log);
  try {
    return await withClient(embedded.connection, log, (source) =>
      withClient({ connectionString: databaseUrl }, log, (target) => copy(source, target)).catch(
        (error: unknown) => {
          // Our own errors have neither a code nor a cause.
          const isOfServer =
            error instanceof Error && ('code' in error || error.cause !== undefined);
          throw isOfServer ? new Error(unreachable(databaseUrl, error)) : error;
        },
      ),
    );
  } finally {
    await embedded.stop();
  }
}

/** With all tables of this version. */
async function withClient<T>(
  connection: Connection,
  log: Logger,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const pool = openPool(connection, log, { name: NAME });
  const database = openDatabase(pool);
  try {
    await migrate(database);
    const client = await pool.connect();
    try {
      return await work(client);
    } finally {
      client.release();
    }
  } finally {
    await database.destroy();
  }
}

async function copy(
  source: pg.PoolClient,
  target: pg.PoolClient,
): Promise<ReadonlyMap<string, number>> {
  await source.query('begin isolation level repeatable read read only');
  await target.query('begin');
  try {
    await requireUnused(target);
    const copied = new Map<string, number>();
    for (const name of await tablesInOrder(source)) {
      copied.set(name, await copyTable(source, target, name));
      await verify(source, target, name);
    }
    await target.query('update issuewright.session_queue set worker = null, is_woken = true');
    await target.query('commit');
    return copied;
  } catch (error) {
    await target.query('rollback');
    throw error;
  } finally {
    await source.query('rollback');
  }
}

async function requireUnused(target: pg.PoolClient): Promise<void> {
  await target.query('lock table issuewright.sessions in exclusive mode');
  const { rows } = await target.query<{ has_sessions: boolean; has_service: boolean }>(
    `select exists (select from issuewright.sessions) as has_sessions, exists (
       select from pg_stat_activity
       where datname = current_database() and application_name = $1
     ) as has_service`,
    [SERVICE_NAME],
  );
  if (rows[0]?.has_service === true)
    throw new Error('A service uses the database of DATABASE_URL. Stop it first.');
  if (rows[0]?.has_sessions === true)
    throw new Error(
      'The database of DATABASE_URL has sessions already, and two databases cannot be merged. Use an empty one.',
    );
}

/** Each after those that its rows refer to. */
async function tablesInOrder(source: pg.PoolClient): Promise<readonly string[]> {
  const { rows } = await source.query<Table>(`
    select child.relname::text as name, coalesce(array_agg(distinct parent.relname::text)
      filter (where parent.oid <> child.oid), '{}') as parents
    from pg_class child
    left join pg_constraint on conrelid = child.oid and contype = 'f'
    left join pg_class parent on parent.oid = confrelid
    where child.relnamespace = 'issuewright'::regnamespace and child.relkind = 'r'
    group by child.relname order by child.relname`);
  const left = new Set(rows.filter(({ name }) => !LEFT_OUT.has(name)));
  const ordered: string[] = [];
  while (left.size > 0) {
    const next = [...left].find(({ parents }) => parents.every((name) => ordered.includes(name)));
    if (next === undefined) throw new Error('the tables refer to each other in a circle');
    left.delete(next);
    ordered.push(next.name);
  }
  return ordered;
}

/** As JSON, which both sides convert: all types of the columns come back as they were. */
async function copyTable(
  source: pg.PoolClient,
  target: pg.PoolClient,
  name: string,
): Promise<number> {
  const table = `issuewright.${pg.escapeIdentifier(name)}`;
  await source.query(
    `declare carried cursor for select row_to_json(rows)::text as row from ${table} as rows`,
  );
  for (let count = 0; ;) {
    const { rows } = await source.query<{ row: string }>(`fetch ${BATCH} from carried`);
    if (rows.length === 0) {
      await source.query('close carried');
      return count;
    }
    await target.query(
      `insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)`,
      [`[${rows.map(({ row }) => row).join(',')}]`],
    );
    count += rows.length;
  }
}

async function verify(source: pg.PoolClient, target: pg.PoolClient, name: string): Promise<void> {
  const count = `select count(*)::text as count from issuewright.${pg.escapeIdentifier(name)}`;
  const [before, after] = [
    (await source.query<{ count: string }>(count)).rows[0]?.count,
    (await target.query<{ count: string }>(count)).rows[0]?.count,
  ];
  if (before !== after)
    throw new Error(
      `The table ${name} has ${before} rows, and its copy ${after}. Nothing was changed.`,
    );
}
