// What the cache knows of a work tree that it keeps: what it was made of, and how each file and directory looked then.
import { lstatSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { TimeSlice } from '../../../../lib/threads/time-slice.ts';
import type { BaseTree } from '../../base-tree.ts';
import { fingerprint, sizeIn, type Fingerprints } from '../../work-tree-walk.ts';
import { BYTES } from './cache-room.ts';

/** What it was made of, and how it looked then. */
export interface TreeState {
  readonly files: BaseTree['files'];
  readonly looks: Fingerprints;
  /** Of its directories: another name in one changes it. */
  readonly directories: Fingerprints;
  /** By object id, as git has them: the next commit has nearly all of them too. */
  readonly trees: ReadonlyMap<string, Uint8Array>;
}

/** The directory with its files. */
export const FILES = 'files';
/** Another number for each shape of `TreeState`: what another version of the program made is not used. */
const STATE = 'state-1';
const BLOCK_BYTES = 4096;

/** Call once all of its files are in `FILES`. */
export async function writeRecord(directory: string, state: TreeState): Promise<void> {
  await writeFile(join(directory, STATE), serialize(state));
  await writeFile(join(directory, BYTES), String(bytesOf(state.looks, BLOCK_BYTES)));
}

/** @throws {Error} if anything was changed, added or removed since it was made */
export async function readRecord(directory: string): Promise<TreeState> {
  const state = deserialize(await readFile(join(directory, STATE))) as TreeState;
  const now = await looksOfAll(join(directory, FILES), state);
  for (const [before, found] of [
    [state.looks, now.looks],
    [state.directories, now.directories],
  ] as const) {
    for (const [path, look] of found)
      if (before.get(path) !== look) throw new Error('the work tree of the cache was changed');
    if (before.size !== found.size) throw new Error('the work tree of the cache is not whole');
  }
  return state;
}

/** The thread has a fetch under way meanwhile. */
export async function looksOfAll(root: string, { files }: Pick<BaseTree, 'files'>) {
  const looks: Fingerprints = new Map();
  const directories: Fingerprints = new Map();
  const slice = new TimeSlice();
  for (const path of files.keys()) {
    looks.set(path, fingerprintFile(root, path));
    let directory = path;
    while (directory !== '') {
      directory = directory.slice(0, Math.max(0, directory.lastIndexOf('/')));
      if (directories.has(directory)) break;
      directories.set(directory, fingerprintFile(root, directory));
    }
    await slice.yieldIfOver();
  }
  return { looks, directories };
}

export const fingerprintFile = (root: string, path: string): string =>
  fingerprint(lstatSync(`${root}/${path}`, { bigint: true }));

/** What the files hold, or take on a disk with blocks of this size. */
export function bytesOf(looks: Fingerprints, block = 1): number {
  let sum = 0;
  for (const look of looks.values()) sum += Math.ceil(sizeIn(look) / block) * block;
  return sum;
}
