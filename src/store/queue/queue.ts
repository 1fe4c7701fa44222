import { fromKysely, PgBoss, type Job, type Queue as QueueSettings } from 'pg-boss';
import type { Logger } from 'pino';
import { messageOf } from '../../lib/errors.ts';
import type { Connection, DatabaseTransaction, Execute } from '../database/database.ts';
import { socketOptions, type SilenceLimit } from '../database/silence.ts';
import { whileAway } from '../patient-store.ts';
import { HELD, waitingLine, type WaitingLine } from '../session-queue/queue-statements.ts';
import { SessionQueue, type HandlerEnd, type SlotLimits } from '../session-queue/session-queue.ts';

export type QueueName = 'advance' | 'publish';
/** `signal` aborts when the service stops, or when another process has taken the session. */
type WakeHandler = (session: string, signal: AbortSignal) => Promise<HandlerEnd>;

interface WakeUp {
  readonly session: string;
}

/**
 * Queues of wake-ups. A wake-up only names a session. In each queue, at most one handler runs for a session
 * at a time. A wake-up is merged into one that is already queued; one that arrives while a handler runs
 * causes another run. A handler that throws is retried with growing delays. `advance` has slots, in which accounts
 * and repositories take turns (`SessionQueue`); `publish` is first come, first served, and its handlers resolve with nothing.
 */
export interface Queue {
  /** Part of `transaction`: the wake-up takes effect when it commits. */
  wake(queue: QueueName, session: string, transaction: DatabaseTransaction): Promise<void>;
  /** `concurrency`: slots of `advance`, or workers of `publish`, each of which runs a few sessions at once. */
  work(
    queue: QueueName,
    slots: { readonly concurrency: number },
    handler: WakeHandler,
  ): Promise<void>;
  /** Rejects if the tables of one of the queues do not answer. */
  ready(): Promise<void>;
  /** Takes nothing more from `advance`, and waits for what runs. Resolves with whether it ended in time. */
  drain(options: { timeoutMs: number }): Promise<boolean>;
  /** Starts no more jobs, aborts the running handlers, and waits for them up to `timeoutMs` (at least 1 s). */
  stop(options: { timeoutMs: number }): Promise<void>;
}

const POLL_SECONDS = 1;

/** The queue, with methods that only `openStore` needs. */
export interface OpenQueue extends Queue, WaitingLine {
  /** Restarts all active jobs. Call it only if no other worker can be alive. */
  restartActive(): Promise<void>;
  /** Looks for sessions to advance now, because some were woken. */
  look(): void;
  /** Listens for notifications on `channel`. Its own connection is restored when it is lost. */
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    onConnected: () => void,
  ): Promise<{ close(): Promise<void> }>;
}

interface QueueOptions {
  readonly connection: Connection;
  readonly silence?: SilenceLimit;
  readonly execute: Execute;
  readonly limits?: SlotLimits | undefined;
  /** How long the database may be away when work begins; not at all by default. */
  readonly patienceMs?: number;
  /** Ends that wait. */
  readonly signal?: AbortSignal | undefined;
  readonly log: Logger;
}

export async function openQueue(options: QueueOptions): Promise<OpenQueue> {
  const { connection, silence, execute, patienceMs = 0, signal, log } = options;
  const sessions = new SessionQueue({ ...options, limits: options.limits ?? {} });
  const boss = await startBoss(connection, silence, log);
  const stopping = new AbortController();
  return {
    wake: (queue, session, transaction) =>
      queue === 'advance'
        ? sessions.wake(session, transaction)
        : wakePublish(boss, session, transaction),
    work: async (queue, { concurrency }, handler) => {
      if (queue === 'advance')
        await whileAway({ patienceMs, signal, wasThere: true, log }, 'work', () =>
          sessions.work(concurrency, handler),
        );
      else {
        const until = (signal: AbortSignal): AbortSignal =>
          AbortSignal.any([signal, stopping.signal]);
        await workPublish(boss, concurrency, (id, signal) => handler(id, until(signal)), log);
      }
    },
    ready: async () => {
      if ((await boss.getQueue(PUBLISH)) === null)
        throw new Error(`the queue ${PUBLISH} is missing`);
      await execute(HELD, ['']);
    },
    drain: ({ timeoutMs }) => sessions.drain(timeoutMs),
    async stop({ timeoutMs }) {
      stopping.abort(new Error('the service is stopping'));
      const stopBoss = boss.stop({ graceful: true, timeout: timeoutMs });
      await Promise.all([sessions.stop(timeoutMs), stopBoss]);
    },
    async restartActive() {
      await sessions.freeAll();
      await restartActive(boss);
    },
    look: () => sessions.look(),
    ...waitingLine(execute),
    async listen(channel, onNotification, onConnected) {
      const subscription = boss.getDb().listen?.(channel, onNotification, onConnected);
      if (subscription === undefined) throw new Error('This database connection cannot LISTEN.');
      return subscription;
    },
  };
}

