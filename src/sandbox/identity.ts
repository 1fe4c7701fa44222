import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { TellPerson } from '../lib/errors.ts';

/** Whom a command runs as, seen from outside. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

// Left unused by Debian, by systemd and by what makes users.
const FIRST_UID = 60_600;
const COUNT = 500;

/** Lends user ids. Each is one workspace's, in all services of the machine. */
export class Identities {
  private readonly lent = new Map<string, { readonly identity: Identity; readonly lock: Server }>();

  /**
   * A service that is root gets an id that nobody else has; any other has only its own: `undefined`.
   * The same directory gets the same id, until it is gone.
   * @throws {TellPerson} no id is left
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
      `All ${COUNT} user ids that commands run as are taken. Fewer sessions can work at once.`,
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

/** A name in the abstract namespace is one process's, and free again when that is dead. */
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
