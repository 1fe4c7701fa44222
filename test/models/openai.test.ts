import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ModelRequest } from '../../src/contracts/model.ts';
import { azure } from '../../src/models/providers/azure.ts';
import { githubModels } from '../../src/models/providers/github-models.ts';
import { openai, wireOf } from '../../src/models/providers/openai.ts';
import { FixtureServer, readFixture } from '../contract/fixture-server.ts';

const server = new FixtureServer();
beforeAll(() => server.start());
beforeEach(() => server.reset());
afterAll(() => server.stop());

const request: ModelRequest = {
  system: 'You are a test.',
  messages: [{ role: 'user', text: 'Hello?' }],
  tools: [],
  maxOutputTokens: 99,
  cacheKey: 'session-1',
  signal: new AbortController().signal,
};
const CHAT = () => readFixture('chat-completions', 'text');
const RESPONSES = () => readFixture('responses', 'text');
const body = (index = 0) => JSON.parse(server.requests[index]?.body ?? '') as object;
const errorAnswer = (error: object, status = 400) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(error),
});

describe('the provider `openai`', () => {
  const parse = (given: object) => openai.variables.parse(given);

  it('needs a key, or the address of a server that may need none', () => {
    const outcome = openai.variables.safeParse({});
    expect(outcome.error?.issues[0]).toMatchObject({ path: ['OPENAI_API_KEY'] });
    expect(outcome.error?.issues[0]?.message).toMatch(/missing.*platform\.openai\.com/);
    expect(() => parse({ OPENAI_BASE_URL: 'http://127.0.0.1:8000/v1' })).not.toThrow();
  });

  it.each<[string, object]>([
    ['responses', { OPENAI_API_KEY: 'k' }],
    ['responses', { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'https://eu.api.openai.com/v1/' }],
    ['chat', { OPENAI_BASE_URL: 'https://openai.com.example.com/v1' }],
    ['chat', { OPENAI_BASE_URL: 'https://fakeopenai.com/v1' }],
    ['chat', { OPENAI_API_KEY: 'k', OPENAI_API: 'chat' }],
    ['responses', { OPENAI_BASE_URL: 'http://127.0.0.1:8000/v1', OPENAI_API: 'responses' }],
  ])('speaks %s for %j', (wire, given) => {
    expect(wireOf(parse(given))).toBe(wire);
  });

  it('says who receives the code', () => {
    const url = { OPENAI_BASE_URL: 'http://127.0.0.1:8000/v1' };
    expect(openai.destination(parse({ OPENAI_API_KEY: 'k' }), 'any')).toBe(
      'OpenAI (api.openai.com)',
    );
    expect(openai.destination(parse(url), 'any')).toBe('the model server (127.0.0.1:8000)');
  });

  it('sends the key, and nothing of OpenAI’s own to another server', async () => {
    server.willAnswer(CHAT());
    const settings = parse({ OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: `${server.url}/v1///` });
    await (await openai.open('m', settings)).reply(request);
    expect(server.requests[0]?.path).toBe('/v1/chat/completions');
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer sk-1' });
    expect(server.requests[0]?.headers).not.toHaveProperty('openai-organization');
    expect(body()).toMatchObject({ model: 'm', max_tokens: 99, stream: true });
    expect(body()).not.toHaveProperty('prompt_cache_key');
    expect(openai.secrets(settings)).toEqual(['sk-1']);
  });

  it('stores nothing at the provider', async () => {
    server.willAnswer(RESPONSES());
    const settings = parse({ OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API: 'responses' });
    await (await openai.open('m', settings)).reply(request);
    expect(server.requests[0]?.path).toBe('/v1/responses');
    expect(body()).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
  });

  it('sends no key to where a server redirects it', async () => {
    const headers = { location: `${server.url}/elsewhere`, 'content-type': 'text/html' };
    server.willAnswer({ status: 307, headers, body: '' });
    const settings = parse({ OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: `${server.url}/v1` });
    const adapter = await openai.open('m', settings);
    await expect(adapter.reply(request)).rejects.toThrow(/Check OPENAI_BASE_URL/);
    expect(server.requests).toHaveLength(1);
  });
});

describe('the provider `azure`', () => {
  const open = (more: object) =>
    azure.open('my-deployment', azure.variables.parse({ AZURE_OPENAI_API_KEY: 'key-1', ...more }));

  it.each(['', '/', '/openai', '/openai/v1/'])(
    'finds its API from an address that ends in "%s"',
    async (end) => {
      server.willAnswer(RESPONSES());
      await (await open({ AZURE_OPENAI_ENDPOINT: server.url + end })).reply(request);
      expect(server.requests[0]?.path).toBe('/openai/v1/responses');
      expect(server.requests[0]?.headers).toMatchObject({ 'api-key': 'key-1' });
      expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
      expect(body()).toMatchObject({ model: 'my-deployment', prompt_cache_key: 'session-1' });
    },
  );

  it('speaks Chat Completions, in OpenAI’s way, if configured', async () => {
    server.willAnswer(CHAT());
    const more = { AZURE_OPENAI_ENDPOINT: server.url, AZURE_OPENAI_API: 'chat' };
    await (await open(more)).reply(request);
    expect(server.requests[0]?.path).toBe('/openai/v1/chat/completions');
    expect(body()).toMatchObject({ max_completion_tokens: 99, prompt_cache_key: 'session-1' });
  });

  it('says where its settings are found', () => {
    const outcome = azure.variables.safeParse({});
    expect(outcome.error?.issues.map(({ message }) => message)).toEqual([
      expect.stringContaining('Azure portal'),
      expect.stringContaining('Azure portal'),
    ]);
  });
});

