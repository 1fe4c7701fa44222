import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { SYSTEM_PATH } from '../../lib/system-path.ts';
import { closeSync, constants, mkdtempSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
