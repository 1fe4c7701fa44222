import { sql } from 'kysely';
import type { Logger } from 'pino';
import { messageOf } from '../../lib/errors.ts';
import { inTransaction, type Database, type Execute } from '../database/database.ts';
import type { Queue } from './queue.ts';
import { Throttle } from './throttle.ts';
import { notifyWake } from './wake.ts';

/** A run appends many times a second. */
const INTERVAL_MS = 500;

interface WakesParts {
  readonly database: Database;
  readonly execute: Execute;
  readonly queue: Pick<Queue, 'wake'>;
  readonly log: Logger;
}

/**
 * Tells processes of what was committed, and wakes publishing for it: for each session at once, then at most once per
 * interval. Nobody waits for it: notifications make commits of the whole server go one by one. If the process dies before,
 * workers find a woken session at their next look, and the sweep of another finds what is not published, because
 * `published_seq` is below `last_seq`.
 */
export class Wakes {
  readonly #parts: WakesParts;
  /** Sessions to which someone other than their run added, and of which processes were not told yet. */
  readonly #news = new Set<string>();
  readonly #waking = new Throttle(INTERVAL_MS, (session) => this.#wake(session));

  constructor(parts: WakesParts) {
    this.#parts = parts;
  }

  /** Tells every process, and wakes `publish`. */
  readonly tell = (session: string): void => {
    this.#news.add(session);
    this.#waking.ask(session);
  };

  /** Wakes `publish`. */
  readonly publishSoon = (session: string): void => this.#waking.ask(session);

  /** Resolves when all are woken, also those that an interval delays. */
  close(): Promise<void> {
    return this.#waking.close();
  }

  /** Never rejects. */
  async #wake(session: string): Promise<void> {
    const { database, execute, queue, log } = this.#parts;
    try {
      if (this.#news.delete(session)) await notifyWake(execute, session);
      await inTransaction(database, async (transaction) => {
        // What a crash of the database would lose, the sweep finds.
        await sql`set local synchronous_commit = off`.execute(transaction);
        await queue.wake('publish', session, transaction);
      });
    } catch (error) {
      log.warn(
        { session, reason: messageOf(error) },
        'failed to wake a session; the sweep will retry',
      );
    }
  }
}
