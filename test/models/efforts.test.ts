// How much a model is to think, as each API is told, and what is learnt from servers that do not take it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Effort, ModelRequest } from '../../src/contracts/model.ts';
import { modelOpener, PROVIDERS } from '../../src/models/index.ts';
import { fieldsOf } from '../../src/models/wire/token-count.ts';
import { FixtureServer, readFixture, type Fixture } from '../contract/fixture-server.ts';

const server = new FixtureServer();
beforeAll(() => server.start());
beforeEach(() => server.reset());
afterAll(() => server.stop());

interface Api {
  readonly provider: string;
  readonly fixtures: string;
  readonly variables: (url: string) => Readonly<Record<string, string>>;
  /** What a request says of the effort. */
  readonly said: (body: Readonly<Record<string, never>>) => unknown;
}

const APIS = {
  chat: {
    provider: 'openai',
    fixtures: 'chat-completions',
    variables: (url) => ({ OPENAI_BASE_URL: url }),
    said: (body) => body['reasoning_effort'],
  },
  responses: {
    provider: 'openai',
    fixtures: 'responses',
    variables: (url) => ({ OPENAI_BASE_URL: url, OPENAI_API: 'responses' }),
    said: (body) => body['reasoning'],
  },
  messages: {
    provider: 'anthropic',
    fixtures: 'anthropic',
    variables: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'k' }),
    said: ({ output_config: config, thinking }) => [config, thinking],
  },
  gemini: {
    provider: 'gemini',
    fixtures: 'gemini',
    variables: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'k' }),
    said: ({ generationConfig }) => fieldsOf(generationConfig)['thinkingConfig'],
  },
  ollama: {
    provider: 'ollama',
    fixtures: 'ollama',
    variables: (url) => ({ OLLAMA_BASE_URL: url }),
    said: (body) => body['think'],
  },
} satisfies Readonly<Record<string, Api>>;

/** Opens a model, asks it, and returns what each request said of the effort. */
function asking(api: keyof typeof APIS) {
  const { provider: word, fixtures, variables, said }: Api = APIS[api];
  const provider = PROVIDERS.find(({ name }) => name === word);
  const settings = new Map([[word, provider?.variables.parse(variables(server.url))]]);
  const open = modelOpener(() => settings);
  return async (effort?: Effort, rejections: readonly Fixture[] = []): Promise<unknown[]> => {
    const before = server.requests.length;
    for (const rejection of rejections) server.willAnswer(rejection);
    server.willAnswer(readFixture(fixtures, 'text'));
    const model = await open(`${word}:m`, effort);
    await expect(model.reply(REQUEST)).resolves.toMatchObject({ stop: 'end' });
    return server.requests.slice(before).map(({ body }) => said(JSON.parse(body)));
  };
}

const REQUEST: ModelRequest = {
  system: '',
  messages: [{ role: 'user', text: 'Hello?' }],
  tools: [],
  maxOutputTokens: 40_000,
  cacheKey: 'session-1',
  signal: new AbortController().signal,
};

const rejected = (message: string, status = 400): Fixture => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }),
});

const THOUGHTS = { includeThoughts: true };
const ADAPTIVE = { type: 'adaptive' };

describe('the effort of a request', () => {
  it.each([
    ['chat', undefined, undefined],
    ['chat', 'low', 'low'],
    ['chat', 'medium', 'medium'],
    ['chat', 'high', 'high'],
    ['chat', 'max', 'max'],
    ['responses', undefined, undefined],
    ['responses', 'low', { effort: 'low' }],
    ['responses', 'max', { effort: 'max' }],
    ['messages', undefined, [undefined, undefined]],
    ['messages', 'low', [{ effort: 'low' }, undefined]],
    ['messages', 'medium', [{ effort: 'medium' }, undefined]],
    ['messages', 'high', [{ effort: 'high' }, ADAPTIVE]],
    ['messages', 'max', [{ effort: 'max' }, ADAPTIVE]],
    ['gemini', undefined, THOUGHTS],
    ['gemini', 'low', { ...THOUGHTS, thinkingLevel: 'LOW' }],
    ['gemini', 'medium', { ...THOUGHTS, thinkingLevel: 'MEDIUM' }],
    ['gemini', 'high', { ...THOUGHTS, thinkingLevel: 'HIGH' }],
    ['gemini', 'max', { ...THOUGHTS, thinkingLevel: 'HIGH' }],
    ['ollama', undefined, undefined],
    ['ollama', 'low', 'low'],
    ['ollama', 'max', 'high'],
  ] as const)('to the API %s, %s, is %j', async (api, effort, said) => {
    expect(await asking(api)(effort)).toEqual([said]);
  });
});

