import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ModelRequest } from '../../src/contracts/model.ts';
import { openai } from '../../src/models/providers/openai.ts';
import { type ChatChunk, ChatReply } from '../../src/models/openai/chat-reply.ts';
import { eventsOf } from '../../src/models/wire/server-events.ts';
import { anthropicAdapter } from '../../src/models/anthropic/anthropic-adapter.ts';
import { FixtureServer, readFixture } from '../contract/fixture-server.ts';
import { ERROR_SHAPES } from './error-shapes.ts';
import { OFFERED, STREAM_SHAPES, type StreamShape } from './stream-shapes.ts';

const server = new FixtureServer();
beforeAll(() => server.start());
beforeEach(() => server.reset());
afterAll(() => server.stop());

const request: ModelRequest = {
  system: 'You are a test.',
  messages: [{ role: 'user', text: 'Hello?' }],
  tools: OFFERED.map((name) => ({ name, description: name, parameters: { type: 'object' } })),
  maxOutputTokens: 99,
  cacheKey: 'session-1',
  signal: new AbortController().signal,
};

async function ask({ body, contentType = 'text/event-stream' }: StreamShape) {
  server.willAnswer({ status: 200, headers: { 'content-type': contentType }, body });
  const settings = openai.variables.parse({ OPENAI_BASE_URL: `${server.url}/v1` });
  return (await openai.open('m', settings)).reply(request);
}

/** What comes of the bytes of an answer that arrive in pieces of this size. */
async function readInPieces(body: string, size: number): Promise<unknown> {
  const bytes = Buffer.from(body);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_none, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  const reply = new ChatReply('key', request.tools);
  let isDone = false;
  const answer = new Response(ReadableStream.from(pieces));
  try {
    const events = eventsOf<ChatChunk>(
      answer,
      () => undefined,
      () => (isDone = true),
    );
    for await (const chunk of events) reply.add(chunk);
    const { calls = [], ...more } = reply.reply(isDone) ?? {};
    return { ...more, calls: calls.map(({ tool, arguments: given }) => ({ tool, given })) };
  } catch (error) {
    return error;
  }
}

describe('a reply in the form of some server', () => {
  it.each(STREAM_SHAPES)('is read: $name ($source)', async (shape) => {
    const { text, calls, stop } = await ask(shape);
    const meant = calls.map(({ tool, arguments: given, fault }) => [
      tool,
      fault === undefined ? given : { fault: true },
    ]);
    expect({ text, calls: meant, stop }).toEqual({
      text: shape.text ?? '',
      calls: shape.calls ?? [],
      stop: 'end',
    });
    expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  });

  it.each(ERROR_SHAPES)('is an error: $name ($source)', async (shape) => {
    await expect(ask(shape)).rejects.toThrow(shape.error);
  });

  it('is the same, whichever bytes come together', async () => {
    for (const { body } of [...STREAM_SHAPES, ...ERROR_SHAPES]) {
      const whole = await readInPieces(body, body.length);
      for (const size of [1, 2, 3, 5, 7, 11, 64])
        expect(await readInPieces(body, size)).toEqual(whole);
    }
  });
});

/** A reply of the Messages API with one call, and what servers make of it. */
const MESSAGE = readFixture('anthropic', 'call').body;
const unnamed = MESSAGE.replaceAll(/^event: .*\n/gm, '');
const among = (heartbeat: string) =>
  MESSAGE.replaceAll(/^event: content_block_delta$/gm, `${heartbeat}\n\n$&`);

describe('a reply of the Messages API in the form of some server', () => {
  it.each<[what: string, source: string, body: string, contentType?: string]>([
    [
      'without `message_stop`',
      'esengine/DeepSeek-Reasonix PR#8756',
      MESSAGE.replace(/event: message_stop[^]*/, ''),
    ],
    ['without names of events', 'earendil-works/pi#1993', unnamed],
    ['as JSON by its type', 'openclaw/openclaw PR#97454', MESSAGE, 'application/json'],
    [
      'with events without data',
      'anthropics/anthropic-sdk-typescript PR#861',
      among('event: content_block_delta'),
    ],
    [
      'with empty data',
      'anthropics/anthropic-sdk-typescript PR#903',
      among('event: content_block_delta\ndata:'),
    ],
    ['with null as data', 'theopenco/llmgateway#2334', among('event: ping\ndata: null')],
    ['with an empty object', 'diegosouzapw/OmniRoute#8744', among('event: ping\ndata: {}')],
    [
      'with data without a name',
      'Prism-Shadow/agenthub PR#174',
      among('data: {"type":"keepalive"}'),
    ],
    ['with a word as data', 'aaif-goose/goose PR#11816', among('event: keepalive\ndata: ping')],
  ])('is read %s (%s)', async (_what, _source, body, contentType = 'text/event-stream') => {
    server.willAnswer({ status: 200, headers: { 'content-type': contentType }, body });
    const at = { apiKey: 'k', baseUrl: server.url, isAnthropic: false };
    const reply = await anthropicAdapter('m', at).reply(request);
    expect(reply).toMatchObject({
      text: 'I look at the file.',
      stop: 'end',
      calls: [{ tool: 'read_file', arguments: { path: 'src/a.ts' } }],
    });
  });

  it('is asked for again if it has no end', async () => {
    const body = MESSAGE.replace(/event: message_delta[^]*/, '');
    server.willAnswer({ status: 200, headers: { 'content-type': 'text/event-stream' }, body });
    const at = { apiKey: 'k', baseUrl: server.url, isAnthropic: false };
    await expect(anthropicAdapter('m', at).reply(request)).rejects.toThrow(/ended early/);
  });
});
