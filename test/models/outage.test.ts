// What counts as a failure of the provider, after which another model may continue: never what is wrong on our side.
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { ProviderOutage, QuotaSpent } from '../../src/agent/model-errors.ts';
import type { Model, ModelRequest } from '../../src/contracts/model.ts';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';
import { onMeasured } from '../../src/lib/measurements.ts';
import { modelOpener, openModel } from '../../src/models/index.ts';
import { FixtureServer, readFixture } from '../contract/fixture-server.ts';

const server = new FixtureServer();
beforeAll(() => server.start());
beforeEach(() => server.reset());
afterAll(() => server.stop());
afterEach(() => void jest.restoreAllMocks());

const REQUEST: ModelRequest = {
  system: '',
  messages: [{ role: 'user', text: 'Hello?' }],
  tools: [],
  maxOutputTokens: 99,
  cacheKey: 'session-1',
  signal: new AbortController().signal,
};

async function failure(url: string): Promise<unknown> {
  const model = await openModel('openai:m', new Map([['openai', { OPENAI_BASE_URL: url }]]));
  return model.reply(REQUEST).catch((error: unknown) => error);
}

describe('a failure of a model', () => {
  const headers = { 'content-type': 'application/json', 'retry-after': '600' };

  it.each([
    [503, ProviderOutage],
    [529, ProviderOutage],
    [429, ProviderOutage],
  ])('with status %i is one of its provider', async (status, kind) => {
    server.willAnswer({ status, headers, body: '{"error":{"message":"Busy."}}' });
    const error = await failure(server.url);
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ retryAfterMs: 600_000 });
  });

  it('with status 402 is a quota that is used up', async () => {
    server.willAnswer({ status: 402, headers: {}, body: '{"error":{"message":"Buy more."}}' });
    expect(await failure(server.url)).toBeInstanceOf(QuotaSpent);
  });

  it.each([401, 403, 404, 418])('with status %i is ours', async (status) => {
    server.willAnswer({ status, headers: {}, body: '{"error":{"message":"No."}}' });
    const error = await failure(server.url);
    expect(error).toBeInstanceOf(TellPerson);
    expect(error).not.toBeInstanceOf(QuotaSpent);
  });

  describe('with status 401', () => {
    const MINUTE = 60_000;
    const denial = { status: 401, headers: {}, body: '{"error":{"message":"No."}}' };
    const settingsWith = (key: string) =>
      new Map([['openai', { OPENAI_BASE_URL: server.url, OPENAI_API_KEY: key }]]);
    const failureOf = (model: Model): Promise<unknown> =>
      model.reply(REQUEST).catch((error: unknown) => error);
    const succeed = async (model: Model) => {
      server.willAnswer(readFixture('chat-completions', 'text'));
      await model.reply(REQUEST);
    };

    it('is one of its provider, once it has accepted the same key', async () => {
      const model = await openModel('openai:m', settingsWith('sk-first'));
      await succeed(model);
      for (let nth = 0; nth < 4; nth += 1) server.willAnswer(denial);
      const error = await failureOf(model);
      expect(error).toBeInstanceOf(ProviderOutage);
      expect(String(error)).toMatch(/did not accept the API key.*\(401\).*may be an outage/);
    });

    it('is ours an hour after the key was last accepted', async () => {
      const model = await openModel('openai:m', settingsWith('sk-first'));
      await succeed(model);
      const now = Date.now();
      const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 59 * MINUTE);
      server.willAnswer(denial);
      await succeed(model);
      clock.mockReturnValue(now + (59 + 61) * MINUTE);
      server.willAnswer(denial);
      expect(await failureOf(model)).toBeInstanceOf(TellPerson);
    });

    it('is told to whoever watches the service, as is a used-up quota, and that all is well', async () => {
      const heard: unknown[] = [];
      const stop = onMeasured('credentials', (answer) => heard.push(answer));
      const model = await openModel('openai:m', settingsWith('sk-first'));
      server.willAnswer(denial);
      await failureOf(model);
      await succeed(model);
      server.willAnswer({ ...denial, status: 402 });
      await failureOf(model);
      stop();
      expect(heard).toEqual([
        { of: 'openai', answer: 'key_rejected' },
        { of: 'openai', answer: 'ok' },
        { of: 'openai', answer: 'quota_used_up' },
      ]);
    });

    it('is one of its provider after another key was replaced, but ours with a new key of its own', async () => {
      let settings = settingsWith('sk-first');
      const open = modelOpener(() => settings);
      await succeed(await open('openai:m'));
      settings = settingsWith('sk-first');
      server.willAnswer(denial);
      await succeed(await open('openai:other'));
      settings = settingsWith('sk-second');
      server.willAnswer(denial);
      expect(await failureOf(await open('openai:m'))).toBeInstanceOf(TellPerson);
    });
  });

  it('to connect is one of its provider, but not if its name or certificate is unknown here', async () => {
    jest.spyOn(globalThis, 'fetch').mockImplementation((url) => {
      const [, code] = /\/([A-Z_]+)\//.exec(new Request(url).url) ?? [];
      const cause = Object.assign(new Error('no connection'), { code });
      return Promise.reject(new TypeError('fetch failed', { cause }));
    });
    const codes = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'SELF_SIGNED_CERT_IN_CHAIN'];
    const errors = await Promise.all(
      codes.map((code) => failure(`https://m.example.com/${code}/v1`)),
    );
    expect(errors.every((error) => error instanceof TryLater)).toBe(true);
    expect(errors.map((error) => error instanceof ProviderOutage)).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
