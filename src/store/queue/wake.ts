import type { Logger } from 'pino';
import { messageOf } from '../../lib/errors.ts';
import type { Database, Execute, Statement } from '../database/database.ts';
import type { OpenQueue } from './queue.ts';

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
  queue: Pick<OpenQueue, 'listen'>,
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
