import { chmodSync, lchownSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TellPerson } from '../../lib/errors.ts';
import type { Identity } from './identity.ts';
import { visitEntries } from '../visit-entries.ts';

const OWNER_ALL = 0o700;
const PASSABLE = 0o711;
const OTHERS_PASS = 0o001;
const OTHERS_ANY = 0o077;

/**
 * Gives the tree to the commands' user. Its parent directory, which must belong to this workspace alone,
 * becomes traversable but not listable. Everything else in the parent is closed to others, except `own`.
 *
 * Call it only while no command runs: it works on paths, and a command could swap them.
 * @throws {TellPerson} if the user cannot traverse a directory further up
 */
export async function handOver(directory: string, own: string, identity: Identity): Promise<void> {
  const around = dirname(directory);
  letPass(around);
  for (const name of readdirSync(around)) {
    const path = join(around, name);
    if (path !== directory && path !== own) closeToOthers(path);
  }
  await give(directory, identity);
  chmodSync(directory, OWNER_ALL);
}

async function give(directory: string, identity: Identity): Promise<void> {
  await visitEntries(directory, (path, stats) => {
    if (stats.uid !== identity.uid) lchownSync(path, identity.uid, identity.gid);
    giveRights(path, stats);
  });
}

/** Creates a directory that only the commands' user can enter. What is in it already becomes that user's too. */
export async function makeOwned(directory: string, identity?: Identity): Promise<void> {
  await mkdir(directory, { recursive: true, mode: OWNER_ALL });
  if (identity !== undefined) await give(directory, identity);
}

/**
 * Restores the service's access to files if a command that ran as the same user removed it. Call it
 * only while no command runs.
 */
export async function takeBack(directory: string): Promise<void> {
  const owner = process.getuid?.();
  await visitEntries(directory, (path, stats) => {
    if (stats.uid === owner) giveRights(path, stats);
  });
}

/** Gives the owner read and write access, and entry to directories. Leaves links alone. */
function giveRights(path: Buffer, stats: Stats): void {
  const needed = stats.isDirectory() ? 0o700 : stats.isFile() ? 0o600 : 0;
  if ((stats.mode & needed) !== needed) chmodSync(path, (stats.mode & 0o777) | needed);
}

function letPass(around: string): void {
  const mode = lstatSync(around).mode & 0o777;
  if (mode !== OWNER_ALL && mode !== PASSABLE)
    throw new Error(`the workspace is not in a directory of its own: ${around}`);
  if (mode !== PASSABLE) chmodSync(around, PASSABLE);
  for (let path = dirname(around); path !== dirname(path); path = dirname(path)) {
    if ((lstatSync(path).mode & OTHERS_PASS) !== 0) continue;
    throw new TellPerson(
      `Commands run as a separate user, and that user cannot enter ${path}. Set TMPDIR to a directory that every user can enter, such as /tmp, or do not run the service as root.`,
    );
  }
}

function closeToOthers(path: string): void {
  const stats = lstatSync(path);
  if (!stats.isSymbolicLink() && (stats.mode & OTHERS_ANY) !== 0)
    chmodSync(path, stats.mode & OWNER_ALL);
}
