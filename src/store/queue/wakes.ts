import { sql } from 'kysely';
import type { Logger } from 'pino';
import { messageOf } from '../../lib/errors.ts';
import {
  inTransaction,
  type Database,
  type DatabaseTransaction,
  type Execute,
} from '../database/database.ts';
import { Groups } from '../groups.ts';
import type { Queue } from './queue.ts';
import { Throttle } from './throttle.ts';
import { notifyWake } from './wake.ts';

interface Wake {
  readonly session: string;
  /** Someone other than its run added to the session. */
  readonly isNews: boolean;
}

const MAX_GROUP = 500;
/** Waking takes as long for one session as for many, and while many come, it leaves the time to accepting them. */
const REST_MS = 20;
/** Publishing is woken at most this often, because a run appends many times a second. */
const PUBLISH_INTERVAL_MS = 500;

interface WakesParts {
  readonly database: Database;
  readonly execute: Execute;
  readonly queue: Pick<Queue, 'wakeAllToPublish'>;
  /** Called when sessions could not be woken: the sweep has to look for them. */
  readonly onFailure: () => void;
  readonly log: Logger;
}

/**
 * Tells processes of what was committed, and wakes publishing for it. Nobody waits for it: notifications make commits
 * of the whole server go one by one. If the process dies before, workers find a woken session at their next look, and
 * the sweep of another
 * finds what is not published, because `published_seq` is below `last_seq` (`LostWakes`).
 */
export class Wakes {
  readonly #parts: WakesParts;
  readonly #groups: Groups<Wake>;
  readonly #publishing = new Throttle(PUBLISH_INTERVAL_MS, async (session) =>
    this.#groups.add({ session, isNews: false }),
  );

  constructor(parts: WakesParts) {
    this.#parts = parts;
    const limits = { count: MAX_GROUP, restMs: REST_MS };
    this.#groups = new Groups((group) => this.#wake(group), limits);
  }

  /** Tells every process, and wakes `publish`. */
  readonly tell = (session: string): void => this.#groups.add({ session, isNews: true });

  /** Wakes `publish` at once, then at most once per interval. */
  readonly publishSoon = (session: string): void => this.#publishing.ask(session);

  /** Resolves when all are woken, also those that an interval delays. */
  async close(): Promise<void> {
    await this.#publishing.close();
    await this.#groups.idle();
  }

  async #wake(group: readonly Wake[]): Promise<void> {
    const { database, execute, queue, onFailure, log } = this.#parts;
    const news = new Set(group.filter(({ isNews }) => isNews).map(({ session }) => session));
    const all = new Set(group.map(({ session }) => session));
    try {
      if (news.size > 0) await notifyWake(execute, [...news]);
      const begin = (work: (transaction: DatabaseTransaction) => Promise<void>): Promise<void> =>
        inTransaction(database, async (transaction) => {
          // What a crash of the database would lose, the sweep finds.
          await sql`set local synchronous_commit = off`.execute(transaction);
          await work(transaction);
        });
      // People wait for an answer to what they did, more than for the next edit of a status.
      await queue.wakeAllToPublish([...all], begin, news);
    } catch (error) {
      onFailure();
      log.warn(
        { sessions: all.size, reason: messageOf(error) },
        'failed to wake sessions; the sweep will retry',
      );
    }
  }
}
