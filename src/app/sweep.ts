import type { Logger } from 'pino';
import { messageOf } from '../lib/errors.ts';
import type { Store } from '../store/store.ts';
import type { PauseWatch } from './service/pause-watch.ts';

const INTERVAL_MS = 1_000;

/** Looks every second for sessions whose time has come, and for a pause. Returns how to stop it. */
export function startSweep(
  store: Pick<Store, 'due'>,
  pause: Pick<PauseWatch, 'look'>,
  log: Logger,
): () => Promise<void> {
  let going: Promise<void> | undefined;
  const sweep = async (): Promise<void> => {
    try {
      await pause.look();
      const woken = await store.due(new Date());
      if (woken.advance + woken.publish > 0) log.debug(woken, 'sweep woke sessions');
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'sweep failed');
    }
  };
  const timer = setInterval(() => {
    going ??= sweep().finally(() => {
      going = undefined;
    });
  }, INTERVAL_MS);
  return async () => {
    clearInterval(timer);
    await going;
  };
}
