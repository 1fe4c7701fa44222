import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hasCode } from '../error-code.ts';
import { IsSymbolicLink } from './open-directory.ts';
import type { OpenDirectory } from './open-directory.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
// O_NONBLOCK: opening a FIFO must not wait for its other end.
const READ_FLAGS = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

/** Something is there, but it is no regular file, or one with a second name. */
export class NotPlainFile extends Error {
  override readonly name = 'NotPlainFile';
}

export class FileTooLarge extends Error {
  override readonly name = 'FileTooLarge';
  readonly size: number;

  constructor(size: number) {
    super(`${size} bytes`);
    this.size = size;
  }
}

export interface PlainFile {
  readonly content: Uint8Array;
  readonly mode: number;
}

/** @throws {IsSymbolicLink | NotPlainFile | FileTooLarge} and the errors of `node:fs` */
export function readPlainFile(path: string, maxBytes = Infinity): PlainFile {
  const descriptor = openPlainFile(path);
  try {
    const { size, mode } = fstatSync(descriptor);
    if (size > maxBytes) throw new FileTooLarge(size);
    return { content: readFileSync(descriptor), mode };
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces the file whole; it keeps its mode, unless one is given. Answers whether it was there. */
export function writePlainFile(
  parent: OpenDirectory,
  name: string,
  content: Uint8Array,
  mode?: number,
): boolean {
  const before = modeOfReplaced(parent.at(name));
  replaceByRename(parent, name, (temporary) => {
    const descriptor = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      writeFileSync(descriptor, content);
      fchmodSync(descriptor, mode ?? before ?? 0o644);
    } finally {
      closeSync(descriptor);
    }
  });
  return before !== undefined;
}

function openPlainFile(path: string): number {
  let descriptor: number;
  try {
    descriptor = openSync(path, READ_FLAGS);
  } catch (error) {
    if (hasCode(error, 'ELOOP', 'EMLINK')) throw new IsSymbolicLink(path, { cause: error });
    if (hasCode(error, 'ENXIO')) throw new NotPlainFile(path, { cause: error });
    throw error;
  }
  const stat = fstatSync(descriptor);
  if (stat.isFile()) return descriptor;
  closeSync(descriptor);
  throw stat.isDirectory()
    ? Object.assign(new Error('a directory'), { code: 'EISDIR' })
    : new NotPlainFile(path);
}

/** The mode of the file about to be replaced. A file with a second name may be reachable elsewhere. */
function modeOfReplaced(path: string): number | undefined {
  try {
    const descriptor = openPlainFile(path);
    try {
      const stat = fstatSync(descriptor);
      if (stat.nlink > 1) throw new NotPlainFile(path);
      return stat.mode & 0o777;
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** A rename replaces whatever stands at the name, and follows no link that appears there. */
export function replaceByRename(
  parent: OpenDirectory,
  name: string,
  make: (temporary: string) => void,
): void {
  const temporary = parent.at(`.issuewright-${randomBytes(8).toString('hex')}`);
  try {
    make(temporary);
    renameSync(temporary, parent.at(name));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
