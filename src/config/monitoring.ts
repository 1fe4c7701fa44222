import { z } from 'zod';
import { unlessItFails } from '../lib/errors.ts';
import { check, type ConfigFault, type Variables } from './faults.ts';
import { baseUrl, trimmedText, whole } from './values/fields.ts';

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
