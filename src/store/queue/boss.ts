// pg-boss, with the queue of publications.
import { PgBoss, type Queue as QueueSettings } from 'pg-boss';
import type { Logger } from 'pino';
import type { Connection } from '../database/database.ts';
import { socketOptions, type SilenceLimit } from '../database/silence.ts';

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

export async function startBoss(
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
