// Controls a service from another process, through its database.
import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { sql } from 'kysely';
import type { Logger } from 'pino';
import {
  cannotOpen,
  openDatabase,
  openPool,
  SCHEMA,
  type Connection,
  type Database,
} from './database.ts';
import { PORT, startEmbedded, USER } from './embedded/postgres-server.ts';
import { socketDirectory } from './embedded/socket.ts';
import { pauseService, resumeService } from './service-pause.ts';

export interface Control {
  pause(reason: string): Promise<void>;
  /** Resolves with whether the service was paused. */
  resume(): Promise<boolean>;
}

export interface ControlOptions {
  readonly databaseUrl: string | undefined;
  readonly dataDir: string;
  readonly log: Logger;
}

/**
 * Connects to the database of the service. If its embedded server is not running, starts it for the duration
 * of `act`. Fails if no service has ever used the database, and makes none. Errors are for the operator.
 */
export async function control<T>(
  { databaseUrl, dataDir, log }: ControlOptions,
  act: (control: Control) => Promise<T>,
): Promise<T> {
  if (databaseUrl !== undefined) return actOn({ connectionString: databaseUrl }, log, act);
  const cluster = join(dataDir, 'postgres');
  if (!existsSync(join(cluster, 'PG_VERSION')))
    throw noService(`the data directory ${resolve(dataDir)} has no database`);
  if (!existsSync(join(cluster, `.s.PGSQL.${PORT}`))) return actOnEmbedded(dataDir, log, act);
  const socket = socketDirectory(realpathSync(cluster));
  try {
    const host = socket.host;
    return await actOn({ host, port: PORT, user: USER, database: 'postgres' }, log, act);
  } catch (error) {
    // The socket is left over from a killed service.
    if (!isUnreachable(error)) throw error;
  } finally {
    socket.dispose();
  }
  return actOnEmbedded(dataDir, log, act);
}

async function actOnEmbedded<T>(
  dataDir: string,
  log: Logger,
  act: (control: Control) => Promise<T>,
): Promise<T> {
  const server = await startEmbedded(dataDir, log);
  try {
    return await actOn(server.connection, log, act);
  } finally {
    await server.stop();
  }
}

async function actOn<T>(
  connection: Connection,
  log: Logger,
  act: (control: Control) => Promise<T>,
): Promise<T> {
  const database = openDatabase(openPool(connection, log));
  try {
    await requireTables(database);
    return await act({
      pause: (reason) => pauseService(database, reason),
      resume: () => resumeService(database),
    });
  } finally {
    await database.destroy();
  }
}

async function requireTables(database: Database): Promise<void> {
  const { rows } = await sql<{ name: string | null }>`
    select to_regclass(${`${SCHEMA}.service_pause`})::text as name`
    .execute(database)
    .catch((cause: unknown) => {
      throw cannotOpen(cause);
    });
  if (rows[0]?.name === null) throw noService('the database has no tables of Issuewright');
}

const noService = (why: string): Error =>
  new Error(
    `Nothing was changed: no service was found, because ${why}. Run this command with the DATA_DIR or DATABASE_URL that the service uses.`,
  );

const isUnreachable = (error: unknown): boolean => {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : '';
  return code === 'ECONNREFUSED' || code === 'ENOENT';
};
