import { sql } from 'kysely';
import type { Logger } from 'pino';
import { messageOf } from '../../lib/errors.ts';
import {
  inTransaction,
  type Database,
  type Execute,
  type Statement,
} from '../database/database.ts';
import type { OpenQueue, Queue } from './queue.ts';

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
  readonly #waking = throttled(INTERVAL_MS, (session) => this.#wake(session));

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

const CHANNEL = 'issuewright';

type WakeListener = (session: string) => void;

export interface WakeFeed {
  onWake(listener: WakeListener): () => void;
  close(): Promise<void>;
}

const NOTIFY: Statement = { name: 'notify_wake', text: `select pg_notify('${CHANNEL}', $1)` };

/** Tells every process of news in this session. Nothing is written, so the commit does not wait for the disk. */
export async function notifyWake(execute: Execute, session: string): Promise<void> {
  await execute(NOTIFY, [session]);
}

/** See `Store.onWake`. */
export async function openWakeFeed(
  database: Database,
  queue: OpenQueue,
  log: Logger,
): Promise<WakeFeed> {
  const listeners = new Set<WakeListener>();
  const notify: WakeListener = (session) => {
    for (const listener of listeners) {
      try {
        listener(session);
      } catch (error) {
        log.error({ err: error, session }, 'wake-up listener failed');
      }
    }
  };
  const notifyAboutClaimed = (): void => {
    claimedSessions(database).then(
      (sessions) => sessions.forEach(notify),
      (error: unknown) =>
        log.warn(
          { reason: messageOf(error) },
          'failed to look up claimed sessions; wake-ups may have been missed',
        ),
    );
  };
  const subscription = await queue.listen(CHANNEL, notify, notifyAboutClaimed);
  return {
    onWake(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => subscription.close(),
  };
}

async function claimedSessions(database: Database): Promise<string[]> {
  const rows = await database
    .selectFrom('sessions')
    .select('id')
    .where('claim', 'is not', null)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Calls `act` for a key immediately, then at most once per interval: requests during an interval cause one
 * call at its end. `act` must not reject.
 */
export function throttled(intervalMs: number, act: (key: string) => Promise<void>) {
  /** Keys that are in an interval. */
  const waiting = new Map<string, { readonly timer: NodeJS.Timeout; isAsked: boolean }>();
  const acting = new Set<Promise<void>>();
  let isClosed = false;

  const call = (key: string): void => {
    const called = act(key).finally(() => acting.delete(called));
    acting.add(called);
  };
  const begin = (key: string): void => {
    const timer = setTimeout(() => end(key), intervalMs);
    waiting.set(key, { timer, isAsked: false });
    call(key);
  };
  const end = (key: string): void => {
    const isAsked = waiting.get(key)?.isAsked === true;
    waiting.delete(key);
    if (isAsked) begin(key);
  };
  return {
    ask: (key: string): void => {
      const interval = waiting.get(key);
      if (interval !== undefined) interval.isAsked = true;
      else if (!isClosed) begin(key);
    },
    /** Makes pending calls now, and resolves when all have ended. */
    close: async (): Promise<void> => {
      isClosed = true;
      for (const [key, { timer, isAsked }] of waiting) {
        clearTimeout(timer);
        if (isAsked) call(key);
      }
      waiting.clear();
      await Promise.all(acting);
    },
  };
}
