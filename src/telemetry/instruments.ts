// What measurements and figures become, whichever system counts them.
import { onMeasured, type Kind, type Measurements } from '../lib/measurements.ts';
import { LowestLimit } from './lowest-limit.ts';
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

type Listeners = { readonly [K in Kind]?: (measurement: Measurements[K]) => void };

function listen(instruments: Instruments): (() => void)[] {
  const listeners: Listeners = {
    delivery: ({ outcome }) => instruments.count('deliveries_total', { outcome }),
    first_sign: ({ seconds }) => instruments.observe('first_sign_seconds', seconds),
    pull_request: ({ seconds }) => instruments.observe('pull_request_seconds', seconds),
    run: ({ outcome }) => instruments.count('runs_total', { outcome }),
    model_request: (request) => countRequest(instruments, request),
    tool_call: ({ tool, outcome, seconds }) => {
      instruments.count('tool_calls_total', { tool, outcome });
      instruments.observe('tool_call_seconds', seconds);
    },
    git_operation: ({ operation, outcome, seconds }) => {
      instruments.count('git_operations_total', { operation, outcome });
      instruments.observe('git_operation_seconds', seconds, { operation });
    },
    github_request: ({ outcome, seconds }) => {
      instruments.count('github_requests_total', { outcome });
      instruments.observe('github_request_seconds', seconds);
    },
    write_room: ({ outcome, seconds }) =>
      instruments.observe('write_room_seconds', seconds, { outcome }),
    sandbox_refusal: ({ reason }) => instruments.count('sandbox_refusals_total', { reason }),
    cache_size: ({ bytes }) => instruments.set('cache_bytes', bytes),
    database_connection_lost: () => instruments.count('database_connections_lost_total'),
  };
  const stopOf = <K extends Kind>(kind: K): (() => void) => {
    const listener = listeners[kind];
    return listener === undefined ? () => {} : onMeasured(kind, listener);
  };
  return KINDS.filter((kind) => kind in listeners).map((kind) => stopOf(kind));
}

const KINDS: readonly Kind[] = [
  'delivery',
  'first_sign',
  'pull_request',
  'run',
  'model_request',
  'tool_call',
  'git_operation',
  'github_request',
  'write_room',
  'sandbox_refusal',
  'cache_size',
  'database_connection_lost',
];

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
