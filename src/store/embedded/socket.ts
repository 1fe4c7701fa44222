import { closeSync, constants, mkdtempSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SocketDirectory {
  /** For `host` of a connection. */
  readonly host: string;
  dispose(): void;
}

/** `sun_path` ends at 104 to 108 bytes; the socket's own name takes 16 of them. */
const LONGEST = 85;

/** A path of `directory` that is short enough for the Unix socket in it. */
export function socketDirectory(directory: string): SocketDirectory {
  if (Buffer.byteLength(directory) <= LONGEST) return { host: directory, dispose() {} };
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
