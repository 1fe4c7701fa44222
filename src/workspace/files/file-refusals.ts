import { TellModel } from '../../lib/errors.ts';
import { quotePath } from './path-policy.ts';

/** The most that tools write to a file, in bytes. */
export const MAX_WRITE_BYTES = 1024 * 1024;
export const MAX_MOVED_FILES = 1000;

/** @throws {TellModel} for the root */
export function requireName(path: string, names: string[]): string[] {
  if (names.length > 0) return names;
  throw new TellModel(
    `${quotePath(path)} is not a file. Give the path of a file, such as "src/main.ts".`,
  );
}

export const IS_DIRECTORY = 'is a directory. Delete its files one by one.';
export const IS_THERE = 'is already at that path: give a different new path.';
export const HOLDS_NO_FILE = 'contains no files to move.';
export const HOLDS_CLOSED =
  'contains files that the repository settings deny access to, so it cannot be moved as a whole. Move the files you need one by one.';

export const tooManyToMove = (): TellModel =>
  new TellModel(`At most ${MAX_MOVED_FILES} files can be moved at once. Split the move.`);

export const tooLargeToWrite = (path: string, size: number): TellModel =>
  new TellModel(
    `${quotePath(path)} would have ${size} bytes; at most ${MAX_WRITE_BYTES} are written to a file: split it.`,
  );
