import { describe, expect, it } from '@jest/globals';
import { FixtureServer, readFixture } from '../contract/fixture-server.ts';
import { modelOpener, openModel, PROVIDERS } from '../../src/models/index.ts';

describe.each(PROVIDERS.map((provider) => [provider.name, provider] as const))(
  'the provider `%s`',
  (name, provider) => {
    it('has a name of its own that can precede a colon', () => {
      expect(name).toMatch(/^[a-z]+$/);
      expect(PROVIDERS.filter((one) => one.name === name)).toHaveLength(1);
    });

    it('is set up by environment variables', () => {
      for (const variable of Object.keys(provider.variables.shape))
        expect(variable).toMatch(/^[A-Z][A-Z0-9_]+$/);
    });

    it('says what is missing, and where to get it', () => {
      const { error } = provider.variables.safeParse({});
      for (const { path, message } of error?.issues ?? []) {
        expect(provider.variables.shape).toHaveProperty(String(path[0]));
        expect(message).toMatch(/^missing\. /);
      }
    });
  },
);

describe('a model that is opened by its name', () => {
  const settings = new Map<string, unknown>([
    ['openai', { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' }],
  ]);

  it('keeps the name as it was written, with the colons of the model', async () => {
    const model = await openModel('openai:qwen3:8b', settings);
    expect(model).toMatchObject({
      name: 'openai:qwen3:8b',
      destination: 'the model server (127.0.0.1:1)',
      callsTools: true,
      contextWindow: undefined,
    });
  });

  it('has a price and limits if its list has them', async () => {
    const server = new FixtureServer();
    await server.start();
    server.willAnswer(readFixture('chat-completions', 'text'));
    const prices = {
      models: {
        'openai:m': {
          price: { input: 1_000_000, cached: 100_000, output: 2_000_000 },
          contextWindow: 8192,
          maxOutput: 50,
        },
      },
    };
    const at = new Map([['openai', { OPENAI_BASE_URL: `${server.url}/v1` }]]);
    const model = await openModel('openai:m', at, prices);
    const reply = await model.reply({
      system: '',
      messages: [{ role: 'user', text: 'Hello?' }],
      tools: [],
      maxOutputTokens: 4321,
      cacheKey: 'k',
      signal: new AbortController().signal,
    });
    await server.stop();
    expect(model.contextWindow).toBe(8192);
    expect(server.requests[0]?.body).toContain('"max_tokens":50');
    expect(reply.cost).toBeCloseTo(40 + 8 + 32);
  });

  it('is not opened for a provider that does not exist', async () => {
    await expect(openModel('constructor:x', settings)).rejects.toThrow(/unknown model provider/);
  });

  it('is opened once per process, so that all sessions have what it learnt of its server', async () => {
    const open = modelOpener(() => settings);
    const learnt = async (name: string) => (await open(name)).learnt;
    expect(await learnt('openai:m')).toBe(await learnt('openai:m'));
    expect(await learnt('openai:m')).not.toBe(await learnt('openai:other'));
    await expect(open('constructor:x')).rejects.toThrow(/unknown model provider/);
  });

  it('uses a key that was replaced with its next request, also in a run that goes on', async () => {
    const server = new FixtureServer();
    await server.start();
    const withKey = (key: string) =>
      new Map([['openai', { OPENAI_BASE_URL: `${server.url}/v1`, OPENAI_API_KEY: key }]]);
    let now = withKey('sk-first');
    const model = await modelOpener(() => now)('openai:m', 'low');
    for (const key of ['sk-first', 'sk-second']) {
      now = withKey(key);
      server.willAnswer(readFixture('chat-completions', 'text'));
      await model.reply({
        system: '',
        messages: [{ role: 'user', text: 'Hello?' }],
        tools: [],
        maxOutputTokens: 99,
        cacheKey: 'k',
        signal: new AbortController().signal,
      });
    }
    await server.stop();
    const keys = server.requests.map(({ headers }) => headers['authorization']);
    expect(keys).toEqual(['Bearer sk-first', 'Bearer sk-second']);
  });
});
