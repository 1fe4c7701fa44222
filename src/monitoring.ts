// What the operator's monitoring gets of every process: metrics and health checks on a port of their own, and what is sent to a
// collector.
import type { Logger } from 'pino';
import type { PauseWatch } from './app/service/pause-watch.ts';
import { sendTelemetry } from './commands/send-telemetry.ts';
import type { Config } from './config.ts';
import type { Need } from './contracts/need.ts';
import { listenOrExplain } from './front.ts';
import type { OpenStore } from './store/open.ts';

interface Watched {
  readonly store: Pick<OpenStore, 'figures'>;
  readonly pause: PauseWatch;
  readonly needs: readonly Need[];
  readonly log: Logger;
}

type Settings = Pick<Config, 'metrics' | 'openTelemetry'>;

/** Resolves with how to close it. Nothing of it is loaded without its setting. */
export async function openMonitoring(
  { metrics, openTelemetry }: Settings,
  watched: Watched,
): Promise<() => Promise<void>> {
  const closeTelemetry = await sendTelemetry(openTelemetry, watched);
  const closeMetrics = await serveMetrics(metrics, watched);
  return async () => {
    await closeMetrics();
    await closeTelemetry();
  };
}

async function serveMetrics(
  config: Config['metrics'],
  { store, pause, needs, log }: Watched,
): Promise<() => Promise<void>> {
  if (config === undefined) return () => Promise.resolve();
  const { openPrometheus } = await import('./telemetry/prometheus.ts');
  const { createMetricsServer } = await import('./web/metrics-server.ts');
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