// Messages as the reports have them, where the words matter.
const GEMINI_25 = rejected('Thinking level is not supported for this model.');
const NO_EFFORT = rejected('This model does not support the effort parameter.');

describe('a server that does not take an effort', () => {
  it.each([
    [
      'OpenAI, a model without `max`',
      'chat',
      'max',
      [
        rejected(
          "Unsupported value: 'max' is not supported with the model. Use 'reasoning_effort' …",
        ),
      ],
      ['max', 'xhigh'],
    ],
    [
      'a proxy (nguyenphutrong/quotio#287)',
      'chat',
      'max',
      [rejected('level "max" not supported, valid levels: low, medium, high, xhigh')],
      ['max', 'xhigh'],
    ],
    [
      'SGLang (router-for-me/CLIProxyAPI#1572)',
      'chat',
      'max',
      [
        rejected("1 validation error: 'loc': ('body', 'reasoning_effort')"),
        rejected("1 validation error: 'loc': ('body', 'reasoning_effort')"),
      ],
      ['max', 'xhigh', 'high'],
    ],
    [
      'a model that does not think',
      'responses',
      'high',
      [rejected("Unsupported parameter: 'reasoning.effort' is not supported with this model.")],
      [{ effort: 'high' }, undefined],
    ],
    [
      'Claude Sonnet 4.5 (anthropics/claude-code#30795)',
      'messages',
      'high',
      [NO_EFFORT, NO_EFFORT],
      [
        [{ effort: 'high' }, ADAPTIVE],
        [{ effort: 'high' }, undefined],
        [undefined, { type: 'enabled', budget_tokens: 16_000 }],
      ],
    ],
    [
      'a server with the API of Anthropic (experientiallabs/experiential#795)',
      'messages',
      'low',
      [rejected('output_config: Extra inputs are not permitted')],
      [
        [{ effort: 'low' }, undefined],
        [undefined, undefined],
      ],
    ],
    [
      'Gemini 2.5 (RooCodeInc/Roo-Code#10700)',
      'gemini',
      'medium',
      [GEMINI_25],
      [
        { ...THOUGHTS, thinkingLevel: 'MEDIUM' },
        { ...THOUGHTS, thinkingBudget: 8_192 },
      ],
    ],
    [
      'Ollama, a model without levels',
      'ollama',
      'high',
      [
        {
          ...rejected(''),
          body: '{"error":"think value \\"high\\" is not supported for this model"}',
        },
      ],
      ['high', true],
    ],
    [
      'Ollama, a model that does not think',
      'ollama',
      'low',
      [
        { ...rejected(''), body: '{"error":"\\"m\\" does not support thinking"}' },
        { ...rejected(''), body: '{"error":"\\"m\\" does not support thinking"}' },
      ],
      ['low', true, undefined],
    ],
  ] as const)(
    'is asked at once for the next best: %s',
    async (_name, api, effort, answers, said) => {
      const ask = asking(api);
      expect(await ask(effort, answers)).toEqual(said);
      // And it is remembered.
      expect(await ask(effort)).toEqual(said.slice(-1));
    },
  );

  it('hears no more of it than an error of it says: other rejections stay what they are', async () => {
    const { provider: word, variables }: Api = APIS.chat;
    const settings = new Map([[word, variables(server.url)]]);
    const model = await modelOpener(() => settings)(`${word}:m`, 'high');
    for (let times = 0; times < 2; times += 1) server.willAnswer(rejected('No such day.'));
    await expect(model.reply(REQUEST)).rejects.toThrow(/No such day/);
    const said = server.requests.map(({ body }) => APIS.chat.said(JSON.parse(body)));
    expect(new Set(said)).toEqual(new Set(['high']));
  });

  it('leaves Claude no budget for thinking that its reply has no room for', async () => {
    const settings = new Map([['anthropic', APIS.messages.variables(server.url)]]);
    const model = await modelOpener(() => settings)('anthropic:m', 'high');
    for (const answer of [NO_EFFORT, NO_EFFORT]) server.willAnswer(answer);
    server.willAnswer(readFixture('anthropic', 'text'));
    await model.reply({ ...REQUEST, maxOutputTokens: 1_500 });
    const last = server.requests.at(-1)?.body ?? '{}';
    expect(APIS.messages.said(JSON.parse(last))).toEqual([undefined, undefined]);
  });
});
