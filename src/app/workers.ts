import type { Queue } from '../store/queue.ts';
import { JournalTracker } from './service/journal-tracker.ts';
import type { Received } from '../session/session.ts';
import { admit } from './admission/admit.ts';
import { advance } from './advance/advance.ts';
import { publish } from './publish/publish.ts';
import { terminationReason } from '../session/texts/run-ends.ts';
import { Termination } from './run/outcome.ts';
import type { Service } from './service/service.ts';
import type { Logger } from 'pino';
import { messageOf } from '../lib/errors.ts';
import type { Store } from '../store/store.ts';
import type { PauseWatch } from './service/pause-watch.ts';

export interface WorkerParts extends Service {
  readonly queue: Queue;
  /** Sessions that run at once in this process. */
  readonly slots: number;
}

/** Slots of their own, so that people are answered while all sessions run. */
const PUBLISHERS = 4;

export interface Workers {
  /** Takes nothing new, interrupts the running sessions, and waits until they are settled. */
  stop(): Promise<void>;
}

/** Works off the wake-ups of both queues until it is stopped. */
export async function startWorkers(parts: WorkerParts): Promise<Workers> {
  const running = new Map<string, AbortController>();
  const stopSweep = startSweep(parts.store, parts.pause, parts.log);
  const stopListening = parts.store.onWake((id) => void abortIfOver(parts, running, id));

  await parts.queue.work('advance', { concurrency: parts.slots }, async (id, signal) => {
    const controller = new AbortController();
    running.set(id, controller);
    try {
      await advance(parts, id, AbortSignal.any([signal, controller.signal]));
    } finally {
      running.delete(id);
    }
  });
  await parts.queue.work('publish', { concurrency: PUBLISHERS }, (id) => publish(parts, id));

  return {
    stop: async () => {
      stopListening();
      for (const controller of running.values()) controller.abort();
      await stopSweep();
      await parts.queue.stop({ timeoutMs: 15_000 });
    },
  };
}

/** Ends a run at once that was stopped, or whose issue or pull request was closed. */
async function abortIfOver(
  { store, log, repository, admissions, allowedBots, operator }: WorkerParts,
  running: ReadonlyMap<string, AbortController>,
  id: string,
): Promise<void> {
  const controller = running.get(id);
  if (controller === undefined) return;
  try {
    const tracker = await JournalTracker.open(store, id);
    const { session } = tracker;
    if (session.requests.awaitingAdmission.some(maySayStop))
      await admit(tracker, repository(tracker.installation, session.thread.repository), {
        admissions,
        allowedBots,
        operator,
      });
    const words = terminationReason(tracker.session);
    if (words !== undefined) controller.abort(new Termination(words));
  } catch (error) {
    log.warn({ err: error, session: id }, 'failed to process wake-up');
  }
}

const maySayStop = ({ intent }: Received): boolean =>
  intent.kind === 'unlabeled' || (intent.kind === 'comment' && intent.addressed === true);

const INTERVAL_MS = 1_000;
/** Every how many sweeps lost wake-ups are looked for. They are rare, and it takes a look at every session. */
const SWEEPS_FOR_LOST = 5;

/** Looks every second for sessions whose time has come, and for a pause. Returns how to stop it. */
function startSweep(
  store: Pick<Store, 'due'>,
  pause: Pick<PauseWatch, 'look'>,
  log: Logger,
): () => Promise<void> {
  let going: Promise<void> | undefined;
  let sweeps = 0;
  const sweep = async (): Promise<void> => {
    try {
      await pause.look();
      const woken = await store.due(new Date(), sweeps % SWEEPS_FOR_LOST === 0 ? 'all' : 'timers');
      sweeps += 1;
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
