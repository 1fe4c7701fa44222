import { describe, expect, it } from '@jest/globals';
import { readConfig, secretsOf } from '../../src/config.ts';
import { faultsOf, GOOD } from './good.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };

describe('the OpenTelemetry settings', () => {
  it.each([
    ['no collector is named', {}],
    [
      'both are turned off',
      { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' },
    ],
  ])('send nothing if %s', (_when, variables) => {
    expect(readConfig({ ...GOOD, ...variables }).openTelemetry).toBeUndefined();
  });

  it('send traces and metrics to a collector, unless one of them is turned off', () => {
    const both = { traces: true, metrics: true, metricIntervalMs: 60_000, secrets: [] };
    expect(readConfig({ ...GOOD, ...ENDPOINT }).openTelemetry).toEqual(both);
    const some = { OTEL_METRICS_EXPORTER: 'none', OTEL_METRIC_EXPORT_INTERVAL: '5000' };
    expect(readConfig({ ...GOOD, ...ENDPOINT, ...some }).openTelemetry).toEqual({
      ...both,
      metrics: false,
      metricIntervalMs: 5_000,
    });
  });

  it('hold secrets in headers, also in those that only the exporters read', () => {
    const config = readConfig({
      ...GOOD,
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20Zebra-4711,x-on=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-api-key=ak_0123456789',
    });
    expect(secretsOf(config)).toEqual(
      expect.arrayContaining([
        'Bearer%20Zebra-4711',
        'Bearer Zebra-4711',
        'Zebra-4711',
        'ak_0123456789',
      ]),
    );
    expect(secretsOf(config)).not.toContain('1');
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318', /^must be/],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://ada:pw@localhost', /remove user name/],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', /must be `http\/protobuf`/],
    ['OTEL_TRACES_EXPORTER', 'zipkin', /must be `otlp` or `none`/],
    ['OTEL_METRIC_EXPORT_INTERVAL', '1', /from 1000 to/],
  ])('are not %s=%s', (name, value, fault) => {
    const faults = faultsOf({ ...GOOD, ...ENDPOINT, [name]: value });
    expect([...faults.keys()]).toEqual([name]);
    expect(faults.get(name)).toMatch(fault);
  });
});
