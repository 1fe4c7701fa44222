// The metrics of the shipped service after one whole story, as Prometheus reads them.
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { METRIC_PREFIX, METRICS } from '../../src/telemetry/instruments.ts';
import { until } from '../contract/store-world.ts';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import { Scene } from './scene.ts';

/** It has no types. */
const parsePrometheus: (text: string) => unknown = createRequire(import.meta.url)(
  'parse-prometheus-text-format',
);

const Family = z.object({
  name: z.string(),
  help: z.string(),
  type: z.string(),
  metrics: z.array(
    z.object({
      labels: z.record(z.string(), z.string()).optional(),
      value: z.string().optional(),
      count: z.string().optional(),
      buckets: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
type Family = z.infer<typeof Family>;

const scrape = async (url: string) => {
  const answer = await fetch(url);
  const text = await answer.text();
  const families = z.array(Family).parse(parsePrometheus(text));
  return { type: answer.headers.get('content-type'), text, families };
};

/** The sum of a metric over the labels that are given; of a histogram, how many it has seen, with all labels. */
function valueOf(
  families: readonly Family[],
  name: keyof typeof METRICS,
  wanted: Readonly<Record<string, string>>,
): number {
  const family = families.find((one) => one.name === METRIC_PREFIX + name);
  return (family?.metrics ?? [])
    .filter(({ labels = {} }) =>
      Object.entries(wanted).every(([label, value]) => labels[label] === value),
    )
    .reduce(
      (sum, { value, count, buckets }) => sum + Number(value ?? count ?? buckets?.['+Inf']),
      0,
    );
}

describe('the metrics of a service', () => {
  let scene: Scene;
  let base: string;
  let scraped: Awaited<ReturnType<typeof scrape>>;
  /** Of the deliveries until then. */
  let accepted: number;
  const value = (name: keyof typeof METRICS, labels: Readonly<Record<string, string>> = {}) =>
    valueOf(scraped.families, name, labels);

  beforeAll(async () => {
    scene = await Scene.open({ environment: { METRICS_PORT: '0' } });
    const line = await scene.service.untilLogged(/metrics are served/);
    base = z
      .object({ url: z.string() })
      .parse(JSON.parse(line))
      .url.replace(/\/metrics$/, '');
    await scene.play();
    // The session is settled a moment after its status says that it is merged, and GitHub tells of its last words after that.
    await until('the result and all deliveries are counted', async () => {
      await scene.github.webhooksSent();
      scraped = await scrape(`${base}/metrics`);
      accepted = scene.github.deliveries.filter(({ status }) => status === 202).length;
      return (
        value('results', { result: 'merged' }) > 0 &&
        value('deliveries_total', { outcome: 'accepted' }) === accepted
      );
    });
  });
  afterAll(() => scene.close());

  it('are all there, each with its type and its help', () => {
    const own = scraped.families.filter(({ name }) => name.startsWith(METRIC_PREFIX));
    expect(own.map(({ name, type, help }) => [name, type, help])).toEqual(
      Object.entries(METRICS).map(([name, { type, help }]) => [
        METRIC_PREFIX + name,
        type.toUpperCase(),
        help,
      ]),
    );
    expect(scraped.type).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(scraped.families.map(({ name }) => name)).toContain('nodejs_eventloop_lag_p99_seconds');
  });

  it('count what happened in the story', () => {
    expect(accepted).toBeGreaterThan(5);
    expect(value('deliveries_total', { outcome: 'accepted' })).toBe(accepted);
    expect(value('deliveries_total')).toBe(accepted);
    const model = { provider: 'openai', model: 'scripted' };
    expect(value('model_requests_total', { ...model, outcome: 'ok' })).toBe(
      scene.stage.model.requests.length,
    );
    expect(value('model_request_seconds')).toBe(scene.stage.model.requests.length);
    expect(value('model_tokens_total', { ...model, kind: 'output' })).toBeGreaterThan(0);
    expect(value('tool_calls_total', { tool: 'create_pull_request', outcome: 'ok' })).toBe(1);
    expect(value('git_operations_total', { operation: 'clone', outcome: 'ok' })).toBeGreaterThan(0);
    expect(value('github_requests_total', { outcome: 'ok' })).toBeGreaterThan(10);
    expect(value('first_sign_seconds')).toBe(1);
    expect(value('pull_request_seconds')).toBe(1);
    expect(value('runs_total', { outcome: 'asked' })).toBe(1);
    expect(value('results', { result: 'merged' })).toBe(1);
    expect(value('sessions', { state: 'done' })).toBe(1);
    expect(value('sessions')).toBe(1);
    expect(value('figures_read')).toBe(1);
  });

  it('have no label that anyone outside can choose', () => {
    for (const name of [SAMPLE.owner, SAMPLE.name, SAMPLE.maintainer])
      expect(scraped.text).not.toContain(`"${name}`);
    expect(scraped.text.length).toBeLessThan(60_000);
  });

  it('come with health checks, and with nothing else', async () => {
    expect((await fetch(`${base}/healthz`)).status).toBe(200);
    expect(await (await fetch(`${base}/readyz`)).json()).toEqual({ status: 'ready' });
    expect((await fetch(`${base}/api/github/webhooks`, { method: 'POST' })).status).toBe(404);
    expect((await fetch(`${base}/metrics`, { method: 'POST' })).status).toBe(405);
  });

  it('are on no other port', async () => {
    expect((await fetch(`${scene.stage.serviceUrl}/metrics`)).status).toBe(404);
  });
});