describe('the provider `gh`', () => {
  it('speaks Chat Completions to GitHub Models', async () => {
    server.willAnswer(CHAT());
    const settings = githubModels.variables.parse({
      GITHUB_MODELS_TOKEN: 'github_pat_1',
      GITHUB_MODELS_BASE_URL: `${server.url}/inference`,
    });
    await (await githubModels.open('openai/gpt-4.1', settings)).reply(request);
    expect(server.requests[0]?.path).toBe('/inference/chat/completions');
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer github_pat_1' });
    expect(body()).toMatchObject({ model: 'openai/gpt-4.1' });
  });

  it('has an address of its own', () => {
    const settings = githubModels.variables.parse({ GITHUB_MODELS_TOKEN: 't' });
    expect(githubModels.destination(settings, 'any')).toBe('GitHub Models (models.github.ai)');
  });
});

describe('an error inside a stream', () => {
  it.each([
    [400, /did not accept the request to .* \(400\)/],
    [502, /returned 502/],
  ])('counts as the status %d that it contains', async (code, words) => {
    const body = `data: ${JSON.stringify({ error: { code, message: 'no' } })}\n\n`;
    server.willAnswer({ status: 200, headers: { 'content-type': 'text/event-stream' }, body });
    const given = { OPENAI_BASE_URL: `${server.url}/v1` };
    const adapter = await openai.open('m', openai.variables.parse(given));
    await expect(adapter.reply(request)).rejects.toThrow(words);
  });
});

describe('a reply without end', () => {
  const flood = (event: object) => {
    const events = Array.from({ length: 6 }, () => `data: ${JSON.stringify(event)}\n\n`);
    const headers = { 'content-type': 'text/event-stream' };
    return { status: 200, headers, body: events.join('') };
  };
  const much = 'x'.repeat(1_000_000);

  it.each<[string, object]>([
    ['chat', { choices: [{ delta: { content: much } }] }],
    ['chat', { choices: [{ delta: { tool_calls: [{ function: { arguments: much } }] } }] }],
    ['chat', { choices: [{ delta: { reasoning_content: much } }] }],
    ['responses', { type: 'response.output_text.delta', delta: much }],
  ])('is cut off: %s, case %#', async (wire, event) => {
    server.willAnswer(flood(event));
    const given = { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API: wire };
    const adapter = await openai.open('m', openai.variables.parse(given));
    await expect(adapter.reply(request)).rejects.toThrow(/without ending its reply/);
  });
});

describe('what a server does not know', () => {
  const adapter = (more: object = {}) =>
    openai.open('m', openai.variables.parse({ OPENAI_BASE_URL: `${server.url}/v1`, ...more }));
  const O_SERIES = errorAnswer({
    error: {
      message:
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      type: 'invalid_request_error',
      param: 'max_tokens',
      code: 'unsupported_parameter',
    },
  });
  const FORBIDDEN = errorAnswer(
    {
      detail: [
        {
          type: 'extra_forbidden',
          loc: ['body', 'stream_options'],
          msg: 'Extra inputs are not permitted',
        },
      ],
    },
    422,
  );

  it('is left out, and asked for in its other name', async () => {
    const model = await adapter();
    for (const answer of [O_SERIES, FORBIDDEN, CHAT()]) server.willAnswer(answer);
    await expect(model.reply(request)).resolves.toMatchObject({ stop: 'end' });
    expect(body(1)).toMatchObject({ max_completion_tokens: 99, stream_options: {} });
    expect(body(1)).not.toHaveProperty('max_tokens');
    expect(body(2)).not.toHaveProperty('stream_options');
  });

  it('is left out of the requests that follow', async () => {
    const model = await adapter();
    for (const answer of [O_SERIES, CHAT(), CHAT()]) server.willAnswer(answer);
    await model.reply(request);
    await model.reply(request);
    expect(body(2)).toEqual(body(1));
  });

  it('is tried once each, and then reported', async () => {
    const model = await adapter();
    const other = errorAnswer({
      error: { message: "Unsupported parameter: 'max_completion_tokens'." },
    });
    for (const answer of [O_SERIES, other, other]) server.willAnswer(answer);
    await expect(model.reply(request)).rejects.toThrow(/did not accept the request to .* \(400\)/);
    expect(server.requests).toHaveLength(3);
  });

  it('is not taken for reasoning if the model does not reason', async () => {
    const model = await adapter({ OPENAI_API: 'responses' });
    const message = 'Encrypted content is not supported with this model.';
    server.willAnswer(errorAnswer({ error: { message, param: 'include', code: null } }));
    server.willAnswer(RESPONSES());
    await model.reply(request);
    expect(body(1)).not.toHaveProperty('include');
  });

  it('has no opaque item if the server rejects its own', async () => {
    const model = await adapter();
    server.willAnswer(readFixture('chat-completions', 'reasoning'));
    const { text, calls, native } = await model.reply(request);
    const said = { role: 'assistant', text, calls, native } as const;
    const results = calls.map(({ tool, id = '' }) => ({ id, tool, ok: true, output: 'done' }));
    const next = {
      ...request,
      messages: [...request.messages, said, { role: 'results', results } as const],
    };
    const message = 'Please remove the reasoning_content from your message.';
    server.willAnswer(errorAnswer({ error: { message, code: 'invalid_request_error' } }));
    server.willAnswer(CHAT());
    await model.reply(next);
    expect(server.requests[1]?.body).toContain('reasoning_content');
    expect(server.requests[2]?.body).not.toMatch(/reasoning|extra_content/);
    expect(server.requests[2]?.body).toContain('src/a.ts');
  });
});
