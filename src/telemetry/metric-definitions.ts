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
    labels: { outcome: '`accepted`, `invalid` (4xx), `failed` (5xx: GitHub did not deliver it)' },
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
