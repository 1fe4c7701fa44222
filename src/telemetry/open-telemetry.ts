// Sends traces and metrics to a collector, over OTLP. Loaded only where the operator asks for it.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  type Resource,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { Figures } from './instruments.ts';
import { countWith } from './otel-instruments.ts';
import { traceOperations } from './spans.ts';

interface Settings {
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly metricIntervalMs: number;
}

interface Surroundings {
  readonly version: string;
  /** `undefined`: this process has no database with others. */
  readonly figures: (() => Promise<Figures>) | undefined;
  readonly log: Logger;
}

/** What is not sent by then is lost: a stop has little time. */
const CLOSING_MS = 3_000;

/** The address of the collector and its headers are read from the environment by the exporters. Returns how to stop. */
export function openTelemetry(
  { traces, metrics, metricIntervalMs }: Settings,
  { version, figures, log }: Surroundings,
): () => Promise<void> {
  tellOfFaults(log);
  const resource = resourceOf(version);
  const closes = [
    ...(traces ? [sendTraces(resource, version)] : []),
    ...(metrics ? [sendMetrics({ resource, version, figures, metricIntervalMs })] : []),
  ];
  return async () => {
    const closed = Promise.all(closes.map((close) => close()));
    await Promise.race([closed, pause(CLOSING_MS, undefined, { ref: false })]);
    diag.disable();
  };
}

function sendTraces(resource: Resource, version: string): () => Promise<void> {
  const processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter() });
  const provider = new TracerProvider({ resource, spanProcessors: [processor] });
  const stop = traceOperations(provider.getTracer('issuewright', version));
  return async () => {
    stop();
    await provider.shutdown();
  };
}

function sendMetrics({
  resource,
  version,
  figures,
  metricIntervalMs: exportIntervalMillis,
}: Pick<Settings, 'metricIntervalMs'> &
  Pick<Surroundings, 'version' | 'figures'> & {
    readonly resource: Resource;
  }): () => Promise<void> {
  const exporter = new OTLPMetricExporter();
  const exportTimeoutMillis = Math.min(exportIntervalMillis, 30_000);
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis,
    exportTimeoutMillis,
  });
  const provider = new MeterProvider({ resource, readers: [reader] });
  const stop = countWith(provider.getMeter('issuewright', version), figures);
  return async () => {
    await provider.shutdown();
    stop();
  };
}

/** What the operator says of the service in the environment counts. */
const resourceOf = (version: string): Resource =>
  defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'issuewright',
        'service.version': version,
        'service.instance.id': randomUUID(),
      }),
    )
    .merge(detectResources({ detectors: [envDetector] }));

const QUIET_MS = 60_000;

/** The libraries report what they could not send there, for each try. One line a minute is enough. */
function tellOfFaults(log: Logger): void {
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (reason: string): void => {
    const now = performance.now();
    if (now - toldAt < QUIET_MS) return;
    toldAt = now;
    log.warn({ reason }, 'sending traces and metrics failed');
  };
  const ignore = (): void => {};
  diag.setLogger(
    { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