/**
 * `upsert` locks the queued job until the transaction ends, and fetching skips locked jobs. So no handler
 * can start and read the journal before the transaction has committed.
 * A wake-up does not end the delay after a failure, because a run wakes `publish` many times a second.
 */
async function wakePublish(
  boss: PgBoss,
  session: string,
  transaction: DatabaseTransaction,
): Promise<void> {
  const options = { singletonKey: session, match: 'all', db: fromKysely(transaction) } as const;
  await boss.upsert(PUBLISH, { session }, options);
}

/** Jobs that a worker takes at once. They mostly wait for GitHub. */
const BATCH = 10;

/**
 * After a short job, a worker would sleep even if more jobs are queued. Notifying it while the job runs makes it fetch again
 * immediately. Each job of a batch is settled when it ends, so that its session does not wait for the others.
 */
async function workPublish(
  boss: PgBoss,
  concurrency: number,
  handler: WakeHandler,
  log: Logger,
): Promise<void> {
  const handle = async (job: Job<WakeUp>): Promise<void> => {
    const { session } = job.data;
    try {
      await handler(session, job.signal);
    } catch (error) {
      log.error({ err: error, session, queue: PUBLISH }, 'job failed and will be retried');
      await boss.fail(PUBLISH, job, { message: messageOf(error) });
      return;
    }
    await boss.complete(PUBLISH, job);
  };
  const options = {
    batchSize: BATCH,
    pollingIntervalSeconds: POLL_SECONDS,
    notifyPollingIntervalSeconds: POLL_SECONDS,
  };
  for (let slot = 0; slot < concurrency; slot += 1) {
    const worker: string = await boss.work<WakeUp>(PUBLISH, options, async (jobs) => {
      boss.notifyWorker(worker);
      const ends = await Promise.allSettled(jobs.map(handle));
      // What could not be settled is retried.
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    });
  }
}

async function restartActive(boss: PgBoss): Promise<void> {
  const active = (await boss.findJobs(PUBLISH)).filter((job) => job.state === 'active');
  for (const { id } of active) {
    await boss.fail(PUBLISH, id, { message: 'the service ended during this job' });
    await boss.update(PUBLISH, undefined, { id, startAfter: 0 });
  }
}

// pg-boss, with the queue of publications.

export const PUBLISH = 'publish';

const DAY_SECONDS = 24 * 60 * 60;
/**
 * `key_strict_fifo`: a second job of a session is not fetched while one is active. With `singleton`, the
 * fetch would pick it, fail on a unique index and block the jobs behind it. Retries are unlimited, because
 * a job that failed for good would block its session.
 */
const SETTINGS: Omit<QueueSettings, 'name'> = {
  policy: 'key_strict_fifo',
  notify: true,
  retryLimit: 2 ** 31 - 1,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 30,
  heartbeatSeconds: 10,
  expireInSeconds: DAY_SECONDS,
  retentionSeconds: 365 * DAY_SECONDS,
  deleteAfterSeconds: 60,
};

async function startBoss(
  connection: Connection,
  silence: SilenceLimit | undefined,
  log: Logger,
): Promise<PgBoss> {
  const boss = new PgBoss({
    ...connection,
    ...socketOptions(silence),
    application_name: 'issuewright-queue',
    max: 4,
    useListenNotify: true,
    schedule: false,
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 2,
    maintenanceIntervalSeconds: 60,
  });
  const warn = oncePerOutage((error) => log.warn({ err: error }, 'pg-boss reported an error'));
  boss.on('error', warn);
  boss.on('warning', (warning) => log.warn({ warning }, 'pg-boss reported a warning'));
  await boss.start();
  await ensureQueue(boss);
  return boss;
}

const OUTAGE_MS = 30_000;

/** While the database is away, each of many polls reports the same. */
function oncePerOutage(report: (error: Error) => void): (error: Error) => void {
  const reported = new Map<string, number>();
  return (error) => {
    const last = reported.get(error.message) ?? -Infinity;
    if (performance.now() - last < OUTAGE_MS) return;
    for (const [message, at] of reported)
      if (performance.now() - at > OUTAGE_MS) reported.delete(message);
    reported.set(error.message, performance.now());
    report(error);
  };
}

/** Updates the settings of an existing queue, except the policy, which cannot change. */
async function ensureQueue(boss: PgBoss): Promise<void> {
  const { policy: _policy, ...changeable } = SETTINGS;
  await boss.createQueue(PUBLISH, SETTINGS);
  await boss.updateQueue(PUBLISH, changeable);
}
