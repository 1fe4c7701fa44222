import { execFile } from 'node:child_process';
import { constants, existsSync, openSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import type { CommandUser } from '../users/identity.ts';

const run = promisify(execFile);

/**
 * A named pipe. Node gives its children sockets, and a script that opens /dev/stderr fails on a socket.
 */
export async function makeOutputPipe(path: string, owner?: CommandUser): Promise<void> {
  if (!existsSync(path)) await run('mkfifo', ['-m', '600', path]);
  if (owner !== undefined) await chown(path, owner.uid, owner.gid);
}

export interface OutputPipe {
  /** Ends when the last writer has closed it. */
  readonly output: Socket;
  /** For the child. The caller closes it after the child was started. */
  readonly writeEnd: number;
}

export function openOutputPipe(path: string): OutputPipe {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const output = new Socket({ fd: readEnd, readable: true, writable: false });
  return { output, writeEnd: openSync(path, constants.O_WRONLY) };
}
