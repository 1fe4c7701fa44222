import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { PROVIDERS, openEmbedder } from '../../src/models/index.ts';
import { vertexKeyFile } from './vertex-key-file.ts';

// These tests speak to sockets that nock would otherwise stand in front of.
nock.restore();

interface Seen {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Record<string, string>;
  readonly body: string;
}

/** The answers of the servers as their documentation has them, for two texts. */
const VECTORS = [
  [3, 4, 0],
  [0, 0, 2],
] as const;
const OPENAI = {
  object: 'list',
  // In another order: the index counts.
  data: [
    { object: 'embedding', index: 1, embedding: VECTORS[1] },
    { object: 'embedding', index: 0, embedding: VECTORS[0] },
  ],
  model: 'm',
  usage: { prompt_tokens: 8, total_tokens: 8 },
};
const GEMINI = { embeddings: VECTORS.map((values) => ({ values })) };
const OLLAMA = { model: 'm', embeddings: VECTORS, total_duration: 1, prompt_eval_count: 8 };

let server: Server;
let url: string;
let seen: Seen[] = [];
let answer: Answer | 'silence' = { body: '' };

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url: path = '', headers } = request;
  const body = await text(request);
  seen.push({ path, headers, body: body === '' ? '' : JSON.parse(body) });
  if (answer === 'silence') return;
  const type = { 'content-type': answer.type ?? 'application/json' };
  response.writeHead(answer.status ?? 200, { ...type, ...answer.headers });
  response.end(answer.body);
}

beforeAll(async () => {
  server = createServer((request, response) => void respond(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const PRICES = { models: { 'openai:m': { price: { input: 500_000, output: 0 } } } };

function open(word: string, variables: Record<string, string>, prices = {}) {
  const provider = PROVIDERS.find(({ name }) => name === word);
  const settings = new Map([[word, provider?.variables.parse(variables)]]);
  return openEmbedder(`${word}:m`, () => settings, { models: {}, ...prices });
}
const openai = (prices = {}) =>
  open('openai', { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'sk-test' }, prices);

const ask = (
  embedder: ReturnType<typeof open>,
  given: Answer | 'silence',
  signal?: AbortSignal,
) => {
  seen = [];
  answer = given;
  return embedder.embed(['one', 'two'], signal ?? new AbortController().signal);
};
const json = (body: object): Answer => ({ body: JSON.stringify(body) });

const WIRES: readonly [string, () => Record<string, string>, object, Partial<Seen>, object][] = [
  [
    'openai',
    () => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'sk-test' }),
    OPENAI,
    {
      path: '/v1/embeddings',
      body: { model: 'm', input: ['one', 'two'], encoding_format: 'float' },
    },
    { authorization: 'Bearer sk-test' },
  ],
  [
    'azure',
    () => ({ AZURE_OPENAI_ENDPOINT: `${url}/openai`, AZURE_OPENAI_API_KEY: 'azure-key' }),
    OPENAI,
    { path: '/openai/v1/embeddings' },
    { 'api-key': 'azure-key' },
  ],
  [
    'gh',
    () => ({ GITHUB_MODELS_BASE_URL: `${url}/inference`, GITHUB_MODELS_TOKEN: 'token' }),
    OPENAI,
    { path: '/inference/embeddings' },
    { authorization: 'Bearer token' },
  ],
  [
    'gemini',
    () => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'gemini-key' }),
    GEMINI,
    { path: '/v1beta/models/m:batchEmbedContents' },
    { 'x-goog-api-key': 'gemini-key' },
  ],
  [
    'ollama',
    () => ({ OLLAMA_BASE_URL: url, OLLAMA_API_KEY: 'proxy-key' }),
    OLLAMA,
    { path: '/api/embed', body: { model: 'm', input: ['one', 'two'] } },
    { authorization: 'Bearer proxy-key' },
  ],
];

describe.each(WIRES)('the embeddings of %s', (word, variables, answered, request, headers) => {
  it('are one vector of length 1 for each text, in one request with the key', async () => {
    const { vectors } = await ask(open(word, variables()), json(answered));
    expect(vectors.map((vector) => [...vector].map((value) => value.toFixed(2)))).toEqual([
      ['0.60', '0.80', '0.00'],
      ['0.00', '0.00', '1.00'],
    ]);
    expect(seen).toEqual([expect.objectContaining({ ...request })]);
    expect(seen[0]?.headers).toMatchObject(headers);
    expect(JSON.stringify(seen[0]?.body)).toContain('two');
  });

  it('reject if the server fails, and the key goes to no other server', async () => {
    const embedder = open(word, variables());
    for (const status of [400, 401, 404, 429, 500, 503]) {
      await expect(ask(embedder, { status, body: '{"error":"no"}' })).rejects.toThrow();
      expect(seen).toHaveLength(1);
    }
    await expect(
      ask(embedder, { status: 302, headers: { location: `${url}/elsewhere` }, body: '' }),
    ).rejects.toThrow();
    expect(seen.map(({ path }) => path)).not.toContain('/elsewhere');
    await expect(ask(embedder, { type: 'text/html', body: '<html>' })).rejects.toThrow();
    await expect(ask(embedder, { body: '{"embeddings": [[1' })).rejects.toThrow();
  });

  it('end with their signal', async () => {
    const controller = new AbortController();
    const asked = ask(open(word, variables()), 'silence', controller.signal);
    controller.abort();
    await expect(asked).rejects.toThrow();
  });
});

it.each([
  ['of fewer texts', [[1, 2]]],
  ['of more texts', [[1], [2], [3]]],
  ['of two lengths', [[1, 2], [1]]],
  ['without numbers', [[], []]],
  [
    'without a direction',
    [
      [0, 0],
      [0, 0],
    ],
  ],
  ['that are no numbers', [['1'], ['2']]],
  ['that are missing', [null, [1]]],
  ['of too many numbers', [Array.from({ length: 20_000 }, () => 1), [1]]],
])('vectors %s are rejected', async (_what, embeddings) => {
  const embedder = open('ollama', { OLLAMA_BASE_URL: url });
  await expect(ask(embedder, json({ embeddings }))).rejects.toThrow();
});

it('cost what their tokens cost, if both are known', async () => {
  expect(await ask(openai(PRICES), json(OPENAI))).toMatchObject({ usage: { input: 8 }, cost: 4 });
  expect(await ask(openai(), json(OPENAI))).toMatchObject({ usage: { input: 8 }, cost: null });
  const { usage: _usage, ...silent } = OPENAI;
  expect(await ask(openai(PRICES), json(silent))).toMatchObject({
    usage: { input: 0 },
    cost: null,
  });
  const free = open('ollama', { OLLAMA_BASE_URL: url });
  expect(await ask(free, json(OLLAMA))).toMatchObject({ usage: { input: 8 }, cost: 0 });
});

it('a provider without embeddings has none, and Vertex AI has them', () => {
  expect(() => open('anthropic', { ANTHROPIC_API_KEY: 'k' })).toThrow(/no embeddings/);
  const variables = {
    GOOGLE_CLOUD_PROJECT: 'p',
    GOOGLE_VERTEX_BASE_URL: url,
    GOOGLE_APPLICATION_CREDENTIALS: vertexKeyFile(),
  };
  expect(open('vertex', variables).name).toBe('vertex:m');
});
