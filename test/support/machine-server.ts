// The PostgreSQL of the machine, whose `pg_dump` fits it.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { chooseLauncher, runToEnd, startProcess } from '../../src/store/embedded/leftovers.ts';
import { freePort } from '../../packages/local-github/src/free-port.ts';
import { PATIENCE_MS } from './patience.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';

interface MachineServer {
  /** Of an empty database. */
  readonly databaseUrl: string;
  stop(): Promise<void>;
}

/** `undefined` if the machine has no server, or none that fits the `pg_dump` on the path. */
export async function machineServer(): Promise<MachineServer | undefined> {
  const programs = await findPrograms();
  if (programs === undefined) return undefined;
  const directory = temporaryDirectory();
  const cluster = join(directory, 'cluster');
  const launcher = await chooseLauncher();
  const settings = ['--username', 'tester', '--auth=trust', '--encoding=UTF8', '--no-sync'];
  const made = await runToEnd([...launcher, join(programs, 'initdb'), ...settings, '-D', cluster]);
  if (made.code !== 0) throw new Error(made.stderr);
  const port = String(await freePort());
  const options = ['-D', cluster, '-p', port, '-c', 'listen_addresses=127.0.0.1', '-k', directory];
  const server = startProcess([...launcher, join(programs, 'postgres'), ...options], 'pipe');
  const base = `postgres://tester@127.0.0.1:${port}`;
  await untilItAnswers(`${base}/postgres`);
  return {
    databaseUrl: `${base}/issuewright`,
    stop: async () => {
      server.kill('SIGINT');
      if (server.exitCode === null) await once(server, 'close');
    },
  };
}

/** The directory of a server of the same version as `pg_dump`. */
async function findPrograms(): Promise<string | undefined> {
  const version = await run('pg_dump', ['--version']).catch(() => undefined);
  const major = / (\d+)/.exec(version?.stdout ?? '')?.[1];
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  return major !== undefined && versions.includes(major) ? join(DEBIAN, major, 'bin') : undefined;
}

async function untilItAnswers(address: string): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await pause(50)) {
    const client = new pg.Client({ connectionString: address });
    try {
      await client.connect();
      await client.query('create database issuewright');
      return await client.end();
    } catch (error) {
      await client.end().catch(() => {});
      if (Date.now() > deadline) throw error;
    }
  }
}
