import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { unlessItFails } from '../../lib/unless-it-fails.ts';
import { runToEnd } from './process.ts';

const POLL_MS = 10;
const STOP_MS = 20_000;

/** Reads `postmaster.pid`: line 1 is the process id, line 8 the status. */
export function readPidFile(cluster: string): { pid: number; ready: boolean } | undefined {
  const text = unlessItFails(() => readFileSync(join(cluster, 'postmaster.pid'), 'utf8')) ?? '';
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  return pid > 0 ? { pid, ready: lines[7]?.startsWith('ready') ?? false } : undefined;
}

/**
 * Stops a server that is left over from a killed owner of `cluster`, and removes its files. The caller holds
 * the lock of the directory, so no other process can be starting one.
 */
export async function clearLeftovers(
  cluster: string,
  log: Logger,
  platform: string = process.platform,
): Promise<void> {
  const left = readPidFile(cluster);
  if (left === undefined) return;
  if (platform !== 'linux') return clearByPidFile(cluster, left.pid, log);
  if (workingIn(cluster).includes(left.pid)) {
    log.warn(
      { pid: left.pid },
      'stopping a leftover PostgreSQL server of a killed Issuewright process',
    );
    unlessItFails(() => process.kill(left.pid, 'SIGINT'));
  }
  await waitUntilGone(() => workingIn(cluster).length === 0);
  removePidFiles(cluster);
}

/** Without /proc, the command line shows whether the process id still belongs to our server. */
async function clearByPidFile(cluster: string, pid: number, log: Logger): Promise<void> {
  const { stdout } = await runToEnd(['ps', '-p', String(pid), '-o', 'command=']);
  if (stdout.includes(`-D ${cluster}`)) {
    log.warn({ pid }, 'stopping a leftover PostgreSQL server of a killed Issuewright process');
    unlessItFails(() => process.kill(pid, 'SIGINT'));
    await waitUntilGone(() => !isAlive(pid));
  }
  removePidFiles(cluster);
}

async function waitUntilGone(isGone: () => boolean): Promise<void> {
  for (const deadline = performance.now() + STOP_MS; !isGone(); await pause(POLL_MS)) {
    if (performance.now() > deadline)
      throw new Error(
        `A PostgreSQL server of an earlier Issuewright process is still running in DATA_DIR and does ` +
          `not stop. End its processes, then start again.`,
      );
  }
}

/** All processes of a server have its cluster as working directory. */
function workingIn(cluster: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && workingDirectory(pid) === cluster && isPostgres(pid));
}

const workingDirectory = (pid: number): string | undefined =>
  unlessItFails(() => readlinkSync(`/proc/${pid}/cwd`));

/** Needed because a shell may have the cluster as its working directory too. */
const isPostgres = (pid: number): boolean =>
  unlessItFails(() => readFileSync(`/proc/${pid}/comm`, 'utf8'))?.startsWith('postgres') === true;

const isAlive = (pid: number): boolean => unlessItFails(() => process.kill(pid, 0)) === true;

/** Any process may reuse the process id in these files, which would prevent the server from starting. */
function removePidFiles(cluster: string): void {
  for (const name of ['postmaster.pid', '.s.PGSQL.5432', '.s.PGSQL.5432.lock'])
    rmSync(join(cluster, name), { force: true });
}
