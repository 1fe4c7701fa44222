import { TellPerson } from '../../../../src/lib/errors.ts';
import { execFile } from 'node:child_process';
import { constants, existsSync, openSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import type { CommandUser } from '../users/identity.ts';

/** A command could not be started, or not contained as required. */
export class SandboxBroken extends TellPerson {
  /** The message of bubblewrap or of the system. */
  readonly complaint: string;

  constructor(complaint: string, options?: ErrorOptions) {
    super(
      `The sandbox could not start a command: ${complaint}. It worked when the service started, so something changed on this machine. docs/security.md lists what the sandbox needs.`,
      options,
    );
    this.complaint = complaint;
  }
}

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
