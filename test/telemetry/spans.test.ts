import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { TellModel, TryLater } from '../../src/lib/errors.ts';
import { measured, timed, within, type Operation } from '../../src/lib/measurements.ts';
import { traceOperations } from '../../src/telemetry/spans.ts';

const RUN: Operation = {
  kind: 'run',
  session: 'a1b2c3',
  run: 2,
  owner: 'octo',
  repository: 'hello',
  issue: 7,
};
const CHAT: Operation = { kind: 'model_request', provider: 'gemini', model: 'flash' };
const done = () => Promise.resolve();

describe('spans', () => {
  let exporter: InMemorySpanExporter;
  let stop: () => void;

  beforeEach(() => {
    exporter = new InMemorySpanExporter();
    const provider = new TracerProvider({
      spanProcessors: [new SimpleSpanProcessor({ exporter })],
    });
    stop = traceOperations(provider.getTracer('test'));
  });
  afterEach(() => stop());

  const named = (name: string) =>
    exporter.getFinishedSpans().filter((span) => span.name.startsWith(name));

  it('are nested as the operations are, also when several go on at once', async () => {
    const tool = (name: string) =>
      within({ kind: 'tool_call', name }, async () => {
        await done();
        await within({ kind: 'git_operation', operation: name }, done);
      });
    await within(RUN, () => Promise.all([tool('one'), tool('two')]));
    const [run] = named('invoke_agent');
    for (const name of ['one', 'two']) {
      const [call] = named(`execute_tool ${name}`);
      const [git] = named(`git ${name}`);
      expect(call?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId);
      expect(git?.parentSpanContext?.spanId).toBe(call?.spanContext().spanId);
    }
  });

  it('are of runs alone: what is part of none, or was only woken by one, has no span', async () => {
    await within({ kind: 'write_room' }, done);
    await within(RUN, () =>
      within({ kind: 'job' }, () =>
        within({ kind: 'github_request', method: 'GET', route: '/user' }, done),
      ),
    );
    expect(exporter.getFinishedSpans().map(({ name }) => name)).toEqual([
      'invoke_agent issuewright',
    ]);
  });

  it('say by which provider and model, and what it came to', async () => {
    await within(RUN, () =>
      timed(CHAT, done, ({ outcome, seconds }) =>
        measured('model_request', {
          provider: 'gemini',
          model: 'flash',
          outcome,
          seconds,
          tokens: { input: 100, cached: 60, output: 7 },
          dollars: 0.25,
        }),
      ),
    );
    const of = { 'gen_ai.provider.name': 'gcp.gemini', 'gen_ai.request.model': 'flash' };
    expect(named('invoke_agent')[0]?.attributes).toMatchObject(of);
    expect(named('chat flash')[0]?.attributes).toEqual({
      ...of,
      'gen_ai.operation.name': 'chat',
      'gen_ai.conversation.id': 'a1b2c3',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.cache_read.input_tokens': 60,
      'gen_ai.usage.output_tokens': 7,
      'issuewright.cost_usd': 0.25,
    });
  });

  it.each([
    ['later', () => Promise.reject(new TryLater('the secret of octo'))],
    ['denied', () => Promise.reject(new TellModel('the secret of octo'))],
    ['failed', () => Promise.reject(new Error('the secret of octo'))],
  ])('say that an operation ended as %s, and not in which words', async (outcome, work) => {
    const ended = within(RUN, () => within({ kind: 'tool_call', name: 'x' }, work));
    await expect(ended).rejects.toThrow();
    const [span] = named('execute_tool');
    expect(span?.attributes['error.type']).toBe(outcome);
    expect(span?.status).toEqual({ code: 2 });
    expect(span?.events).toEqual([]);
  });

  it('have an error for a call that the model has to correct', async () => {
    await within(RUN, () =>
      timed({ kind: 'tool_call', name: 'x' }, done, ({ seconds }) =>
        measured('tool_call', { tool: 'x', outcome: 'denied', seconds }),
      ),
    );
    expect(named('execute_tool')[0]?.attributes['error.type']).toBe('denied');
    expect(named('invoke_agent')[0]?.attributes['error.type']).toBeUndefined();
  });

  it.each([
    ['/repos/{owner}/{repo}', 'GET /repos/{owner}/{repo}'],
    ['https://github.example.com/api/graphql', 'GET /graphql'],
    ['https://api.github.com/repositories/12/issues?page=2', 'GET'],
  ])('name a request to %s as %s', async (route, name) => {
    await within(RUN, () => within({ kind: 'github_request', method: 'GET', route }, done));
    expect(named('GET').map((span) => span.name)).toEqual([name]);
  });

  it('end with the telling, and the work goes on', async () => {
    stop();
    expect(await within(RUN, () => Promise.resolve(3))).toBe(3);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
