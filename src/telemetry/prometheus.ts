// The metrics of this process in Prometheus's text format. Loaded only where the operator asks for them.
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  feed,
  METRIC_PREFIX,
  METRICS,
  type Figures,
  type Instruments,
  type Labels,
  type MetricName,
} from './instruments.ts';

export interface Metrics {
  readonly contentType: string;
  /** All of them, now. */
  text(): Promise<string>;
  close(): void;
}

class PrometheusInstruments implements Instruments {
  readonly registry = new Registry();
  readonly #counters = new Map<string, Counter>();
  readonly #gauges = new Map<string, Gauge>();
  readonly #histograms = new Map<string, Histogram>();

  constructor() {
    for (const [name, definition] of Object.entries(METRICS)) {
      const labels = 'labels' in definition ? Object.keys(definition.labels) : [];
      const common = {
        name: METRIC_PREFIX + name,
        help: definition.help,
        labelNames: labels,
        registers: [this.registry],
      };
      if (definition.type === 'counter') this.#counters.set(name, new Counter(common));
      else if (definition.type === 'gauge') this.#gauges.set(name, new Gauge(common));
      else
        this.#histograms.set(name, new Histogram({ ...common, buckets: [...definition.buckets] }));
    }
  }

  count(name: MetricName, labels: Labels = {}, by = 1): void {
    this.#counters.get(name)?.inc(labels, by);
  }

  set(name: MetricName, value: number, labels: Labels = {}): void {
    this.#gauges.get(name)?.set(labels, value);
  }

  observe(name: MetricName, seconds: number, labels: Labels = {}): void {
    this.#histograms.get(name)?.observe(labels, seconds);
  }

  reset(name: MetricName): void {
    this.#gauges.get(name)?.reset();
  }
}

/** `figures` is asked at each `text()`. */
export function openPrometheus(figures: () => Promise<Figures>): Metrics {
  const instruments = new PrometheusInstruments();
  const { registry } = instruments;
  collectDefaultMetrics({ register: registry });
  const fed = feed(instruments, figures);
  return {
    contentType: registry.contentType,
    text: async () => {
      await fed.refresh();
      return registry.metrics();
    },
    close: () => {
      fed.stop();
      registry.clear();
    },
  };
}
