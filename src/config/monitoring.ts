// What the operator's monitoring gets: metrics on a port of their own, and what is sent to a collector.
import { z } from 'zod';
import { unlessItFails } from '../lib/errors.ts';
import { check, type ConfigFault, type Variables } from './faults.ts';
import { baseUrl, trimmedText, whole, listenHost } from './values/fields.ts';

/** What is sent to the operator's collector. The exporters read its address and the rest from the environment themselves. */
export interface OpenTelemetryConfig {
  readonly traces: boolean;
  readonly metrics: boolean;
  readonly metricIntervalMs: number;
  /** What is sent with each request, in all its forms. */
  readonly secrets: readonly string[];
}

const exporter = (what: string) =>
  z
    .enum(['otlp', 'none'], 'must be `otlp` or `none`')
    .default('otlp')
    .describe(`\`none\`: no ${what} are sent`);

export const OpenTelemetryVariables = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl.optional().meta({
    unset: 'nothing is sent',
    description:
      'Where an OTLP receiver is, such as `http://localhost:4318`: [traces and metrics](operations.md#opentelemetry) go to `/v1/traces` and `/v1/metrics` there',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: trimmedText.optional().meta({
    unset: 'none',
    description: 'Headers for that receiver, such as `authorization=Bearer%20…`, comma-separated',
  }),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .literal('http/protobuf', 'must be `http/protobuf`: no other is supported')
    .default('http/protobuf')
    .describe('Protocol; only `http/protobuf` is supported'),
  OTEL_TRACES_EXPORTER: exporter('traces'),
  OTEL_METRICS_EXPORTER: exporter('metrics'),
  OTEL_METRIC_EXPORT_INTERVAL: whole(1_000, 3_600_000)
    .default(60_000)
    .describe('Milliseconds between exports of metrics'),
  OTEL_SERVICE_NAME: trimmedText
    .default('issuewright')
    .describe('The `service.name` of traces and metrics'),
  OTEL_RESOURCE_ATTRIBUTES: trimmedText.optional().meta({
    unset: 'none',
    description:
      'More resource attributes, such as `deployment.environment.name=production`, comma-separated',
  }),
});

/** `false`: nothing is sent. `undefined`: it has faults. */
export function readOpenTelemetry(
  variables: Variables,
  faults: ConfigFault[],
): OpenTelemetryConfig | false | undefined {
  const read = check(OpenTelemetryVariables, variables, faults);
  if (read === undefined) return undefined;
  const traces = read.OTEL_TRACES_EXPORTER === 'otlp';
  const metrics = read.OTEL_METRICS_EXPORTER === 'otlp';
  if (read.OTEL_EXPORTER_OTLP_ENDPOINT === undefined || !(traces || metrics)) return false;
  return {
    traces,
    metrics,
    metricIntervalMs: read.OTEL_METRIC_EXPORT_INTERVAL,
    secrets: HEADERS.flatMap((name) => secretsIn(variables[name] ?? '')),
  };
}

/** The exporters read all of them. */
const HEADERS = ['', '_TRACES', '_METRICS'].map((of) => `OTEL_EXPORTER_OTLP${of}_HEADERS`);

/** Shorter values are words like `true`, and hiding them would garble texts. */
const SHORTEST_SECRET = 8;

/** The values of headers, as written and as sent, and without the name of the scheme. */
function secretsIn(headers: string): string[] {
  const values = headers.split(',').map((header) => header.slice(header.indexOf('=') + 1).trim());
  return values
    .flatMap((written) => {
      const sent = unlessItFails(() => decodeURIComponent(written)) ?? written;
      return [written, sent, sent.split(' ').at(-1) ?? ''];
    })
    .filter((value) => value.length >= SHORTEST_SECRET);
}

/** Where the operator's monitoring reads metrics. */
export interface MetricsConfig {
  readonly host: string;
  readonly port: number;
}

export const MetricsVariables = z.object({
  METRICS_PORT: whole(0, 65_535).optional().meta({
    unset: 'no metrics',
    description:
      'Port for [metrics](operations.md#metrics), `/healthz` and `/readyz`, in every process. Keep it from strangers',
  }),
  METRICS_HOST: listenHost.default('127.0.0.1').describe('Address to listen on for metrics'),
});

/** `false`: there are none. `undefined`: it has faults. */
export function readMetrics(
  variables: Variables,
  faults: ConfigFault[],
): MetricsConfig | false | undefined {
  const read = check(MetricsVariables, variables, faults);
  if (read === undefined) return undefined;
  const { METRICS_PORT: port, METRICS_HOST: host } = read;
  if (port === undefined) return false;
  const { PORT = '3000', PAGES_PORT = '3001' } = variables;
  if (port !== 0 && [PORT, PAGES_PORT].map(Number).includes(port))
    faults.push({ name: 'METRICS_PORT', fault: 'must be another port than PORT and PAGES_PORT' });
  return { host, port };
}
