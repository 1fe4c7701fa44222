// Controls a service from another process, through its database.
import { bindFirst } from '../lib/bind-first.ts';
import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { OperatorCommand } from '../contracts/intent.ts';
import type { Problem, ServicePause } from '../contracts/service.ts';
import { hasCode, messageOf } from '../lib/errors.ts';
import type { ContentLimits, WriteBudget } from '../lib/write-budget.ts';
import { reasonOf } from '../lib/reason.ts';
import { shownSettingPath } from '../lib/directories.ts';
import {
  cannotOpen,
  executeOn,
  inTransaction,
  openDatabase,
  openPool,
  SCHEMA,
  SERVICE_NAME,
  type Connection,
  type Database,
} from './database/database.ts';
import { pendingMigrations } from './database/migrations.ts';
import { knownDeliveries, missedStore, type MissedStore } from './deliveries/missed.ts';
import { DirectoryInUse, isLocked } from './embedded/lock.ts';
import { CLUSTER, PORT, startEmbedded, USER } from './embedded/postgres-server.ts';
import { socketDirectory } from './embedded/leftovers.ts';
import { sessionReads, storeCommand, type SessionReads } from './operator.ts';
import { openProblems } from './problems.ts';
import { erasePerson, type Erasure } from './retention/retention.ts';
import type { SessionRow } from './store.ts';
import { unreachable } from './database/silence.ts';
import { openWrites } from './writes/writes.ts';

/** What belongs to a copy once it is made: see `Control.hold`. */
export interface HeldCopy {
  readonly label: string;
  /** The first and the last of the log's files without which the copy cannot be opened. */
  readonly first: string;
  readonly last: string;
}

export interface Control {
  readonly sessions: SessionReads;
  readonly missed: MissedStore;
  /** Journals what the operator asks of a session, and wakes the session; again is the same as once. */
  ask(session: SessionRow, command: OperatorCommand): Promise<void>;
  pause(reason: string): Promise<void>;
  /** Resolves with whether the service was paused. */
  resume(): Promise<boolean>;
  /** Whether a service is connected to the database now. */
  isInUse(): Promise<boolean>;
  /** The version of the server, such as `18.4`. */
  version(): Promise<string>;
  /** How many changes of the tables this version of Issuewright knows and the database lacks; made at the next start. */
  pendingMigrations(): Promise<number>;
  servicePause(): Promise<ServicePause | undefined>;
  /** Deletes what is kept of a person, as far as it can be. */
  erase(login: string): Promise<Erasure>;
  /** What is wrong now, as the service sees it. */
  problems(): Promise<readonly Problem[]>;
  /** Those of these deliveries that were accepted: if they come again, nothing happens. */
  knownDeliveries(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Has the server keep what a copy of its files needs, while `copy` makes one. It calls `end` when all files but the
   * log are copied, and copies the log from `first` to `last` then.
   */
  hold(copy: (end: () => Promise<HeldCopy>) => Promise<void>): Promise<void>;
  /** What an installation may still write. */
  writeBudget(installation: number, limits: ContentLimits): Promise<WriteBudget>;
}

export interface ControlOptions {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly log: Logger;
  /** How long the database may take for a statement; 10 s by default. */
  readonly statementMs?: number;
  /** How long a service that is starting is waited for; longer than that takes by default. */
  readonly patienceMs?: number;
}

export type ControlAction<T> = (control: Control) => Promise<T>;

/** Longer than anything but a lock takes. */
const STATEMENT_MS = 10_000;

const OPERATIONS = {
  ask: storeCommand,
  pause: pauseService,
  resume: resumeService,
  isInUse: hasService,
  version: versionOf,
  pendingMigrations,
  servicePause: readPause,
  erase: erasePerson,
  knownDeliveries,
};
/** After a crash of the machine, the database of a service replays its log first. */
const PATIENCE_MS = 150_000;
const POLL_MS = 250;

/** The database is not of a service: nothing was changed. */
export class NoService extends Error {
  override readonly name = 'NoService';
  /** A service has the database, and has not made its tables yet. */
  readonly isStarting: boolean;

