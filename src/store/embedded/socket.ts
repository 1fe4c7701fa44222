import { closeSync, constants, mkdtempSync, openSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
