// Sends traces and metrics to a collector, over OTLP. Loaded only where the operator asks for it.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import {
  diag,
  DiagLogLevel,
  type Counter,
  type Histogram,
  type Meter,
  type ObservableGauge,
} from '@opentelemetry/api';
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
import {
  feed,
  METRICS,
  type Figures,
  type Instruments,
  type Labels,
  type MetricName,
} from './instruments.ts';
import { providerName, traceOperations } from './spans.ts';
import { onMeasured } from '../lib/measurements.ts';

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

/** Agents of their own would pass by the operator's proxy. */
const SENDING = {
  httpAgentOptions: (protocol: string) =>
    protocol === 'http:' ? http.globalAgent : https.globalAgent,
};

/** What is not sent by then is lost: a stop has little time. */
const CLOSING_MS = 3_000;

/** The address of the collector and its headers are read from the environment by the exporters. Returns how to stop. */
export function openTelemetry(
  { traces, metrics, metricIntervalMs }: Settings,
  { version, figures, log }: Surroundings,
): () => Promise<void> {
  tellOfFaults(log);
  const resource = resourceOf(version);
  const closes: (() => Promise<void>)[] = [];
  if (traces) closes.push(sendTraces(resource, version));
  if (metrics) closes.push(sendMetrics({ resource, version, figures, metricIntervalMs }));
  return async () => {
    const closed = Promise.all(closes.map((close) => close()));
    await Promise.race([closed, pause(CLOSING_MS, undefined, { ref: false })]);
    diag.disable();
  };
}

function sendTraces(resource: Resource, version: string): () => Promise<void> {
  const processor = new BatchSpanProcessor({ exporter: new OTLPTraceExporter(SENDING) });
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
  const exporter = new OTLPMetricExporter(SENDING);
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

/** What Prometheus has at the end of a name is the unit here, and added again where it is needed. */
const UNITS: ReadonlyMap<string, string> = new Map([
  ['total', ''],
  ['seconds', 's'],
  ['bytes', 'By'],
]);

function namedAs(name: string): { readonly name: string; readonly unit: string } {
  const [, stem = name, end = ''] = /^(.+)_([a-z]+)$/.exec(name) ?? [];
  const unit = UNITS.get(end);
  return unit === undefined
    ? { name: `issuewright.${name}`, unit: '' }
    : { name: `issuewright.${stem}`, unit };
}

class OtelInstruments implements Instruments {
  readonly #counters = new Map<string, Counter>();
  readonly #histograms = new Map<string, Histogram>();
  readonly #gauges = new Map<string, ObservableGauge>();
  /** Of each gauge, by its labels. */
  readonly #values = new Map<string, Map<string, { labels: Labels; value: number }>>();

  constructor(meter: Meter) {
    for (const [key, definition] of Object.entries(METRICS)) {
      const { name, unit } = namedAs(key);
      const options = { description: definition.help, unit };
      if (definition.type === 'counter')
        this.#counters.set(key, meter.createCounter(name, options));
      else if (definition.type === 'gauge')
        this.#gauges.set(key, meter.createObservableGauge(name, options));
      else
        this.#histograms.set(
          key,
          meter.createHistogram(name, {
            ...options,
            advice: { explicitBucketBoundaries: [...definition.buckets] },
          }),
        );
    }
  }

  count(name: MetricName, labels: Labels = {}, by = 1): void {
    this.#counters.get(name)?.add(by, labels);
  }

  set(name: MetricName, value: number, labels: Labels = {}): void {
    const values = this.#values.get(name) ?? new Map<string, { labels: Labels; value: number }>();
    this.#values.set(name, values.set(JSON.stringify(labels), { labels, value }));
  }

  observe(name: MetricName, seconds: number, labels: Labels = {}): void {
    this.#histograms.get(name)?.record(seconds, labels);
  }

  reset(name: MetricName): void {
    this.#values.delete(name);
  }

  /** `refresh` is awaited before each look at the gauges. */
  observeGauges(meter: Meter, refresh: () => Promise<void>): void {
    meter.addBatchObservableCallback(
      async (result) => {
        await refresh();
        for (const [name, gauge] of this.#gauges)
          for (const { value, labels } of this.#values.get(name)?.values() ?? [])
            if (Number.isFinite(value)) result.observe(gauge, value, labels);
      },
      [...this.#gauges.values()],
    );
  }
}

/** Returns how to stop. */
function countWith(meter: Meter, figures: (() => Promise<Figures>) | undefined): () => void {
  const instruments = new OtelInstruments(meter);
  const fed = feed(instruments, figures);
  instruments.observeGauges(meter, () => fed.refresh());
  const stops = countByConvention(meter);
  return () => {
    fed.stop();
    for (const stop of stops) stop();
  };
}

/** The conventions name these bounds. */
const SECONDS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

function countByConvention(meter: Meter): (() => void)[] {
  const duration = (name: string, description: string) =>
    meter.createHistogram(name, {
      description,
      unit: 's',
      advice: { explicitBucketBoundaries: SECONDS },
    });
  const requests = duration('gen_ai.client.operation.duration', 'GenAI operation duration.');
  const calls = duration('gen_ai.execute_tool.duration', 'Tool execution duration.');
  const usage = meter.createHistogram('gen_ai.client.token.usage', {
    description: 'Number of input and output tokens used.',
    unit: '{token}',
    advice: { explicitBucketBoundaries: TOKENS },
  });
  const failed = (outcome: string) => (outcome === 'ok' ? {} : { 'error.type': outcome });
  return [
    onMeasured('model_request', ({ provider, model, outcome, seconds, tokens }) => {
      const of = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': providerName(provider),
        'gen_ai.request.model': model,
      };
      requests.record(seconds, { ...of, ...failed(outcome) });
      if (tokens === undefined) return;
      usage.record(tokens.input, { ...of, 'gen_ai.token.type': 'input' });
      usage.record(tokens.output, { ...of, 'gen_ai.token.type': 'output' });
    }),
    onMeasured('tool_call', ({ tool, outcome, seconds }) =>
      calls.record(seconds, {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        ...failed(outcome),
      }),
    ),
  ];
}
