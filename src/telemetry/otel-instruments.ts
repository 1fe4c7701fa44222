// Our metrics and those of the conventions for generative AI, as OpenTelemetry counts them.
import type { Counter, Histogram, Meter, ObservableGauge } from '@opentelemetry/api';
import { onMeasured } from '../lib/measurements.ts';
import { feed, type Figures, type Instruments, type Labels } from './instruments.ts';
import { METRICS, type MetricName } from './metric-definitions.ts';
import { providerName } from './provider-name.ts';

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
export function countWith(meter: Meter, figures: (() => Promise<Figures>) | undefined): () => void {
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
