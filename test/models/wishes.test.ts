// Servers that want something of the messages that they are sent, and say so only in an error.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Message, ModelRequest, Native, ToolSpec } from '../../src/contracts/model.ts';
import { ToolsUnsupported } from '../../src/agent/model-errors.ts';
import { anthropicAdapter } from '../../src/models/anthropic/anthropic-adapter.ts';
import { chatCompletions } from '../../src/models/openai/chat-completions.ts';
import type { ModelAdapter } from '../../src/models/provider.ts';
import { nativeKey } from '../../src/models/wire/sent-text.ts';
import { readFixture } from '../contract/fixture-server.ts';
import type { Fields } from './family-shapes.ts';
import { fails, WISH_FAMILIES, type WishFamily } from './wish-families.ts';

let server: Server | undefined;
const bodies: Fields[] = [];
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
  bodies.length = 0;
});

async function bodyOf(request: IncomingMessage): Promise<Fields> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return JSON.parse(Buffer.concat(pieces).toString()) as Fields;
}

async function answer(family: WishFamily, request: IncomingMessage, response: ServerResponse) {
  const body = await bodyOf(request);
  bodies.push(body);
  const failure = family.check(body);
  if (failure === undefined) {
    const folder = family.wire === 'chat' ? 'chat-completions' : 'anthropic';
    const { headers, body: reply } = readFixture(folder, 'text');
    response.writeHead(200, headers).end(reply);
    return;
  }
  const error = { message: failure.said, type: 'invalid_request_error', param: null, code: null };
  response.writeHead(failure.status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error }));
}

function address(): string {
  if (server === undefined) throw new Error('no server is open');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function open(family: WishFamily): Promise<ModelAdapter> {
  server = createServer((request, response) => void answer(family, request, response));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const baseUrl = address();
  if (family.wire === 'anthropic')
    return anthropicAdapter('m', { apiKey: 'k', baseUrl, isAnthropic: false });
  return chatCompletions({
    model: 'm',
    baseUrl,
    headers: {},
    isOpenAI: false,
    addressSetting: 'OPENAI_BASE_URL',
  });
}

const TOOLS: readonly ToolSpec[] = [
  {
    name: 'read_file',
    description: 'Reads a file.',
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', maxLength: 4096, description: 'From the root.' },
        // A property may have the name of a keyword.
        pattern: { type: 'array', items: { type: 'string', pattern: String.raw`^(\d+)$` } },
      },
      required: ['path'],
    },
  },
];

/** What a family sent, as the journal keeps it for the adapter of `key`. */
function nativeOf({ wire, extra, id }: WishFamily, key: string, call: boolean): Native {
  const { thinking } = extra as Fields;
  if (wire === 'anthropic') {
    const use = { type: 'tool_use', id, name: 'read_file', input: { path: 'a' } };
    const blocks = [thinking, call ? use : { type: 'text', text: 'Well.' }].filter(Boolean);
    return { key, value: blocks };
  }
  const given = { name: 'read_file', arguments: '{"path":"a"}' };
  const calls = call ? { tool_calls: [{ id, type: 'function', function: given }] } : {};
  return { key, value: { role: 'assistant', content: call ? null : 'Well.', ...extra, ...calls } };
}

/** A call with its result, a question after it, an answer, a reply that was cut and one that was understood from text. */
function conversationOf(from: WishFamily, key: string): ModelRequest {
  const call = { tool: 'read_file', arguments: { path: 'a' } };
  const results = (id: string): Message => ({
    role: 'results',
    results: [{ id, tool: 'read_file', ok: true, output: 'the content' }],
  });
  const { id } = from;
  const messages: Message[] = [
    { role: 'user', text: 'What is in the file?' },
    { role: 'assistant', text: '', calls: [{ ...call, id }], native: nativeOf(from, key, true) },
    results(id),
    { role: 'user', text: 'And now?' },
    { role: 'assistant', text: 'Well.', calls: [], native: nativeOf(from, key, false) },
    { role: 'user', text: 'Go on.' },
    { role: 'assistant', text: 'Half', calls: [], native: null },
    { role: 'user', text: 'That was cut.' },
    { role: 'assistant', text: 'I look.', calls: [{ ...call, id: 'call_7_0' }], native: null },
    results('call_7_0'),
  ];
  return {
    system: 'You are a test.',
    messages,
    tools: TOOLS,
    maxOutputTokens: 99,
    cacheKey: 'session-1',
    signal: new AbortController().signal,
  };
}

const keyOf = ({ wire }: WishFamily): string => nativeKey(wire, address(), 'm');

describe('the wishes of a server', () => {
  it.each(WISH_FAMILIES)(
    'are learnt in a conversation of its own: $name ($source)',
    async (family) => {
      const model = await open(family);
      await expect(model.reply(conversationOf(family, keyOf(family)))).resolves.toMatchObject({
        stop: 'end',
      });
      const first = bodies.length;
      await model.reply(conversationOf(family, keyOf(family)));
      expect(bodies.length).toBe(first + 1);
      expect(bodies.at(-1)).toEqual(bodies.at(-2));
    },
  );

  const pairs = WISH_FAMILIES.flatMap((from) =>
    WISH_FAMILIES.filter((to) => to !== from).map((to) => ({ from, to })),
  );
  it.each(pairs)('are learnt after a switch from $from.name to $to.name', async ({ from, to }) => {
    const model = await open(to);
    const request = conversationOf(from, 'the key of another model');
    await expect(model.reply(request)).resolves.toMatchObject({ stop: 'end' });
  });

  it('end in a step down if schemas without bounds do not help', async () => {
    const broken: WishFamily = {
      ...WISH_FAMILIES[0]!,
      check: () => fails('JSON schema conversion failed:\nUnrecognized schema: {}'),
    };
    const model = await open(broken);
    const request = conversationOf(broken, '');
    await expect(model.reply(request)).rejects.toBeInstanceOf(ToolsUnsupported);
    expect(bodies).toHaveLength(2);
  });

  it('leave schemas their properties', async () => {
    const model = await open(WISH_FAMILIES.find(({ name }) => name === 'llama.cpp')!);
    await model.reply(conversationOf(WISH_FAMILIES[0]!, ''));
    expect(bodies.at(-1)?.['tools'][0].function.parameters).toEqual({
      type: 'object',
      properties: {
        path: { type: 'string', description: 'From the root.' },
        pattern: { type: 'array', items: { type: 'string' } },
      },
      required: ['path'],
    });
  });
});
