import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { measured, timed } from '../../src/lib/measurements.ts';
import { TellModel, TryLater } from '../../src/lib/errors.ts';
import type { Figures } from '../../src/telemetry/instruments.ts';
import { openPrometheus, type Metrics } from '../../src/telemetry/prometheus.ts';

const FIGURES: Figures = {
  jobs: [{ queue: 'advance', waiting: 3, running: 2, oldestSeconds: 12.5 }],
  sessions: { working: 2 },
  results: { merged: 7 },
  problems: { queue_stands: 1 },
};

describe('metrics', () => {
  let metrics: Metrics;
  let figures: () => Promise<Figures>;

  beforeEach(() => {
    figures = () => Promise.resolve(FIGURES);
    metrics = openPrometheus(() => figures());
  });
  afterEach(() => metrics.close());

  const lines = async (begin: string): Promise<string[]> =>
    (await metrics.text()).split('\n').filter((line) => line.startsWith(`issuewright_${begin}`));

  it('count tokens of each kind once, and dollars where the price is known', async () => {
    const request = { provider: 'openai', model: 'gpt', outcome: 'ok', seconds: 2 } as const;
    const tokens = { input: 100, cached: 60, output: 7 };
    measured('model_request', { ...request, tokens, dollars: 0.25 });
    measured('model_request', { ...request, tokens, dollars: null });
    expect(await lines('model_tokens_total')).toEqual([
      'issuewright_model_tokens_total{provider="openai",model="gpt",kind="input"} 80',
      'issuewright_model_tokens_total{provider="openai",model="gpt",kind="cached"} 120',
      'issuewright_model_tokens_total{provider="openai",model="gpt",kind="output"} 14',
    ]);
    expect(await lines('model_dollars_total')).toEqual([
      'issuewright_model_dollars_total{provider="openai",model="gpt"} 0.25',
    ]);
  });

  it('say what is the same for all processes, or that it could not be read', async () => {
    expect(await lines('jobs{')).toEqual([
      'issuewright_jobs{queue="advance",state="waiting"} 3',
      'issuewright_jobs{queue="advance",state="running"} 2',
    ]);
    expect(await lines('oldest_job_seconds')).toEqual([
      'issuewright_oldest_job_seconds{queue="advance"} 12.5',
    ]);
    figures = () => Promise.reject(new Error('no database'));
    expect(await lines('jobs{')).toEqual([]);
    expect(await lines('figures_read')).toEqual(['issuewright_figures_read 0']);
  });

  it('have the fewest requests that GitHub left to an installation in this hour', async () => {
    expect(await lines('github_requests_left')).toEqual(['issuewright_github_requests_left Nan']);
    const resetAt = Date.now() + 60_000;
    measured('github_limit', { installation: 1, requests: 4_000, resetAt });
    measured('github_limit', { installation: 2, requests: 300, resetAt });
    measured('github_limit', { installation: 2, requests: 250, resetAt });
    measured('github_limit', { installation: 3, requests: 1, resetAt: Date.now() - 1 });
    expect(await lines('github_requests_left')).toEqual(['issuewright_github_requests_left 250']);
  });

  it('hear nothing any more once they are closed', async () => {
    metrics.close();
    measured('run', { outcome: 'finished' });
    metrics = openPrometheus(() => figures());
    expect(await lines('runs_total')).toEqual([]);
  });
});

describe('work that is timed', () => {
  it.each([
    ['ok', () => Promise.resolve(1)],
    ['later', () => Promise.reject(new TryLater('busy'))],
    ['denied', () => Promise.reject(new TellModel('no such file'))],
    ['failed', () => Promise.reject(new Error('a fault'))],
  ])('is told of as %s, and ends as it did', async (expected, work) => {
    const told: string[] = [];
    const ended = timed({ kind: 'write_room' }, work, ({ outcome }) => told.push(outcome));
    await ended.catch(() => undefined);
    expect(told).toEqual([expected]);
  });
});
