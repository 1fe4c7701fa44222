import { createServer, type Server } from 'node:net';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { TellPerson } from '../../lib/errors.ts';

/** The user a command runs as, as the host sees it. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

// A range that Debian, systemd and useradd leave unused.
const FIRST_UID = 60_600;
const COUNT = 500;

/** Lends user ids. No two workspaces on a machine share one, even across services. */
export class Identities {
  private readonly lent = new Map<string, { readonly identity: Identity; readonly lock: Server }>();

  /**
   * If the service runs as root, a user id that only this directory has, for as long as the directory
   * exists. Otherwise `undefined`: commands run as the service's own user.
   * @throws {TellPerson} if no id is left
   */
  async of(directory: string): Promise<Identity | undefined> {
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
