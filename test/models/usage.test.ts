import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ModelRequest, ToolSpec } from '../../src/contracts/model.ts';
import { openModel } from '../../src/models/index.ts';
import { tokensUsed } from '../../src/session/texts/format.ts';
import { FixtureServer } from '../contract/fixture-server.ts';

const server = new FixtureServer();
beforeAll(() => server.start());
beforeEach(() => server.reset());
afterAll(() => server.stop());

const TOOL: ToolSpec = { name: 'read_file', description: 'Reads it.', parameters: {} };
const request: ModelRequest = {
  system: 'x'.repeat(300),
  messages: [{ role: 'user', text: 'x'.repeat(3_000) }],
  tools: [TOOL],
  maxOutputTokens: 99,
  cacheKey: 'session-1',
  signal: new AbortController().signal,
};
const chunk = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const text = chunk({ choices: [{ delta: { content: 'y'.repeat(600) } }] });
const end = (more: object = {}, beside: object = {}): string =>
  `${chunk({ choices: [{ delta: {}, finish_reason: 'stop', ...more }], ...beside })}data: [DONE]\n\n`;

async function ask(body: string) {
  server.willAnswer({ status: 200, headers: { 'content-type': 'text/event-stream' }, body });
  const prices = {
    models: {
      'openai:m': { price: { input: 1_000_000, output: 1_000_000 } },
    },
  };
  const settings = new Map([['openai', { OPENAI_BASE_URL: `${server.url}/v1` }]]);
  return (await openModel('openai:m', settings, prices)).reply(request);
}

const USAGE = { prompt_tokens: 1_200, completion_tokens: 210, total_tokens: 1_410 };

describe('the usage of a reply', () => {
  it.each<[where: string, source: string, body: string]>([
    ['in a chunk of its own', 'OpenAI', text + end() + chunk({ choices: [], usage: USAGE })],
    ['in the last choice', 'Moonshot', text + end({ usage: USAGE })],
    ['below `x_groq`', 'Groq', text + end({}, { x_groq: { id: 'r', usage: USAGE } })],
    [
      'before a chunk with zeros',
      'OpenRouter',
      text +
        chunk({ choices: [], usage: USAGE }) +
        end({}, { usage: { prompt_tokens: 0, completion_tokens: 0 } }),
    ],
    [
      'by the names of Anthropic',
      'proxies of Bedrock',
      text + end({}, { usage: { input_tokens: 1_200, output_tokens: 210 } }),
    ],
  ])('is what the server counts: %s (%s)', async (_where, _source, body) => {
    const before = body.replace('data: [DONE]\n\n', '');
    const { usage } = await ask(`${before}data: [DONE]\n\n`);
    expect(usage).toMatchObject({ input: 1_200, output: 210 });
    expect(usage).not.toHaveProperty('isEstimated');
  });

  it.each<[what: string, usage: object, input: number, output: number]>([
    ['nothing', {}, 1_100, 200],
    ['only what was sent', { prompt_tokens: 900 }, 900, 200],
    ['only what came', { completion_tokens: 150 }, 1_100, 150],
  ])('is estimated if the server counts %s', async (_what, counted, input, output) => {
    const { usage, cost } = await ask(text + end({}, { usage: counted }));
    expect(usage.isEstimated).toBe(true);
    expect(Math.abs(usage.input - input)).toBeLessThan(60);
    expect(usage.output).toBe(output);
    expect(cost).toBe(usage.input + usage.output);
    expect(tokensUsed(usage)).toMatch(/ out, estimated$/);
  });
});
