// Servers that reject a request for its length, or for the length of the reply, in their own words.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Message, Model, ModelRequest } from '../../src/contracts/model.ts';
import { ContextOverflow } from '../../src/agent/model-errors.ts';
import { TellPerson } from '../../src/lib/errors.ts';
import { openModel } from '../../src/models/index.ts';
import { readFixture } from '../contract/fixture-server.ts';

interface Sent {
  readonly max_tokens: number;
  readonly messages: readonly unknown[];
}
type Rejects = (sent: Sent) => boolean;

let server: Server;
let sent: Sent[] = [];
afterEach(async () => {
  sent = [];
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** A model whose server says this to what it rejects. */
async function open(rejects: Rejects, answer: object | string, status = 400): Promise<Model> {
  const { headers, body } = readFixture('chat-completions', 'text');
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const asked = JSON.parse(Buffer.concat(pieces).toString()) as Sent;
    sent.push(asked);
    if (rejects(asked)) {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    } else response.writeHead(200, headers).end(body);
  };
  server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const settings = { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` };
  const prices = { models: { 'openai:m': { contextWindow: 1_000_000, maxOutput: 1_000_000 } } };
  return openModel('openai:m', new Map([['openai', settings]]), prices);
}

const SHORT: readonly Message[] = [{ role: 'user', text: 'Hello?' }];
const LONG: readonly Message[] = Array.from({ length: 20 }, (_none, at): Message => {
  const text = 'word '.repeat(200);
  return at % 2 === 0
    ? { role: 'user', text }
    : { role: 'assistant', text, calls: [], native: null };
});
const requestOf = (messages: readonly Message[]): ModelRequest => ({
  system: 'You are a test.',
  messages,
  tools: [],
  maxOutputTokens: 32_000,
  cacheKey: 'session-1',
  signal: new AbortController().signal,
});
const message = (words: string, more: object = {}) => ({ error: { message: words, ...more } });

// In our own words where they do not matter, after the reports beside them.
const TOO_LONG: readonly [server: string, answer: object | string, status?: number][] = [
  [
    'MiniMax (MiniMax-AI/MiniMax-M2#119)',
    message('invalid params, context window exceeds limit (2013)'),
  ],
  [
    'MiniMax, with status 200',
    {
      choices: null,
      base_resp: { status_code: 2013, status_msg: 'invalid params, context window exceeds limit' },
    },
    200,
  ],
  ['Z.ai (earendil-works/pi#9805)', message('Prompt too long', { code: '1261' })],
  [
    'Z.ai (NousResearch/hermes-agent PR#61728)',
    message('tokens in request more than max tokens allowed', { code: '1210' }),
  ],
  [
    'Cohere (pydantic/pydantic-ai PR#4221)',
    { message: 'too many tokens: size limit exceeded by 19296 tokens.' },
  ],
  [
    'OpenAI (code-yeongyu/senpi PR#1466)',
    message("Your input exceeds the model's context window."),
  ],
  [
    'TGI',
    {
      error: 'Input validation error: `inputs` must have less than 4095 tokens. Given: 9001',
      error_type: 'validation',
    },
    422,
  ],
  [
    'Copilot proxies',
    message('prompt token count of 140000 exceeds the limit of 128000', {
      code: 'model_max_prompt_tokens_exceeded',
    }),
  ],
  ['LiteLLM, short', message('litellm.ContextWindowExceededError: litellm.BadRequestError')],
  [
    'Cloudflare',
    {
      errors: [
        {
          message: 'The estimated number of input and maximum output tokens is too much',
          code: 5021,
        },
      ],
    },
  ],
  [
    'vLLM',
    message(
      'You passed 40961 input tokens and requested 1 output tokens. The context length is only 40960 tokens.',
    ),
  ],
  ['NIM', { detail: 'Number of prompt tokens is above what this deployment was built for' }],
  ['mlx', { error: 'The prompt does not fit' }],
  ['nobody knows', 'Nope.'],
];

const REPLY_TOO_LONG: readonly [
  server: string,
  answer: object | string,
  most: number,
  status?: number,
][] = [
  [
    'OpenAI',
    message(
      'max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.',
    ),
    16_384,
  ],
  [
    'Groq (anomalyco/opencode#1000)',
    message('`max_tokens` must be less than or equal to `16384`'),
    16_384,
  ],
  [
    'Groq (skapadia3214/groq-moa#8)',
    message('max_tokens for `m` must be less than or equal to 8000'),
    8_000,
  ],
  [
    'DeepSeek (BerriAI/litellm#5198)',
    message('Invalid max_tokens value, the valid range of max_tokens is [1, 8192]'),
    8_192,
  ],
  [
    'Kimi (MoonshotAI/kimi-code#1148)',
    message("max_tokens (32000) exceeds model's maximum output tokens (16384) for model m"),
    16_384,
  ],
  [
    'Mistral (openclaw/openclaw PR#53006)',
    {
      object: 'error',
      message: {
        detail: [
          { msg: 'Input should be less than or equal to 16,384', loc: ['body', 'max_tokens'] },
        ],
      },
    },
    16_384,
    422,
  ],
  ['GLM', message('max_tokens 参数非法：取值范围 [1,8192]', { code: '1214' }), 8_192],
  ['Together', message('The field is out of its range'), 4_096],
  ['nobody knows', 'Nope.', 4_096],
];

describe('a rejection that may be for the length of the conversation', () => {
  it.each(TOO_LONG)('is taken for it, once: %s', async (_server, answer, status = 400) => {
    const model = await open(({ messages }) => messages.length > 10, answer, status);
    await expect(model.reply(requestOf(LONG))).rejects.toBeInstanceOf(ContextOverflow);
    await expect(model.reply(requestOf(LONG.slice(-3)))).resolves.toMatchObject({ stop: 'end' });
  });

  it('is for people if a shorter conversation is rejected as well', async () => {
    const model = await open(() => true, message('The name of a tool is odd.'));
    await expect(model.reply(requestOf(LONG))).rejects.toBeInstanceOf(ContextOverflow);
    const second = model.reply(requestOf(LONG.slice(0, 10)));
    await expect(second).rejects.toThrow(/It says: `The name of a tool is odd\.`/);
    await expect(second).rejects.toBeInstanceOf(TellPerson);
  });

  it('is for people at once if the conversation is short', async () => {
    const model = await open(() => true, message('The name of a tool is odd.'));
    await expect(model.reply(requestOf(SHORT))).rejects.toThrow(/The name of a tool is odd/);
    expect(sent.map(({ max_tokens: tokens }) => tokens)).toEqual([32_000, 4_096]);
  });
});

describe('a rejection that may be for the length of the reply', () => {
  it.each(REPLY_TOO_LONG)(
    'asks for a shorter one: %s',
    async (_server, answer, most, status = 400) => {
      const model = await open(({ max_tokens: tokens }) => tokens > most, answer, status);
      await expect(model.reply(requestOf(LONG))).resolves.toMatchObject({ stop: 'end' });
      await model.reply(requestOf(SHORT));
      expect(sent.map(({ max_tokens: tokens }) => tokens)).toEqual([32_000, most, most]);
    },
  );

  it('names the setting if no length is accepted', async () => {
    const model = await open(() => true, message('the valid range of max_tokens is [1, 8192]'));
    await expect(model.reply(requestOf(LONG))).rejects.toThrow(/AGENT_MAX_TOKENS/);
    expect(sent.map(({ max_tokens: tokens }) => tokens)).toEqual([32_000, 8_192, 4_096]);
  });
});
