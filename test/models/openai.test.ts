import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openAIModel } from '../../src/models/openai.ts';
import { withRetries } from '../../src/models/retry.ts';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';

// Shapes from the documentation and the types of the openai client; none was captured live.

type Answer = (response: ServerResponse) => void;

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const usage = `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14, prompt_tokens_details: { cached_tokens: 6 } } })}\n\n`;
const stream =
  (...parts: string[]): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(parts.join(''));
  };
const refuse =
  (status: number, error: object, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error }));
  };
const GOOD = stream(
  chunk({ role: 'assistant', content: 'Hel' }),
  chunk({ content: 'lo' }),
  chunk({}, 'stop'),
  usage,
  'data: [DONE]\n\n',
);

describe('the OpenAI adapter', () => {
  let server: Server;
  let answers: Answer[];
  let bodies: Record<string, unknown>[];

  beforeAll(async () => {
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        bodies.push(JSON.parse(Buffer.concat(parts).toString()) as Record<string, unknown>);
        (answers.shift() ?? GOOD)(response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    answers = [];
    bodies = [];
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const model = () => {
    const { port } = server.address() as AddressInfo;
    return openAIModel('m', { apiKey: 'sk-secret-key', baseUrl: `http://127.0.0.1:${port}/v1` });
  };
  const request = (signal = new AbortController().signal) => ({
    system: 'You are a test.',
    messages: [{ role: 'user', text: 'Hello?' } as const],
    maxOutputTokens: 99,
    cacheKey: 'k',
    signal,
  });
  const failure = async (answer: Answer): Promise<unknown> => {
    answers = [answer];
    return model()
      .reply(request())
      .catch((error: unknown) => error);
  };

  it('streams a request and gathers reply and usage', async () => {
    await expect(model().reply(request())).resolves.toEqual({
      text: 'Hello',
      stop: 'end',
      usage: { input: 10, cached: 6, output: 4, reasoning: 0 },
    });
    expect(bodies[0]).toMatchObject({
      model: 'm',
      stream: true,
      max_tokens: 99,
      messages: [
        { role: 'system', content: 'You are a test.' },
        { role: 'user', content: 'Hello?' },
      ],
    });
  });

  it('says when a reply was cut', async () => {
    answers = [stream(chunk({ content: 'Hel' }), chunk({}, 'length'), 'data: [DONE]\n\n')];
    await expect(model().reply(request())).resolves.toMatchObject({ text: 'Hel', stop: 'cut' });
  });

  it.each<[string, Answer]>([
    ['a stream that ends with no end marker', stream(chunk({ content: 'Hel' }))],
    ['a connection that breaks', (response) => response.destroy()],
    ['an overloaded server', refuse(503, { message: 'overloaded' })],
    ['a rate limit', refuse(429, { message: 'slow down' })],
  ])('is tried later after %s', async (_what, answer) => {
    expect(await failure(answer)).toBeInstanceOf(TryLater);
  });

  it('knows how long it is asked to wait', async () => {
    const error = await failure(refuse(429, { message: 'slow down' }, { 'retry-after': '7' }));
    expect(error).toMatchObject({ retryAfterMs: 7000 });
  });

  it.each<[string, Answer, RegExp]>([
    [
      'a refused key',
      refuse(401, { message: 'Incorrect API key: sk-secret-key', code: 'invalid_api_key' }),
      /refused the key.*401, invalid_api_key/,
    ],
    ['an unknown model', refuse(404, { message: 'no such model' }), /does not know m/],
    ['a used-up quota', refuse(429, { message: 'pay', code: 'insufficient_quota' }), /quota/],
    [
      'a conversation that is too long',
      refuse(400, { message: 'too long', code: 'context_length_exceeded' }),
      /longer than m can read/,
    ],
    [
      'a page instead of the API',
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>'),
      /OPENAI_BASE_URL/,
    ],
  ])('tells the person of %s, without the provider’s words', async (_what, answer, words) => {
    const error = await failure(answer);
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).toMatch(words);
    expect((error as Error).message).not.toContain('sk-secret');
  });

  it('cuts off a reply without end', async () => {
    const flood = chunk({ content: 'x'.repeat(1_000_000) });
    expect(await failure(stream(...Array.from({ length: 6 }, () => flood)))).toBeInstanceOf(
      TellPerson,
    );
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    answers = [() => controller.abort(new Error('told to stop'))];
    await expect(model().reply(request(controller.signal))).rejects.toThrow('told to stop');
  });

  describe('with retries', () => {
    const patient = () =>
      withRetries(model(), { attempts: 3, firstDelayMs: 1, longestDelayMs: 50 });

    it('asks again, a bounded number of times', async () => {
      answers = [refuse(500, {}), refuse(500, {})];
      await expect(patient().reply(request())).resolves.toMatchObject({ text: 'Hello' });
      answers = Array.from({ length: 9 }, () => refuse(500, {}));
      bodies = [];
      await expect(patient().reply(request())).rejects.toBeInstanceOf(TryLater);
      expect(bodies).toHaveLength(3);
    });

    it('does not ask again what cannot be mended', async () => {
      answers = [refuse(401, {}), GOOD];
      await expect(patient().reply(request())).rejects.toBeInstanceOf(TellPerson);
      expect(bodies).toHaveLength(1);
    });

    it('leaves a long wait to the caller', async () => {
      answers = [refuse(429, {}, { 'retry-after': '3600' }), GOOD];
      await expect(patient().reply(request())).rejects.toMatchObject({ retryAfterMs: 3_600_000 });
      expect(bodies).toHaveLength(1);
    });
  });
});
