import { sharedNow, sharedTime } from '../lib/clock.ts';
import type { Queue } from '../store/queue/queue.ts';
import { KeptJournals } from './service/journal-tracker.ts';
import { abortIfOver, advance } from './advance/advance.ts';
import { publish } from './publish/publish.ts';
import type { PauseWatch, Service } from './service/service.ts';
import type { Logger } from 'pino';
import { messageOf } from '../lib/errors.ts';
import { within } from '../lib/measurements.ts';
import { NoSuchSession, type Store } from '../store/store.ts';

type Sessions = Service & {
  /** Sessions that run at once in this process. */
  readonly slots: number;
};

/** What a process works off. */
interface Lanes {
  readonly sessions: Sessions | undefined;
  readonly publications: Parameters<typeof publish>[0] | undefined;
}

type WorkerDeps = Pick<Service, 'store' | 'pause' | 'log'> & { readonly queue: Queue };

/** Workers of their own, so that people are answered while all sessions run. */
const PUBLISHERS = { concurrency: 4 };
/** What an aborted run or a publication takes to settle. */
const SETTLE_MS = 4_000;

export interface Workers {
  /**
   * Takes nothing new. Waits `graceMs` for the running sessions to finish their step, then interrupts them, and
   * resolves when they are settled.
   */
  stop(options: { readonly graceMs: number }): Promise<void>;
}

/** Works off the wake-ups of the queues until it is stopped. */
export async function startWorkers(
  { store, pause, queue, log }: WorkerDeps,
  { sessions, publications }: Lanes,
): Promise<Workers> {
  const stopSweep = startSweep(store, pause, log);
  const journals = new KeptJournals(store);
  const stopSessions = sessions && (await startSessions(sessions, queue, journals));
  if (publications !== undefined)
    await queue.work('publish', PUBLISHERS, (id, signal) =>
      unlessDeleted(log, id, () => publish(publications, id, journals, signal)),
    );
  return {
    stop: async ({ graceMs }) => {
      await stopSessions?.(graceMs);
      await stopSweep();
      await queue.stop({ timeoutMs: SETTLE_MS });
    },
  };
}

/** Resolves with how to stop them; those that are interrupted are settled by `Queue.stop`. */
async function startSessions(
  parts: Sessions,
  queue: Queue,
  journals: KeptJournals,
): Promise<(graceMs: number) => Promise<void>> {
  const running = new Map<string, AbortController>();
  const stopListening = parts.store.onWake((id) => void abortIfOver(parts, journals, running, id));
  await queue.work('advance', { concurrency: parts.slots }, async (id, signal) => {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      const either = AbortSignal.any([signal, controller.signal]);
      return await unlessDeleted(parts.log, id, () => advance(parts, id, either));
    } finally {
      running.delete(id);
    }
  });
  return async (graceMs) => {
    await queue.drain({ timeoutMs: graceMs });
    stopListening();
    for (const controller of running.values()) controller.abort();
  };
}

/** Does what a wake-up asks for. The session may be deleted while that waits. */
async function unlessDeleted<T>(
  log: Logger,
  session: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await within({ kind: 'job' }, work);
  } catch (error) {
    if (!(error instanceof NoSuchSession)) throw error;
    log.info({ session }, 'session was deleted');
    return undefined;
  }
}

const INTERVAL_MS = 1_000;
const LOOK_FOR_LOST_EVERY = 5;

/**
 * Looks every second for sessions whose time has come, and for a pause, and every five seconds for lost wake-ups. Returns how to
 * stop it.
 */
function startSweep(store: Store, pause: PauseWatch, log: Logger): () => Promise<void> {
  let going: Promise<void> | undefined;
  let sweeps = 0;
  const sweep = async (): Promise<void> => {
    try {
      await pause.look();
      const which = sweeps % LOOK_FOR_LOST_EVERY === 0 ? 'all' : 'timers';
      sweeps += 1;
      const woken = await store.due(sharedTime(), which);
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

const DAY_MS = 24 * 60 * 60_000;
const DELETION_MS = 60 * 60_000;
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
  const timer = setInterval(sweep, DELETION_MS);
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