  constructor(why: string, isStarting = false) {
    super(
      `Nothing was changed: no service was found, because ${why}. Run this command with the DATA_DIR or DATABASE_URL that the service uses.`,
    );
    this.isStarting = isStarting;
  }
}

/**
 * Connects to the database of the service, and waits until that is up. If its embedded server is not running, starts
 * it for the duration of `act`. Fails if no service has ever used the database, and makes none. Errors are for the
 * operator.
 */
export async function control<T>(options: ControlOptions, act: ControlAction<T>): Promise<T> {
  const { databaseUrl, dataDir, patienceMs = PATIENCE_MS } = options;
  const attempt = databaseUrl === undefined ? onEmbedded : onServer(databaseUrl);
  for (const deadline = performance.now() + patienceMs; ; await pause(POLL_MS)) {
    try {
      return await attempt(options, act);
    } catch (error) {
      const isTaken = databaseUrl === undefined && isLocked(dataDir);
      if (!isStarting(error, isTaken)) throw error;
      if (performance.now() > deadline) throw doesNotAnswer(error);
    }
  }
}

type ControlAttempt = <T>(options: ControlOptions, act: ControlAction<T>) => Promise<T>;

const onServer =
  (databaseUrl: string): ControlAttempt =>
  (options, act) =>
    actOn({ connectionString: databaseUrl }, options, act).catch((cause: unknown) => {
      throw cause instanceof NoService
        ? cause
        : new Error(unreachable(databaseUrl, cause), { cause });
    });

/** A service that is starting has the directory before its server answers, and before it has a database. */
const onEmbedded: ControlAttempt = async (options, act) => {
  const cluster = join(options.dataDir, CLUSTER);
  requireCluster(options.dataDir, cluster);
  const done = await actOnRunning(cluster, options, act);
  return done === undefined ? actOnEmbedded(options, act) : done.result;
};

const isStarting = (error: unknown, isTaken: boolean): boolean =>
  error instanceof DirectoryInUse || (error instanceof NoService && (error.isStarting || isTaken));

function doesNotAnswer(cause: unknown): Error {
  const owner = cause instanceof DirectoryInUse ? cause.owner : '';
  return new Error(
    `Nothing was changed: another Issuewright process${owner} uses the database, which is not ready. If a service is starting, wait until it logs that it is ready, and run this command again. Otherwise end that process first.`,
    { cause },
  );
}

function requireCluster(dataDir: string, cluster: string): void {
  const shown = `the data directory ${shownSettingPath(dataDir) ?? 'that DATA_DIR names'}`;
  try {
    statSync(join(cluster, 'PG_VERSION'));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) throw new NoService(`${shown} has no database`);
    throw new Error(
      `Nothing was changed: ${shown} cannot be read: ${reasonOf(error)}. Run this command as the user who runs the service.`,
      { cause: error },
    );
  }
}

/** `undefined` if the server does not run. */
async function actOnRunning<T>(
  cluster: string,
  options: ControlOptions,
  act: ControlAction<T>,
): Promise<{ readonly result: T } | undefined> {
  if (!existsSync(join(cluster, `.s.PGSQL.${PORT}`))) return undefined;
  const socket = socketDirectory(realpathSync(cluster));
  try {
    const connection = { host: socket.host, port: PORT, user: USER, database: 'postgres' };
    return { result: await actOn(connection, options, act) };
  } catch (error) {
    // The socket is left over from a killed service.
    if (isUnreachable(error)) return undefined;
    throw error;
  } finally {
    socket.dispose();
  }
}

async function actOnEmbedded<T>(options: ControlOptions, act: ControlAction<T>): Promise<T> {
  const server = await startEmbedded(options.dataDir, options.log);
  try {
    return await actOn(server.connection, options, act);
  } finally {
    await server.stop();
  }
}

