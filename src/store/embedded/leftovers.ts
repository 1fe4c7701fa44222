import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { unlessItFails } from '../../lib/errors.ts';
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { SYSTEM_PATH } from '../../lib/directories.ts';
import { tmpdir } from 'node:os';

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
    await waitUntilGone(() => unlessItFails(() => process.kill(pid, 0)) !== true);
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

/** Any process may reuse the process id in these files, which would prevent the server from starting. */
function removePidFiles(cluster: string): void {
  for (const name of ['postmaster.pid', '.s.PGSQL.5432', '.s.PGSQL.5432.lock'])
    rmSync(join(cluster, name), { force: true });
}

/** The server does not inherit our environment, which contains credentials. */
const ENVIRONMENT = {
  PATH: SYSTEM_PATH.join(':'),
  LC_ALL: 'C',
};

/** Maps root to "nobody" in a new user namespace. The files still belong to root, and no account is needed. */
const AS_NOBODY = ['unshare', '-U', '--map-user=65534', '--map-group=65534', '--'];
/** The kernel stops the program when our process ends for any reason. */
const DIES_WITH_PARENT = ['setpriv', '--pdeathsig', 'INT', '--'];

/** The prefix for command lines of PostgreSQL, which does not run as root. */
export async function chooseLauncher(): Promise<readonly string[]> {
  const unprivileged = process.getuid?.() === 0 ? AS_NOBODY : [];
  if (unprivileged.length > 0 && !(await succeeds([...unprivileged, 'true'])))
    throw new Error(ROOT_WITHOUT_NAMESPACES);
  const tied = [...unprivileged, ...DIES_WITH_PARENT];
  return process.platform === 'linux' && (await succeeds([...tied, 'true'])) ? tied : unprivileged;
}

const ROOT_WITHOUT_NAMESPACES =
  'The embedded PostgreSQL cannot run as root, and this system does not allow user namespaces ' +
  '(usual in containers). Run Issuewright as another user, or set DATABASE_URL to your own ' +
  'PostgreSQL server.';

const succeeds = async (command: readonly string[]): Promise<boolean> =>
  (await runToEnd(command).catch(() => undefined))?.code === 0;

export interface EndedProcess {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Rejects if the program cannot be started. */
export async function runToEnd(command: readonly string[]): Promise<EndedProcess> {
  const child = startProcess(command, 'pipe');
  const texts = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (texts.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (texts.stderr += text));
  await once(child, 'close');
  return { code: child.exitCode, ...texts };
}

/**
 * `output`: the target of both streams, a file descriptor or pipes. The program has a session of its own:
 * Ctrl-C on a terminal reaches every process of its session, and the service needs the database to stop in order.
 */
export function startProcess(command: readonly string[], output: number | 'pipe'): ChildProcess {
  const [program = '', ...rest] = command;
  const stdio: StdioOptions = ['ignore', output, output];
  return spawn(program, rest, { stdio, cwd: '/', env: ENVIRONMENT, detached: true });
}

export interface SocketDirectory {
  /** The `host` of a connection. */
  readonly host: string;
  dispose(): void;
}

/** `sun_path` has 104 to 108 bytes, and the socket's name needs 16 of them. */
const MAX_PATH_BYTES = 85;

/** A path to `directory` that is short enough for a Unix socket. */
export function socketDirectory(directory: string): SocketDirectory {
  if (Buffer.byteLength(directory) <= MAX_PATH_BYTES) return { host: directory, dispose() {} };
  return process.platform === 'linux' ? byDescriptor(directory) : bySymlink(directory);
}

function byDescriptor(directory: string): SocketDirectory {
  const descriptor = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    host: `/proc/${process.pid}/fd/${descriptor}`,
    dispose: () => closeSync(descriptor),
  };
}

function bySymlink(directory: string): SocketDirectory {
  const parent = mkdtempSync(join(tmpdir(), 'iw-'));
  const host = join(parent, 's');
  symlinkSync(directory, host);
  return { host, dispose: () => rmSync(parent, { recursive: true, force: true }) };
}
