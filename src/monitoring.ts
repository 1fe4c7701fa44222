// What the operator's monitoring reaches: metrics and health checks, on a port of their own, in every process.
import type { Logger } from 'pino';
import type { PauseWatch } from './app/service/pause-watch.ts';
import type { MetricsConfig } from './config/metrics.ts';
import type { Need } from './contracts/need.ts';
import { listenOrExplain } from './front.ts';
import type { OpenStore } from './store/open.ts';

interface Watched {
  readonly store: Pick<OpenStore, 'figures'>;
  readonly pause: PauseWatch;
  readonly needs: readonly Need[];
  readonly log: Logger;
}

/** Resolves with how to close it when it listens. Nothing of it is loaded without the setting. */
export async function openMonitoring(
  config: MetricsConfig | undefined,
  { store, pause, needs, log }: Watched,
): Promise<() => Promise<void>> {
  if (config === undefined) return () => Promise.resolve();
  const { openMetrics } = await import('./telemetry/prometheus.ts');
  const { createMetricsServer } = await import('./web/metrics-server.ts');
  const metrics = openMetrics(() => store.figures());
  const paused = async () => pause.look();
  const server = createMetricsServer({ log, metrics, needs, paused });
  const url = await listenOrExplain(server, config, 'METRICS_HOST and METRICS_PORT');
  log.info({ url: `${url}/metrics` }, 'metrics are served');
  return async () => {
    metrics.close();
    await server.close();
  };
}
