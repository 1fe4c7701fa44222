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

// oxlint-disable-next-line typescript/no-explicit-any -- whatever was sent, which the servers below read
type Fields = Readonly<Record<string, any>>;
/** What a server says to a request; `undefined` if it answers. */
type Check = (body: Fields) => { readonly status: number; readonly said: string } | undefined;

interface Family {
  readonly name: string;
  /** Where its words were reported. */
  readonly source: string;
  readonly wire: 'chat' | 'anthropic';
  readonly check: Check;
  /** An id that it gives a call. */
  readonly id: string;
  /** What it sends of a reply beside text and calls. */
  readonly extra: object;
}

const fails = (said: string, status = 400) => ({ status, said });
const assistants = ({ messages }: Fields): Fields[] =>
  messages.filter(({ role }: Fields) => role === 'assistant');

/** Every keyword of a schema with a plain value, at any depth. */
const keywordsIn = (schema: unknown): string[] =>
  typeof schema === 'object' && schema !== null
    ? Object.entries(schema).flatMap(([name, value]) =>
        typeof value === 'object' ? keywordsIn(value) : [name],
      )
    : [];

const FAMILIES: readonly Family[] = [
  {
    name: 'OpenAI',
    source: 'openai',
    wire: 'chat',
    check: () => undefined,
    id: 'call_PTLP8xhu3uwZk4l3nlnrrJha',
    extra: {},
  },
  {
    name: 'DeepSeek V4',
    source: 'openclaw/openclaw#73417, JohnnyZ93/oai-compatible-copilot#215',
    wire: 'chat',
    check: (body) =>
      assistants(body).every(({ reasoning_content: given }) => Boolean(given))
        ? undefined
        : fails('The `reasoning_content` in the thinking mode must be passed back to the API.'),
    id: 'call_00_9nLfpIQ6VO1JCaEsJcU8WZnS',
    extra: { reasoning_content: 'The file comes first.' },
  },
  {
    name: 'DeepSeek, before V4',
    source: 'abhigyanpatwari/GitNexus#43',
    wire: 'chat',
    check: (body) =>
      assistants(body).every((message) => 'reasoning_content' in message)
        ? undefined
        : fails('Missing `reasoning_content` field in the assistant message at message index 2.'),
    id: 'call_00_abc',
    extra: { reasoning_content: 'The file comes first.' },
  },
  {
    name: 'Kimi',
    source: 'anomalyco/opencode#10996, agentscope-ai/QwenPaw#433',
    wire: 'chat',
    check: (body) =>
      assistants(body).every((one) => one['tool_calls'] === undefined || one['reasoning_content'])
        ? undefined
        : fails(
            'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
          ),
    id: 'functions.read_file:0',
    extra: { reasoning_content: 'The file comes first.' },
  },
  {
    name: 'Mistral',
    source: 'zed-industries/zed#37021, nearai/ironclaw#1241',
    wire: 'chat',
    check: ({ messages }) => {
      const roles = messages.map(({ role }: Fields) => role).join(' ');
      if (roles.includes('tool user')) return fails("Unexpected role 'user' after role 'tool'");
      const ids: string[] = messages.flatMap((one: Fields) => [
        ...(one['tool_call_id'] ? [one['tool_call_id']] : []),
        ...(one['tool_calls'] ?? []).map(({ id }: Fields) => id),
      ]);
      const wrong = ids.find((id) => !/^[A-Za-z0-9]{9}$/.test(id));
      if (wrong === undefined) return undefined;
      return fails(`Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`);
    },
    id: 'D681PevKs',
    extra: {},
  },
  {
    name: 'Mistral on oMLX',
    source: 'jundot/omlx#1997',
    wire: 'chat',
    check: ({ messages }) => {
      const wrong = messages.find(
        (one: Fields) => one['tool_call_id'] && one['tool_call_id'].length !== 9,
      );
      if (wrong === undefined) return undefined;
      const said = `Tool call id was ${wrong['tool_call_id']} but must be a-z, A-Z, 0-9, with a length of 9`;
      return fails(said, 500);
    },
    id: 'call_49c89af0',
    extra: {},
  },
  {
    name: 'llama.cpp',
    source: 'ggml-org/llama.cpp#25895, #26596',
    wire: 'chat',
    check: ({ tools = [] }) =>
      keywordsIn(tools).some((name) => ['pattern', 'maxLength', 'format'].includes(name))
        ? fails('Failed to initialize samplers: failed to parse grammar')
        : undefined,
    id: 'AbC123',
    extra: { reasoning_content: 'The file comes first.' },
  },
  {
    name: 'DeepSeek by the Messages API',
    source: 'NousResearch/hermes-agent PR#17510, decolua/9router#2397',
    wire: 'anthropic',
    check: (body) =>
      assistants(body).every(({ content }) => content[0].type === 'thinking')
        ? undefined
        : fails('The `content[].thinking` in the thinking mode must be passed back to the API.'),
    id: 'call_00_xyz',
    extra: { thinking: { type: 'thinking', thinking: 'The file comes first.', signature: '' } },
  },
  {
    name: 'Kimi by the Messages API',
    source: 'VicBilibily/GCMP#162',
    wire: 'anthropic',
    check: (body) =>
      assistants(body).every(({ content }) => content[0].type === 'thinking')
        ? undefined
        : fails(
            'thinking is enabled but reasoning_content is missing in assistant tool call message at index 12',
          ),
    id: 'tool_OEUd',
    extra: { thinking: { type: 'thinking', thinking: 'The file comes first.', signature: '' } },
  },
  {
    name: 'Anthropic',
    source: 'anthropic',
    wire: 'anthropic',
    check: ({ messages }) =>
      messages.some(({ content }: Fields) =>
        content.some((block: Fields) => block['type'] === 'thinking' && !block['signature']),
      )
        ? fails('messages.1.content.0.thinking.signature: Field required')
        : undefined,
    id: 'toolu_01A',
    extra: { thinking: { type: 'thinking', thinking: 'The file comes first.', signature: 'c2ln' } },
  },
];

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

