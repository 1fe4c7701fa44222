import type { Logger } from 'pino';
import type { OpenTelemetryConfig } from '../config/monitoring.ts';
import type { OpenStore } from '../store/open.ts';
import { packageVersion } from './command.ts';

interface Surroundings {
  readonly log: Logger;
  /** Of a service. */
  readonly store?: Pick<OpenStore, 'figures'>;
}

/**
 * Begins to send traces and metrics to the operator's collector. Resolves with how to stop it. Nothing of it is loaded without
 * the setting.
 */
export async function sendTelemetry(
  config: OpenTelemetryConfig | undefined,
  { log, store }: Surroundings,
): Promise<() => Promise<void>> {
  if (config === undefined) return () => Promise.resolve();
  const { openTelemetry } = await import('../telemetry/open-telemetry.ts');
  const { traces, metrics } = config;
  log.info({ traces, metrics }, 'sending to an OpenTelemetry collector');
  const figures = store && (() => store.figures());
  return openTelemetry(config, { version: packageVersion(), figures, log });
}
