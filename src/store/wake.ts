import { sql } from 'kysely';
import type { Logger } from 'pino';
import { messageOf } from '../lib/errors.ts';
import type { Database, DatabaseTransaction } from './database.ts';
import type { OpenQueue } from './queue.ts';

const CHANNEL = 'issuewright';

type WakeListener = (session: string) => void;

export interface WakeFeed {
  onWake(listener: WakeListener): () => void;
  close(): Promise<void>;
}

/** Heard by every process, when and if the transaction commits. */
export async function notifyWake(transaction: DatabaseTransaction, session: string): Promise<void> {
  await sql`select pg_notify(${CHANNEL}, ${session})`.execute(transaction);
}

/** See `Store.onWake`. */
export async function openWakeFeed(
  database: Database,
  queue: Pick<OpenQueue, 'listen'>,
  log: Logger,
): Promise<WakeFeed> {
  const listeners = new Set<WakeListener>();
  const tell: WakeListener = (session) => {
    for (const listener of listeners) {
      try {
        listener(session);
      } catch (error) {
        log.error({ err: error, session }, 'wake-up listener failed');
      }
    }
  };
  const tellClaimed = (): void => {
    claimedSessions(database).then(
      (sessions) => sessions.forEach(tell),
      (error: unknown) => log.warn({ reason: messageOf(error) }, 'wake-ups may have been missed'),
    );
  };
  const subscription = await queue.listen(CHANNEL, tell, tellClaimed);
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