async function answer(family: Family, request: IncomingMessage, response: ServerResponse) {
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

async function open(family: Family): Promise<ModelAdapter> {
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
function nativeOf({ wire, extra, id }: Family, key: string, call: boolean): Native {
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
function conversationOf(from: Family, key: string): ModelRequest {
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

const keyOf = ({ wire }: Family): string => nativeKey(wire, address(), 'm');

describe('the wishes of a server', () => {
  it.each(FAMILIES)('are learnt in a conversation of its own: $name ($source)', async (family) => {
    const model = await open(family);
    await expect(model.reply(conversationOf(family, keyOf(family)))).resolves.toMatchObject({
      stop: 'end',
    });
    const first = bodies.length;
    await model.reply(conversationOf(family, keyOf(family)));
    expect(bodies.length).toBe(first + 1);
    expect(bodies.at(-1)).toEqual(bodies.at(-2));
  });

  const pairs = FAMILIES.flatMap((from) =>
    FAMILIES.filter((to) => to !== from).map((to) => ({ from, to })),
  );
  it.each(pairs)('are learnt after a switch from $from.name to $to.name', async ({ from, to }) => {
    const model = await open(to);
    const request = conversationOf(from, 'the key of another model');
    await expect(model.reply(request)).resolves.toMatchObject({ stop: 'end' });
  });

  it('end in a step down if schemas without bounds do not help', async () => {
    const broken: Family = {
      ...FAMILIES[0]!,
      check: () => fails('JSON schema conversion failed:\nUnrecognized schema: {}'),
    };
    const model = await open(broken);
    const request = conversationOf(broken, '');
    await expect(model.reply(request)).rejects.toBeInstanceOf(ToolsUnsupported);
    expect(bodies).toHaveLength(2);
  });

  it('leave schemas their properties', async () => {
    const model = await open(FAMILIES.find(({ name }) => name === 'llama.cpp')!);
    await model.reply(conversationOf(FAMILIES[0]!, ''));
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
