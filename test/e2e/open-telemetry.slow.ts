// One whole story of the shipped service, as an OTLP receiver gets it.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import { until } from '../contract/store-world.ts';
import { startOtlpReceiver, type OtlpReceiver } from '../support/otlp-receiver.ts';
import { Scene } from './scene.ts';

/** A span begins by a clock of milliseconds, and lasts by a finer one; in nanoseconds. */
const PRECISION = 1_000_000;
const TOKEN = 'Zebrafish-4711-and-more';

describe('traces and metrics at a collector', () => {
  let receiver: OtlpReceiver;
  let scene: Scene;

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    scene = await Scene.open({
      environment: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${TOKEN}`,
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
        OTEL_METRIC_EXPORT_INTERVAL: '1000',
      },
    });
    await scene.play();
    // The session is settled a moment after its status says that it is merged.
    await until('the result is received', () => merged()?.asDouble === 1);
    await scene.stop();
  });
  afterAll(async () => {
    await scene.close();
    await receiver.close();
  });

  const merged = () =>
    receiver.metrics
      .get('issuewright.results')
      ?.gauge?.dataPoints.find(({ attributes }) => attributes['result'] === 'merged');
  const spansOf = (operation: string) =>
    receiver.spans.filter(({ attributes }) => attributes['gen_ai.operation.name'] === operation);

  it('have a trace for each run, and all runs of a session have its id', () => {
    const runs = spansOf('invoke_agent');
    expect(runs.map(({ name }) => name)).toEqual(runs.map(() => 'invoke_agent issuewright'));
    expect(runs.map(({ attributes }) => attributes['issuewright.run.outcome'])).toEqual([
      'asked',
      ...runs.slice(1).map(() => 'finished'),
    ]);
    expect(runs.length).toBeGreaterThan(1);
    expect(new Set(runs.map(({ traceId }) => traceId)).size).toBe(runs.length);
    const roots = receiver.spans.filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(roots).toEqual(runs);
    const ids = new Set(runs.map(({ attributes }) => attributes['gen_ai.conversation.id']));
    expect([...ids]).toEqual([expect.stringMatching(/^[\da-z]{12}$/)]);
    expect(runs[0]?.attributes).toMatchObject({
      'gen_ai.agent.name': 'issuewright',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'scripted',
      'vcs.owner.name': SAMPLE.owner,
      'vcs.repository.name': SAMPLE.name,
      'issuewright.issue': 1,
      'issuewright.run': 1,
    });
  });

  it('have a span for each request to the model, with its tokens', () => {
    const chats = spansOf('chat');
    expect(chats).toHaveLength(scene.stage.model.requests.length);
    for (const { name, kind, attributes, status } of chats) {
      expect({ name, kind, status }).toEqual({
        name: 'chat scripted',
        kind: 'SPAN_KIND_CLIENT',
        status: { code: 'STATUS_CODE_UNSET' },
      });
      expect(attributes).toEqual({
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'scripted',
        'gen_ai.conversation.id': expect.any(String),
        'gen_ai.usage.input_tokens': expect.any(Number),
        'gen_ai.usage.cache_read.input_tokens': expect.any(Number),
        'gen_ai.usage.output_tokens': expect.any(Number),
      });
    }
  });

  it('have a span for each call of a tool, and below it what it needed of GitHub', () => {
    const proposed = spansOf('execute_tool').filter(
      ({ attributes }) => attributes['gen_ai.tool.name'] === 'create_pull_request',
    );
    expect(proposed.map(({ name }) => name)).toEqual(['execute_tool create_pull_request']);
    const below = receiver.spans.filter(({ parentSpanId }) => parentSpanId === proposed[0]?.spanId);
    expect(below.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'GET /repos/{owner}/{repo}/pulls',
        'POST /repos/{owner}/{repo}/pulls',
      ]),
    );
  });

  it('nest: each span is of the trace of its parent, and within its time', () => {
    const byId = new Map(receiver.spans.map((span) => [span.spanId, span]));
    for (const span of receiver.spans) {
      if (span.parentSpanId === undefined) continue;
      const parent = byId.get(span.parentSpanId);
      expect(parent?.traceId).toBe(span.traceId);
      const { startTimeUnixNano: begun = NaN, endTimeUnixNano: ended = NaN } = parent ?? {};
      expect(span.startTimeUnixNano).toBeGreaterThanOrEqual(begun - PRECISION);
      expect(span.endTimeUnixNano).toBeLessThanOrEqual(ended + PRECISION);
    }
    const names = receiver.spans.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['git clone', 'git commit']));
  });

  it('come with metrics of the conventions, and our own', () => {
    const count = (name: string): number =>
      (receiver.metrics.get(name)?.histogram?.dataPoints ?? []).reduce(
        (sum, point) => sum + (point.count ?? 0),
        0,
      );
    const requests = scene.stage.model.requests.length;
    expect(count('gen_ai.client.operation.duration')).toBe(requests);
    expect(count('gen_ai.client.token.usage')).toBe(2 * requests);
    expect(count('gen_ai.execute_tool.duration')).toBe(spansOf('execute_tool').length);
    const usage = receiver.metrics.get('gen_ai.client.token.usage');
    expect(usage?.unit).toBe('{token}');
    expect(usage?.histogram?.dataPoints[0]?.explicitBounds?.slice(0, 4)).toEqual([1, 4, 16, 64]);
    expect(receiver.metrics.get('issuewright.first_sign')).toMatchObject({
      unit: 's',
      histogram: { dataPoints: [{ count: 1 }] },
    });
    expect(merged()).toMatchObject({ asDouble: 1 });
  });

  it('say who sent them, with the headers of the operator', () => {
    for (const resource of receiver.resources)
      expect(resource).toMatchObject({
        'service.name': 'issuewright',
        'deployment.environment.name': 'test',
      });
    for (const { authorization } of receiver.headers) expect(authorization).toBe(`Bearer ${TOKEN}`);
    expect(scene.service.log).not.toContain(TOKEN);
  });

  it('have no text of people or the model, no code and no secret', () => {
    const sent = Buffer.concat(receiver.bytes).toString('latin1');
    const { issues, comments, reviews } = scene.repository;
    const bodies = [...issues, ...comments, ...reviews].map(({ body }) => body ?? '');
    const titles = issues.map(({ title }) => title);
    const code = Object.values(SAMPLE.files);
    const asked = scene.stage.model.requests.map(({ body }) => body);
    const lines = [...bodies, ...titles, ...code, ...asked].flatMap((text) => text.split(/\n|\\n/));
    const telling = lines.map((line) => line.trim()).filter((line) => line.length > 20);
    expect(telling.length).toBeGreaterThan(100);
    expect(telling.filter((line) => sent.includes(line))).toEqual([]);
    expect(sent).not.toContain(TOKEN);
    expect(receiver.spans.flatMap(({ events }) => events)).toEqual([]);
  });
});

describe('a service with a collector that does not answer', () => {
  it('works as usual, says so once a minute, and stops in time', async () => {
    const receiver = await startOtlpReceiver();
    await receiver.close();
    const scene = await Scene.open({
      environment: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_METRIC_EXPORT_INTERVAL: '1000',
      },
    });
    try {
      await scene.play();
      await scene.service.untilLogged(/sending traces and metrics failed/);
      expect(await scene.stop()).toBe(0);
      const told = scene.service.log
        .split('\n')
        .filter((line) => line.includes('sending traces and metrics failed'))
        .map((line) => (JSON.parse(line) as { readonly time: number }).time);
      // The clock of the log may be off by a little.
      const tooSoon = told.filter((at, index) => at - (told[index - 1] ?? 0) < 59_000);
      expect(tooSoon).toEqual([]);
    } finally {
      await scene.close();
    }
  });
});
