// Jest's global setup: one PostgreSQL for all test files, started when the first one asks for a database, and one
// private key.
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { findBinaries, PORT, USER } from '../../../src/store/embedded/postgres-server.ts';
import {
  chooseLauncher,
  readPidFile,
  socketDirectory,
  startProcess,
} from '../../../src/store/embedded/leftovers.ts';
import { prepareData } from '../prepared-data.ts';
import '../private-key.ts';

/** The environment variable that tells test files where the server answers. */
const VARIABLE = 'ISSUEWRIGHT_TEST_DATABASES';
const TEARDOWN = Symbol.for('issuewright.stop-databases');
const READY_MS = 60_000;

interface Server {
  readonly host: string;
  stop(): Promise<void>;
}

/** `POST /prepared` and `POST /empty` make a database and answer its connection; `DELETE /NAME` removes it. */
export default function setUp(): void {
  const directory = mkdtempSync(join(tmpdir(), 'iw-db-'));
  let starting: Promise<Server> | undefined;
  let made = 0;
  let dropping: Promise<void> = Promise.resolve();
  const answer = async ({ method, url = '' }: IncomingMessage): Promise<object> => {
    const { host } = await (starting ??= startServer(directory));
    if (method === 'DELETE') {
      const name = url.slice(1);
      dropping = dropping.then(() => execute(host, `drop database if exists ${name} with (force)`));
      return {};
    }
    const database = `test_${(made += 1)}`;
    // Prepared data has the tables in the database "postgres", to which nothing connects here.
    const template = url === '/prepared' ? 'postgres' : 'template0';
    await execute(host, `create database ${database} template ${template}`);
    return { host, port: PORT, user: USER, database };
  };
  const broker = createServer({ keepAlive: false }, (request, response) => {
    response.setHeader('connection', 'close');
    answer(request).then(
      (connection) => response.end(JSON.stringify(connection)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  process.env[VARIABLE] = join(directory, 'broker');
  broker.listen(process.env[VARIABLE]).unref();
  Reflect.set(globalThis, TEARDOWN, async () => {
    broker.close();
    await dropping;
    await (await starting)?.stop();
    rmSync(directory, { recursive: true, force: true });
  });
}

/** What the global teardown calls. */
export const tearDown = (): Promise<void> =>
  (Reflect.get(globalThis, TEARDOWN) as () => Promise<void>)();

/** Without fsync, unlike the product: nothing of it has to survive. */
async function startServer(directory: string): Promise<Server> {
  const dataDir = join(directory, 'data');
  await prepareData(dataDir);
  const cluster = join(dataDir, 'postgres');
  const { postgres } = await findBinaries();
  const settings = [
    'fsync=off',
    'full_page_writes=off',
    'max_connections=300',
    'listen_addresses=',
    'unix_socket_directories=.',
  ].flatMap((setting) => ['-c', setting]);
  const log = openSync(join(directory, 'postgres.log'), 'w');
  const command = [...(await chooseLauncher()), postgres, '-D', cluster, ...settings];
  const server = startProcess(command, log);
  closeSync(log);
  server.unref();
  const exited = once(server, 'exit');
  for (const deadline = Date.now() + READY_MS; ; await pause(10)) {
    if (readPidFile(cluster)?.ready === true) break;
    if (server.exitCode !== null || Date.now() > deadline)
      throw new Error(`PostgreSQL did not start: see ${directory}/postgres.log`);
  }
  const socket = socketDirectory(cluster);
  const stop = async (): Promise<void> => {
    server.ref();
    server.kill('SIGINT');
    await exited;
    socket.dispose();
  };
  return { host: socket.host, stop };
}

async function execute(host: string, statement: string): Promise<void> {
  const client = new pg.Client({ host, port: PORT, user: USER, database: 'template1' });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
