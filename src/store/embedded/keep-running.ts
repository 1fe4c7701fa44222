// Restarts an embedded server that ended without being asked to.
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { messageOf } from '../../lib/errors.ts';
import type { EmbeddedServer } from './postgres-server.ts';

/** Within it, runs wait for their database. */
const PATIENCE_MS = 120_000;
/** A restart counts as successful after this long. */
const STEADY_MS = 60_000;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;

export interface SupervisedServer extends Pick<EmbeddedServer, 'connection' | 'stop'> {
  /** Calls the listener with a message for the operator once the server cannot be brought back. */
  onLost(listener: (words: string) => void): void;
}

/** Since when no restart was successful, and how many there were. */
interface Outage {
  readonly began: number;
  tries: number;
}

/**
 * Restarts the server each time it ends, with growing delays. The server is lost if, for `patienceMs`, no restart kept it
 * up for a minute.
 */
export function keepRunning(
  server: EmbeddedServer,
  log: Logger,
  { patienceMs = PATIENCE_MS } = {},
): SupervisedServer {
  const listeners: ((words: string) => void)[] = [];
  const leaving = new AbortController();
  let outage: Outage | undefined;
  let isUpSince = performance.now();

  async function bringBack(words: string): Promise<void> {
    if (outage === undefined || performance.now() - isUpSince > STEADY_MS)
      outage = { began: performance.now(), tries: 0 };
    const present = outage;
    log.error({ reason: words }, 'the embedded PostgreSQL ended; restarting it');
    for (let reason = words; !leaving.signal.aborted;) {
      if (performance.now() - present.began > patienceMs) {
        for (const listener of listeners) listener(reason);
        return;
      }
      await waitBefore(present.tries, leaving.signal);
      if (leaving.signal.aborted) return;
      present.tries += 1;
      try {
        await server.start();
        isUpSince = performance.now();
        log.info({ tries: present.tries }, 'restarted the embedded PostgreSQL');
        return;
      } catch (error) {
        if (leaving.signal.aborted) return;
        reason = messageOf(error);
        log.warn({ reason }, 'failed to restart the embedded PostgreSQL');
      }
    }
  }

  server.onExit((words) => void bringBack(words));
  return {
    connection: server.connection,
    onLost: (listener) => void listeners.push(listener),
    stop: () => {
      leaving.abort();
      return server.stop();
    },
  };
}

/** Not before the first try. Ends at once if the signal aborts. */
async function waitBefore(tries: number, signal: AbortSignal): Promise<void> {
  if (tries === 0) return;
  const ms = Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS);
  await pause(ms, undefined, { signal }).catch(() => {});
}
