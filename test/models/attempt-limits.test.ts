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
import type { ModelRequest } from '../../src/contracts/model.ts';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';
import type { LimitedAttempt } from '../../src/models/wire/attempt-limits.ts';
import { limitsFor, withinAttemptLimits } from '../../src/models/wire/attempt-limits.ts';
import { openModel, PROVIDERS } from '../../src/models/index.ts';
import { FixtureServer, readFixture } from '../contract/fixture-server.ts';

const LIMITS = { totalMs: 60_000, silenceMs: 60_000, bytes: 1000, characters: 1000 };
const never = () => new AbortController().signal;
/** As SDKs do, which take an aborted stream for a whole one. */
const untilAborted = ({ signal }: LimitedAttempt) =>
  new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('whole')));

describe('an attempt', () => {
  it('gives what came of it', async () => {
    await expect(withinAttemptLimits(never(), async () => 'done', LIMITS)).resolves.toBe('done');
  });

  it('ends when the server is silent', async () => {
    const attempt = withinAttemptLimits(never(), untilAborted, { ...LIMITS, silenceMs: 5 });
    await expect(attempt).rejects.toThrow(/stopped responding/);
    await expect(attempt).rejects.toBeInstanceOf(TryLater);
  });

  it('ends when it takes too long, however much is heard', async () => {
    const talking = async (line: LimitedAttempt) => {
      const timer = setInterval(() => line.heard(0), 1);
      const outcome = await untilAborted(line);
      clearInterval(timer);
      return outcome;
    };
    const attempt = withinAttemptLimits(never(), talking, { ...LIMITS, totalMs: 40 });
    await expect(attempt).rejects.toThrow(/too long to reply/);
  });

  it('ends with the reason of the caller', async () => {
    const controller = new AbortController();
    const attempt = withinAttemptLimits(controller.signal, untilAborted, LIMITS);
    controller.abort(new Error('told to stop'));
    await expect(attempt).rejects.toThrow('told to stop');
  });

  it('ends with that reason even if the SDK throws another', async () => {
    const controller = new AbortController();
    const failing = async (line: LimitedAttempt) => {
      await untilAborted(line);
      throw new Error('Request was aborted.');
    };
    const attempt = withinAttemptLimits(controller.signal, failing, LIMITS);
    controller.abort(new Error('told to stop'));
    await expect(attempt).rejects.toThrow('told to stop');
  });

  it('ends when a reply has no end', async () => {
    const talking = async (line: LimitedAttempt) => {
      for (;;) line.heard(100);
    };
    await expect(withinAttemptLimits(never(), talking, LIMITS)).rejects.toThrow(
      /more than 1000 characters without ending/,
    );
  });

  describe('over the line', () => {
    const server = new FixtureServer();
    beforeAll(() => server.start());
    beforeEach(() => server.reset());
    afterAll(() => server.stop());
    const answer = (bytes: number) =>
      server.willAnswer({ status: 500, headers: {}, body: 'x'.repeat(bytes) });
    const read = async ({ fetch, signal }: LimitedAttempt) =>
      (await fetch(server.url, { signal })).text();

    it('reads an answer', async () => {
      answer(900);
      await expect(withinAttemptLimits(never(), read, LIMITS)).resolves.toHaveLength(900);
    });

    it('ends when an answer has no end, be it an error', async () => {
      answer(100_000);
      await expect(withinAttemptLimits(never(), read, LIMITS)).rejects.toBeInstanceOf(TellPerson);
    });
  });
});

describe('how long a server may be silent', () => {
  it.each([
    ['http://127.0.0.1:8000/v1', undefined, 30],
    ['http://192.168.1.20:8000/v1', undefined, 30],
    ['http://[fd00::2]:8000/v1', undefined, 30],
    ['http://vllm:8000/v1', undefined, 30],
    ['https://models.internal/v1', undefined, 30],
    ['https://openrouter.ai/api/v1', undefined, 5],
    ['https://openrouter.ai/api/v1', 45, 45],
    ['http://127.0.0.1:8000/v1', 2, 2],
  ])('at %s with the setting %p is %i minutes', (url, setting, minutes) => {
    const { silenceMs, totalMs } = limitsFor(url, setting);
    expect(silenceMs).toBe(minutes * 60_000);
    expect(totalMs).toBe(Math.max(15, 2 * minutes) * 60_000);
  });
});

describe('a server that is silent for longer than `fetch` waits', () => {
  const server = new FixtureServer();
  const ENV = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' };
  beforeAll(() => server.start());
  beforeEach(() => server.reset());
  afterAll(() => server.stop());
  afterEach(() => void jest.restoreAllMocks());

  it.each([
    ['openai', 'OPENAI_BASE_URL', 'chat-completions', ''],
    ['anthropic', 'ANTHROPIC_BASE_URL', 'anthropic', ''],
  ])('is waited for at a private address: %s', async (name, setting, fixtures, path) => {
    const provider = PROVIDERS.find((one) => one.name === name);
    const settings = provider?.variables.parse({ ...ENV, [setting]: `${server.url}${path}` });
    const model = await openModel(`${name}:m`, new Map([[name, settings]]));
    server.willAnswer(readFixture(fixtures, 'text'));
    // As Node's does after five minutes without the head of an answer.
    jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'));
    await expect(model.reply(REQUEST)).resolves.toMatchObject({ stop: 'end' });
  });

  it('ends the request with the caller’s signal', async () => {
    const { port } = new URL(server.url);
    const controller = new AbortController();
    server.willAnswer(readFixture('chat-completions', 'text'), 'falls silent');
    const settings = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` };
    const model = await openModel('openai:m', new Map([['openai', settings]]));
    const asked = model.reply({ ...REQUEST, signal: controller.signal });
    controller.abort(new Error('told to stop'));
    await expect(asked).rejects.toThrow('told to stop');
  });
});

const REQUEST: ModelRequest = {
  system: '',
  messages: [{ role: 'user', text: 'Hello?' }],
  tools: [],
  maxOutputTokens: 99,
  cacheKey: 'session-1',
  signal: new AbortController().signal,
};
