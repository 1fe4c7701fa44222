// What the operator's monitoring gets of every process: metrics and health checks on a port of their own, what is sent to a
// collector, and news of problems.
import type { Logger } from 'pino';
import type { PauseWatch } from './app/service/service.ts';
import { ProblemWatch } from './app/service/problem-watch.ts';
import { sendTelemetry } from './commands/send-telemetry.ts';
import type { Config } from './config.ts';
import type { ServiceNeed } from './contracts/service.ts';
import { listenOrExplain } from './front.ts';
import type { TextRedactor } from './lib/text/redact.ts';
import type { OpenStore } from './store/open.ts';
import type { Notify } from './telemetry/notify.ts';

interface MonitoredService {
  readonly store: Pick<OpenStore, 'figures' | 'problems' | 'budgetsUsedUp'>;
  readonly pause: PauseWatch;
  readonly needs: readonly ServiceNeed[];
  readonly redactor: TextRedactor;
  readonly log: Logger;
}

type Settings = Pick<Config, 'metrics' | 'openTelemetry' | 'notifyUrl' | 'agent' | 'models'>;

/** Resolves with how to close it. Nothing of it is loaded without its setting. */
export async function openMonitoring(
  { metrics, openTelemetry, notifyUrl, agent, models }: Settings,
  watched: MonitoredService,
): Promise<() => Promise<void>> {
  const closeTelemetry = await sendTelemetry(openTelemetry, watched);
  const closeMetrics = await serveMetrics(metrics, watched);
  const { store, redactor, log } = watched;
  const notify = await notifierOf(notifyUrl, redactor);
  const problems = new ProblemWatch({
    store,
    budgets: agent.limits.dollars,
    services: ['GitHub', ...models.settings.keys()],
    notify,
    log,
  });
  problems.start();
  return async () => {
    await problems.stop();
    await closeMetrics();
    await closeTelemetry();
  };
}

async function notifierOf(
  url: string | undefined,
  redactor: MonitoredService['redactor'],
): Promise<Notify | undefined> {
  if (url === undefined) return undefined;
  const { notifyAt } = await import('./telemetry/notify.ts');
  return notifyAt(url, redactor.redact);
}

async function serveMetrics(
  config: Config['metrics'],
  { store, pause, needs, log }: MonitoredService,
): Promise<() => Promise<void>> {
  if (config === undefined) return () => Promise.resolve();
  const { openPrometheus } = await import('./telemetry/prometheus.ts');
  const { createMetricsServer } = await import('./web/webhook-server.ts');
  const metrics = openPrometheus(() => store.figures());
  const paused = async () => pause.look();
  const server = createMetricsServer({ log, metrics, needs, paused });
  const url = await listenOrExplain(server, config, 'METRICS_HOST and METRICS_PORT');
  log.info({ url: `${url}/metrics` }, 'metrics are served');
  return async () => {
    metrics.close();
    await server.close();
  };
}
