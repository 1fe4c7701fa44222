// What measurements and figures become, whichever system counts them.
import { onMeasured, type Measurements } from '../lib/measurements.ts';
import type { MetricName } from './metric-definitions.ts';

/** What is the same for all processes, read from the database. */
export interface Figures {
  readonly jobs: readonly {
    readonly queue: string;
    readonly waiting: number;
    readonly running: number;
    readonly oldestSeconds: number;
  }[];
  readonly sessions: Readonly<Record<string, number>>;
  readonly results: Readonly<Record<string, number>>;
}

export type Labels = Readonly<Record<string, string>>;

/** The metrics of a process. A name decides what may be called with it: its type is in its definition. */
export interface Instruments {
  count(name: MetricName, labels?: Labels, by?: number): void;
  set(name: MetricName, value: number, labels?: Labels): void;
  observe(name: MetricName, seconds: number, labels?: Labels): void;
  /** A gauge without values; one that has labels is then left out. */
  reset(name: MetricName): void;
}

export interface Fed {
  /** Sets what is only looked at when someone asks. */
  refresh(): Promise<void>;
  stop(): void;
}

/** Counts what this process measures, until it is stopped. */
export function feed(instruments: Instruments, figures: (() => Promise<Figures>) | undefined): Fed {
  const limits = new LowestLimit();
  const stops = [...listen(instruments), onMeasured('github_limit', (limit) => limits.hear(limit))];
  return {
    refresh: async () => {
      if (figures !== undefined) await takeFigures(instruments, figures);
      instruments.set('github_requests_left', limits.lowest(Date.now()) ?? Number.NaN);
    },
    stop: () => {
      for (const stop of stops) stop();
    },
  };
}

const OF_ALL = ['jobs', 'oldest_job_seconds', 'sessions', 'results'] as const;

async function takeFigures(
  instruments: Instruments,
  figures: () => Promise<Figures>,
): Promise<void> {
  const read = await figures().catch(() => undefined);
  for (const name of OF_ALL) instruments.reset(name);
  instruments.set('figures_read', read === undefined ? 0 : 1);
  if (read === undefined) return;
  for (const { queue, waiting, running, oldestSeconds } of read.jobs) {
    instruments.set('jobs', waiting, { queue, state: 'waiting' });
    instruments.set('jobs', running, { queue, state: 'running' });
    instruments.set('oldest_job_seconds', oldestSeconds, { queue });
  }
  for (const [state, count] of Object.entries(read.sessions))
    instruments.set('sessions', count, { state });
  for (const [result, count] of Object.entries(read.results))
    instruments.set('results', count, { result });
}

function listen(instruments: Instruments): (() => void)[] {
  return [
    onMeasured('delivery', ({ outcome }) => instruments.count('deliveries_total', { outcome })),
    onMeasured('first_sign', ({ seconds }) => instruments.observe('first_sign_seconds', seconds)),
    onMeasured('pull_request', ({ seconds }) =>
      instruments.observe('pull_request_seconds', seconds),
    ),
    onMeasured('run', ({ outcome }) => instruments.count('runs_total', { outcome })),
    onMeasured('model_request', (request) => countRequest(instruments, request)),
    onMeasured('tool_call', ({ tool, outcome, seconds }) => {
      instruments.count('tool_calls_total', { tool, outcome });
      instruments.observe('tool_call_seconds', seconds);
    }),
    onMeasured('git_operation', ({ operation, outcome, seconds }) => {
      instruments.count('git_operations_total', { operation, outcome });
      instruments.observe('git_operation_seconds', seconds, { operation });
    }),
    onMeasured('github_request', ({ outcome, seconds }) => {
      instruments.count('github_requests_total', { outcome });
      instruments.observe('github_request_seconds', seconds);
    }),
    onMeasured('write_room', ({ outcome, seconds }) =>
      instruments.observe('write_room_seconds', seconds, { outcome }),
    ),
    onMeasured('sandbox_refusal', ({ reason }) =>
      instruments.count('sandbox_refusals_total', { reason }),
    ),
    onMeasured('cache_size', ({ bytes }) => instruments.set('cache_bytes', bytes)),
    onMeasured('database_connection_lost', () =>
      instruments.count('database_connections_lost_total'),
    ),
  ];
}

function countRequest(
  instruments: Instruments,
  { provider, model, outcome, seconds, tokens, dollars }: Measurements['model_request'],
): void {
  const of = { provider, model };
  instruments.count('model_requests_total', { ...of, outcome });
  if (outcome === 'ok') instruments.observe('model_request_seconds', seconds, of);
  if (tokens !== undefined) {
    const { input, cached, output } = tokens;
    const kinds = { input: Math.max(0, input - cached), cached, output };
    for (const [kind, count] of Object.entries(kinds))
      instruments.count('model_tokens_total', { ...of, kind }, count);
  }
  if (typeof dollars === 'number') instruments.count('model_dollars_total', of, dollars);
}

type Limit = Measurements['github_limit'];

const MOST = 1_000;

/** What GitHub said of its limit to each installation, until the hour is over. */
class LowestLimit {
  readonly #byInstallation = new Map<number, Limit>();

  hear(limit: Limit): void {
    const { installation } = limit;
    this.#byInstallation.delete(installation);
    this.#byInstallation.set(installation, limit);
    const [oldest] = this.#byInstallation.keys();
    if (this.#byInstallation.size > MOST && oldest !== undefined)
      this.#byInstallation.delete(oldest);
  }

  /** `undefined` if GitHub has said nothing in this hour. `now`: milliseconds since the epoch. */
  lowest(now: number): number | undefined {
    const left = [...this.#byInstallation.values()]
      .filter(({ resetAt }) => resetAt > now)
      .map(({ requests }) => requests);
    return left.length === 0 ? undefined : Math.min(...left);
  }
}
