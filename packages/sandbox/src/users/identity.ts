import { createServer, type Server } from 'node:net';
import { chmodSync, existsSync, lchownSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { once } from 'node:events';
import { TellPerson } from '../../../../src/lib/errors.ts';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { visitEntries } from '../process-stat.ts';

/** The user a command runs as, as the host sees it. */
export interface CommandUser {
  readonly uid: number;
  readonly gid: number;
}

// A range that Debian, systemd and useradd leave unused.
const FIRST_UID = 60_600;
const COUNT = 500;

/** Lends user ids. No two workspaces on a machine share one, even across services. */
export class Identities {
  private readonly lent = new Map<
    string,
    { readonly identity: CommandUser; readonly lock: Server }
  >();

  /**
   * If the service runs as root, a user id that only this directory has, for as long as the directory
   * exists. Otherwise `undefined`: commands run as the service's own user.
   * @throws {TellPerson} if no id is left
   */
  async of(directory: string): Promise<CommandUser | undefined> {
    if (process.getuid?.() !== 0) return undefined;
    const known = this.lent.get(directory);
    if (known !== undefined) return known.identity;
    this.takeBack();
    for (let uid = FIRST_UID; uid < FIRST_UID + COUNT; uid += 1) {
      const lock = await lockUser(uid);
      if (lock === undefined) continue;
      const identity = { uid, gid: uid };
      this.lent.set(directory, { identity, lock });
      return identity;
    }
    throw new TellPerson(
      `All ${COUNT} user ids for commands are in use on this machine. Run fewer sessions at once.`,
    );
  }

  close(): void {
    for (const { lock } of this.lent.values()) lock.close();
    this.lent.clear();
  }

  private takeBack(): void {
    for (const [directory, { lock }] of this.lent) {
      if (existsSync(directory)) continue;
      lock.close();
      this.lent.delete(directory);
    }
  }
}

/** Locks by an abstract socket: one process can own the name, and the kernel frees it at its death. */
async function lockUser(uid: number): Promise<Server | undefined> {
  const server = createServer().unref();
  server.listen(`\0issuewright-user-${uid}`);
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}

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
export async function handOver(
  directory: string,
  own: string,
  identity: CommandUser,
): Promise<void> {
  const around = dirname(directory);
  letPass(around);
  for (const name of readdirSync(around)) {
    const path = join(around, name);
    if (path !== directory && path !== own) closeToOthers(path);
  }
  await give(directory, identity);
  chmodSync(directory, OWNER_ALL);
}

async function give(directory: string, identity: CommandUser): Promise<void> {
  await visitEntries(directory, (path, stats) => {
    if (stats.uid !== identity.uid) lchownSync(path, identity.uid, identity.gid);
    giveRights(path, stats);
  });
}

/** Creates a directory that only the commands' user can enter. What is in it already becomes that user's too. */
export async function makeOwned(directory: string, identity?: CommandUser): Promise<void> {
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
  let needed = 0;
  if (stats.isDirectory()) needed = 0o700;
  else if (stats.isFile()) needed = 0o600;
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