async function actOn<T>(
  connection: Connection,
  { log, statementMs = STATEMENT_MS }: ControlOptions,
  act: ControlAction<T>,
): Promise<T> {
  const pool = openPool(connection, log, { name: `${SERVICE_NAME} control`, statementMs });
  const database = openDatabase(pool);
  try {
    await requireTables(database);
    return await act({
      sessions: sessionReads(database),
      missed: missedStore(database),
      hold: (copy) => holdCopy(pool, copy),
      ...bindFirst(database, OPERATIONS),
      // The version that knows them makes their table at its start.
      problems: async () => ((await pendingMigrations(database)) > 0 ? [] : openProblems(database)),
      writeBudget: (installation, limits) =>
        openWrites(executeOn(pool), limits).writeBudget(installation),
    }).catch((cause: unknown) => {
      throw cannotOpen(cause);
    });
  } finally {
    await database.destroy();
  }
}

async function hasService(database: Database): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from pg_stat_activity
      where datname = current_database() and application_name = ${SERVICE_NAME}
    ) as found`.execute(database);
  return rows[0]?.found ?? false;
}

/** The slot keeps the log from being removed, and ends with the connection, as the copy does. */
async function holdCopy(pool: pg.Pool, copy: Parameters<Control['hold']>[0]): Promise<void> {
  const client = await pool.connect();
  try {
    // Another each time: the server may still be ending the connection of the copy before.
    const slot = `backup_${randomBytes(8).toString('hex')}`;
    await client.query('select pg_create_physical_replication_slot($1, true, true)', [slot]);
    await client.query(`select pg_backup_start('issuewright backup', true)`);
    await copy(async () => {
      const { rows } = await client.query<{ label: string; last: string }>(
        `select labelfile as label, pg_walfile_name(lsn) as last from pg_backup_stop(false)`,
      );
      const [{ label, last } = { label: '', last: '' }] = rows;
      const [, first] = /^START WAL LOCATION: \S+ \(file ([0-9A-F]{24})\)$/m.exec(label) ?? [];
      if (first === undefined) throw new Error('the server did not say where the copy begins');
      return { label, first, last };
    });
  } finally {
    // Not back to the pool: with it, what is held would stay.
    client.release(true);
  }
}

async function versionOf(database: Database): Promise<string> {
  const { rows } = await sql<{
    version: string;
  }>`select current_setting('server_version') as version`.execute(database);
  return rows[0]?.version.split(' ')[0] ?? '';
}

async function requireTables(database: Database): Promise<void> {
  const { rows } = await sql<{ name: string | null }>`
    select to_regclass(${`${SCHEMA}.service_pause`})::text as name`
    .execute(database)
    .catch((cause: unknown) => {
      throw cannotOpen(cause);
    });
  if (rows[0]?.name !== null) return;
  throw new NoService('the database has no tables of Issuewright', await hasService(database));
}

/** Nothing listens, or the server of another process is starting or stopping: it may end a connection at any moment. */
const NOT_RUNNING = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', '57P01', '57P03'];

/** What `pg` says without a code if the server ends a connection, during a statement or before it. */
const ENDED = /^(?:Connection terminated|Client has encountered a connection error)/;

const isUnreachable = (error: unknown): boolean => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return hasCode(cause, ...NOT_RUNNING) || ENDED.test(messageOf(cause));
};

export async function readPause(database: Database): Promise<ServicePause | undefined> {
  const row = await database
    .selectFrom('service_pause')
    .select(['reason', 'since'])
    .executeTakeFirst();
  return row;
}

/** Pauses the service, or changes the reason of the pause. */
export async function pauseService(database: Database, reason: string): Promise<void> {
  await database
    .insertInto('service_pause')
    .values({ reason })
    .onConflict((conflict) => conflict.column('one').doUpdateSet({ reason }))
    .execute();
}

/** Ends the pause and makes all paused sessions due. Resolves with whether there was a pause. */
export function resumeService(database: Database): Promise<boolean> {
  return inTransaction(database, async (transaction) => {
    const ended = await transaction.deleteFrom('service_pause').returning('one').executeTakeFirst();
    await transaction
      .updateTable('sessions')
      .set({ wake_at: sql<Date>`now()` })
      .where('state', '=', 'waiting(pause)')
      .execute();
    return ended !== undefined;
  });
}
