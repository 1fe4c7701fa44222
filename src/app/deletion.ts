import type { Logger } from 'pino';
import { sharedNow } from '../lib/clock.ts';
import { messageOf } from '../lib/errors.ts';
import type { Store } from '../store/store.ts';

const DAY_MS = 24 * 60 * 60_000;
const INTERVAL_MS = 60 * 60_000;
/** Others have the start for themselves. */
const FIRST_MS = 60_000;

interface DeletionParts {
  readonly store: Pick<Store, 'retention'>;
  /** Of sessions that are over; `undefined`: they are kept. */
  readonly retentionDays: number | undefined;
  readonly log: Logger;
}

/** Deletes every hour what is due. Returns how to stop it. */
export function startDeletion(parts: DeletionParts): () => Promise<void> {
  let going: Promise<void> | undefined;
  const sweep = (): void => {
    going ??= deleteDue(parts).finally(() => {
      going = undefined;
    });
  };
  const first = setTimeout(sweep, FIRST_MS);
  const timer = setInterval(sweep, INTERVAL_MS);
  return async () => {
    clearTimeout(first);
    clearInterval(timer);
    await going;
  };
}

/** Never rejects. */
async function deleteDue({ store, retentionDays, log }: DeletionParts): Promise<void> {
  try {
    const before =
      retentionDays === undefined ? undefined : new Date(sharedNow() - retentionDays * DAY_MS);
    const deleted = await store.retention.sweep(before);
    if (deleted.sessions + deleted.repositories > 0) log.info(deleted, 'deleted what was due');
  } catch (error) {
    log.warn({ reason: messageOf(error) }, 'failed to delete what is due');
  }
}
