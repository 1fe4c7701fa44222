import { fromKysely, PgBoss, type Queue as QueueSettings } from 'pg-boss';
import type { Logger } from 'pino';
import type { Connection, DatabaseTransaction } from './database.ts';

export type QueueName = 'advance' | 'publish';
/** `signal` aborts when the service stops, or when the job was taken away and runs elsewhere. */
type WakeHandler = (session: string, signal: AbortSignal) => Promise<void>;

/**
 * Wake-ups, each for one session, that carry no content. In each queue at most one handler runs
 * for a session at a time. A wake-up that arrives while one waits is merged into it; one that
 * arrives while a handler runs leads to one more run. A handler that throws is run again, ever later.
 */
export interface Queue {
  /** Part of `transaction`: nobody is woken before it commits, and nobody if it does not. */
  wake(queue: QueueName, session: string, transaction: DatabaseTransaction): Promise<void>;
  work(queue: QueueName, options: { concurrency: number }, handler: WakeHandler): Promise<void>;
  /** Takes no more work, aborts the running handlers and waits for them for that long (1 s or more). */
  stop(options: { timeoutMs: number }): Promise<void>;
}

const DAY_SECONDS = 24 * 60 * 60;
const POLL_SECONDS = 1;

/**
 * `key_strict_fifo` keeps a second job of a session from being fetched while one is active.
 * With `singleton` the fetch picks it and fails on a unique index, and everybody behind it waits.
 * As a failed job would block its session for good, there is no last retry.
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
const QUEUES: readonly QueueName[] = ['advance', 'publish'];

/** The queue with what only its opener needs. */
export interface OpenQueue extends Queue {
  /** Runs the active jobs again at once. Only for who knows that no other worker is alive. */
  restartActive(): Promise<void>;
  /** Hears of notifications on `channel`, on a connection of its own that is restored when lost. */
  listen(
    channel: string,
    onNotification: (payload: string) => void,
    onConnected: () => void,
  ): Promise<{ close(): Promise<void> }>;
}

export async function openQueue(connection: Connection, log: Logger): Promise<OpenQueue> {
  const boss = new PgBoss({
    ...connection,
    application_name: 'issuewright-queue',
    max: 4,
    useListenNotify: true,
    schedule: false,
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 2,
    maintenanceIntervalSeconds: 60,
  });
  boss.on('error', (error) => log.warn({ err: error }, 'queue error'));
  boss.on('warning', (warning) => log.warn({ warning }, 'queue warning'));
  await boss.start();
  for (const name of QUEUES) await ensureQueue(boss, name);
  const stopping = new AbortController();
  return {
    wake: (queue, session, transaction) => wake(boss, queue, session, transaction),
    work: (queue, { concurrency }, handler) =>
      work(boss, queue, concurrency, loggingFailures(handler, queue, log), stopping.signal),
    async stop({ timeoutMs }) {
      stopping.abort(new Error('the service is stopping'));
      await boss.stop({ graceful: true, timeout: timeoutMs });
    },
    restartActive: () => restartActive(boss),
    async listen(channel, onNotification, onConnected) {
      const subscription = boss.getDb().listen?.(channel, onNotification, onConnected);
      if (subscription === undefined) throw new Error('This database connection cannot LISTEN.');
      return subscription;
    },
  };
}

/** Settings of an existing queue are brought up to date; its policy cannot be. */
async function ensureQueue(boss: PgBoss, name: QueueName): Promise<void> {
  const { policy: _policy, ...changeable } = SETTINGS;
  await boss.createQueue(name, SETTINGS);
  await boss.updateQueue(name, changeable);
}

/**
 * The update of `upsert` locks the waiting job until the transaction ends, and fetching skips
 * locked jobs: no handler can take it and read the journal before the transaction has committed.
 * A wake-up of `advance` also ends the pause after a failure; `publish` sits its pause out, as a
 * run wakes it many times a second.
 */
async function wake(
  boss: PgBoss,
  queue: QueueName,
  session: string,
  transaction: DatabaseTransaction,
): Promise<void> {
  await boss.upsert(
    queue,
    { session },
    {
      singletonKey: session,
      match: 'all',
      db: fromKysely(transaction),
      ...(queue === 'advance' ? { startAfter: 0 } : {}),
    },
  );
}

/**
 * One worker for each slot. A worker would sleep after a short job although more wait: telling it
 * of news while the job runs makes it look again as soon as that has ended.
 */
async function work(
  boss: PgBoss,
  queue: QueueName,
  concurrency: number,
  handler: WakeHandler,
  stopping: AbortSignal,
): Promise<void> {
  const options = {
    pollingIntervalSeconds: POLL_SECONDS,
    notifyPollingIntervalSeconds: POLL_SECONDS,
  };
  for (let slot = 0; slot < concurrency; slot += 1) {
    const worker: string = await boss.work<{ session: string }>(queue, options, async ([job]) => {
      boss.notifyWorker(worker);
      if (job !== undefined)
        await handler(job.data.session, AbortSignal.any([job.signal, stopping]));
    });
  }
}

const loggingFailures =
  (handler: WakeHandler, queue: QueueName, log: Logger): WakeHandler =>
  async (session, signal) => {
    try {
      await handler(session, signal);
    } catch (error) {
      log.error({ err: error, session, queue }, 'job failed and will be retried');
      throw error;
    }
  };

async function restartActive(boss: PgBoss): Promise<void> {
  for (const name of QUEUES) {
    const active = (await boss.findJobs(name)).filter((job) => job.state === 'active');
    for (const { id } of active) {
      await boss.fail(name, id, { message: 'the service ended during this job' });
      await boss.update(name, undefined, { id, startAfter: 0 });
    }
  }
}
