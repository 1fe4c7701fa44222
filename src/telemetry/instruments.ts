// What measurements and figures become, whichever system counts them.
import { onMeasured, type Measurements } from '../lib/measurements.ts';

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
  readonly problems: Readonly<Record<string, number>>;
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

export interface FedInstruments {
  /** Sets what is only looked at when someone asks. */
  refresh(): Promise<void>;
  stop(): void;
}

/** Counts what this process measures, until it is stopped. */
export function feed(
  instruments: Instruments,
  figures: (() => Promise<Figures>) | undefined,
): FedInstruments {
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

const OF_ALL = ['jobs', 'oldest_job_seconds', 'sessions', 'results', 'problems'] as const;

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
  for (const [cause, count] of Object.entries(read.problems))
    instruments.set('problems', count, { cause });
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

// All metrics of the service. docs/operations.md has a table of them.

interface Definition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  /** What a label is, or its values. None of them comes from a repository, a person or a model. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Upper bounds, in seconds. */
  readonly buckets?: readonly number[];
}

const OUTCOMES = '`ok`, `later` (is tried again), `denied` (needs a person), `failed`';
const QUICK = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60];
const REPLIES = [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600];
const PATIENCE = [1, 2, 5, 10, 30, 60, 300, 1_800, 3_600, 14_400, 86_400];
const QUEUES = '`advance` (sessions), `publish` (comments, bodies of pull requests)';

export const METRICS = {
  deliveries_total: {
    type: 'counter',
    help: 'Webhooks by how they were answered',
    labels: {
      outcome:
        '`accepted`, `invalid` (4xx), `failed` (5xx: GitHub did not deliver it), `dropped` (no room, signature unchecked)',
    },
  },
  jobs: {
    type: 'gauge',
    help: 'Jobs in the queues, of all processes',
    labels: { queue: QUEUES, state: '`waiting`, `running`' },
  },
  oldest_job_seconds: {
    type: 'gauge',
    help: 'For how long the oldest waiting job waits, in all processes; 0 if none waits',
    labels: { queue: QUEUES },
  },
  sessions: {
    type: 'gauge',
    help: 'Sessions by state, of all processes',
    labels: { state: 'see ARCHITECTURE.md' },
  },
  results: {
    type: 'gauge',
    help: 'Sessions by what they came to, of all processes and since the beginning',
    labels: { result: '`merged`, `closed`, `unchanged`, `open`' },
  },
  problems: {
    type: 'gauge',
    help: 'What is wrong now and needs the operator, of all processes',
    labels: {
      cause: '`key_rejected`, `quota_used_up`, `budget_used_up`, `deliveries_fail`, `queue_stands`',
    },
  },
  figures_read: {
    type: 'gauge',
    help: '1 if the figures of all processes were read from the database, 0 if it did not answer and they are missing',
  },
  first_sign_seconds: {
    type: 'histogram',
    help: 'From a request to the first comment on GitHub',
    buckets: PATIENCE,
  },
  pull_request_seconds: {
    type: 'histogram',
    help: 'From a request to its pull request',
    buckets: PATIENCE,
  },
  runs_total: {
    type: 'counter',
    help: 'Runs that ended or were left for later',
    labels: {
      outcome:
        '`finished`, `answered`, `asked`, `limit`, `failed`, `stopped`, `paused`, `deferred`, `interrupted`, `claim_lost`',
    },
  },
  model_requests_total: {
    type: 'counter',
    help: 'Requests to models, each try counted',
    labels: { provider: 'as in `MODEL`', model: 'as in `MODEL`', outcome: OUTCOMES },
  },
  model_request_seconds: {
    type: 'histogram',
    help: 'How long replies of models took',
    labels: { provider: 'as in `MODEL`', model: 'as in `MODEL`' },
    buckets: REPLIES,
  },
  model_tokens_total: {
    type: 'counter',
    help: 'Tokens of models',
    labels: {
      provider: 'as in `MODEL`',
      model: 'as in `MODEL`',
      kind: '`input` (without the cached ones), `cached`, `output`',
    },
  },
  model_dollars_total: {
    type: 'counter',
    help: 'What replies cost in US dollars, as far as prices are known',
    labels: { provider: 'as in `MODEL`', model: 'as in `MODEL`' },
  },
  tool_calls_total: {
    type: 'counter',
    help: 'Calls of tools that were carried out',
    labels: { tool: 'see tools.md; `mcp` for all of MCP servers', outcome: OUTCOMES },
  },
  tool_call_seconds: { type: 'histogram', help: 'How long calls of tools took', buckets: QUICK },
  git_operations_total: {
    type: 'counter',
    help: 'Git operations on workspaces',
    labels: { operation: '`clone`, `push`, `changes`, …', outcome: OUTCOMES },
  },
  git_operation_seconds: {
    type: 'histogram',
    help: 'How long git operations took',
    labels: { operation: '`clone`, `push`, `changes`, …' },
    buckets: QUICK,
  },
  github_requests_total: {
    type: 'counter',
    help: "Requests to GitHub's API, each try counted",
    labels: { outcome: OUTCOMES },
  },
  github_request_seconds: {
    type: 'histogram',
    help: "How long requests to GitHub's API took",
    buckets: QUICK,
  },
  github_requests_left: {
    type: 'gauge',
    help: 'What GitHub said is left of the requests of this hour, of the installation that has the fewest',
  },
  write_room_seconds: {
    type: 'histogram',
    help: "How long writes waited for room within GitHub's limits for content",
    labels: { outcome: '`granted`, `deferred` (too long: it is tried again later)' },
    buckets: QUICK,
  },
  sandbox_refusals_total: {
    type: 'counter',
    help: 'What the sandbox did not let happen',
    labels: {
      reason: '`start` (a command could not be started), `network` (a host that is not allowed)',
    },
  },
  cache_bytes: {
    type: 'gauge',
    help: 'What the cache of repositories takes, as of the last look, once an hour',
  },
  database_connections_lost_total: {
    type: 'counter',
    help: 'Connections to the database that broke and were made again',
  },
} as const satisfies Record<string, Definition>;

export type MetricName = keyof typeof METRICS;

export const METRIC_PREFIX = 'issuewright_';
