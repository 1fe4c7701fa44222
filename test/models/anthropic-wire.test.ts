import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ContextOverflow } from '../../src/agent/model-errors.ts';
import type { Message, ModelRequest } from '../../src/contracts/model.ts';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';
import { anthropicAdapter } from '../../src/models/anthropic/anthropic-adapter.ts';
import { anthropic } from '../../src/models/providers/anthropic.ts';
import type { UnpricedReply } from '../../src/models/provider.ts';
import { FixtureServer, readFixture } from '../contract/fixture-server.ts';

const server = new FixtureServer();
const environment = { ...process.env };

beforeAll(() => server.start());
beforeEach(() => server.reset());
afterEach(() => {
  process.env = { ...environment };
});
afterAll(() => server.stop());

const TOOL = { name: 'read_file', description: 'Reads.', parameters: { type: 'object' } };
const QUESTION: Message = { role: 'user', text: 'What is in the file?' };
const REPLY: Message = {
  role: 'assistant',
  text: 'I look.',
  calls: [{ tool: 'read_file', arguments: { path: 'a' }, id: 'toolu_01A' }],
  native: null,
};
const RESULT = { id: 'toolu_01A', tool: 'read_file', ok: true, output: 'the content' };

async function ask(fixture: string, more: Partial<ModelRequest> = {}): Promise<UnpricedReply> {
  server.willAnswer(readFixture('anthropic', fixture));
  const settings = { ANTHROPIC_API_KEY: 'sk-own', ANTHROPIC_BASE_URL: server.url };
  const adapter = await anthropic.open('m', anthropic.variables.parse(settings));
  return adapter.reply(request(more));
}

const request = (more: Partial<ModelRequest>): ModelRequest => ({
  system: 'You are a test.',
  messages: [QUESTION],
  tools: [TOOL],
  maxOutputTokens: 99,
  cacheKey: 'k',
  signal: new AbortController().signal,
  ...more,
});

const failure = (fixture: string): Promise<unknown> =>
  ask(fixture).catch((error: unknown) => error);

const sent = (): Record<string, unknown> =>
  JSON.parse(server.requests.at(-1)?.body ?? '') as Record<string, unknown>;

describe('a request to the Messages API', () => {
  it('gives the key as x-api-key alone, and asks others for the first version', async () => {
    await ask('text');
    const [{ headers, path }] = server.requests as [(typeof server.requests)[0]];
    expect(path).toBe('/v1/messages');
    expect(headers).toMatchObject({ 'x-api-key': 'sk-own', 'anthropic-version': '2023-06-01' });
    expect(headers).not.toHaveProperty('authorization');
  });

  it('asks Anthropic itself for the version that its client is made for', async () => {
    server.willAnswer(readFixture('anthropic', 'text'));
    const own = { apiKey: 'sk-own', baseUrl: server.url, isAnthropic: true };
    await anthropicAdapter('m', own).reply(request({}));
    const [{ headers }] = server.requests as [(typeof server.requests)[0]];
    expect(headers).toMatchObject({ 'x-api-key': 'sk-own', 'anthropic-version': '2026-10-21' });
    expect(headers).not.toHaveProperty('authorization');
  });

  it('takes nothing from the environment', async () => {
    process.env['ANTHROPIC_API_KEY'] = 'sk-of-the-environment';
    process.env['ANTHROPIC_AUTH_TOKEN'] = 'token-of-the-environment';
    process.env['ANTHROPIC_BASE_URL'] = 'http://127.0.0.1:1';
    process.env['ANTHROPIC_PROFILE'] = 'missing';
    await ask('text');
    expect(JSON.stringify(server.requests)).not.toContain('of-the-environment');
  });

  it('marks its end for the cache, and has what grows at its end', async () => {
    await ask('text');
    expect(sent()).toMatchObject({ cache_control: { type: 'ephemeral' }, stream: true });
    expect(Object.keys(sent()).at(-1)).toBe('messages');
  });

  it('holds what belongs to one role in one message, results first', async () => {
    const messages: Message[] = [
      QUESTION,
      { role: 'user', text: 'Well?' },
      REPLY,
      { role: 'results', results: [RESULT] },
      { role: 'user', text: 'And?' },
    ];
    await ask('text', { messages });
    expect(sent()['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is in the file?' },
          { type: 'text', text: 'Well?' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'toolu_01A', name: 'read_file', input: { path: 'a' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_01A', content: 'the content' },
          { type: 'text', text: 'And?' },
        ],
      },
    ]);
  });

  it('gives each tool its JSON schema as input_schema', async () => {
    await ask('text');
    const { parameters, ...named } = TOOL;
    expect(sent()['tools']).toEqual([{ ...named, input_schema: parameters }]);
  });

  it('has no blank text in it', async () => {
    const blank: Message[] = [
      { role: 'user', text: ' \n' },
      QUESTION,
      REPLY,
      { role: 'results', results: [{ ...RESULT, ok: false, output: '\n' }] },
    ];
    await ask('text', { system: '', messages: blank });
    const body = sent();
    expect(body).not.toHaveProperty('system');
    expect(JSON.stringify(body)).toContain('"content":"(no output)","is_error":true');
    expect(server.requests[0]?.body).not.toMatch(/"(text|content)":"(\s|\\n)*"/);
  });

  it('describes calls as text if it defines no tools', async () => {
    const failed = { ...RESULT, ok: false, output: 'gone' };
    const messages: Message[] = [QUESTION, REPLY, { role: 'results', results: [RESULT, failed] }];
    await ask('text', { tools: [], messages });
    expect(JSON.stringify(sent())).not.toMatch(/tool_use|tool_result/);
    expect(sent()['messages']).toMatchObject([
      {},
      { content: [{ text: 'I look.\nCalled read_file: {"path":"a"}' }] },
      { content: [{ text: 'read_file gave: the content' }, { text: 'read_file failed: gone' }] },
    ]);
  });
});

describe('a reply of the Messages API', () => {
  const sendBack = async (reply: UnpricedReply): Promise<void> => {
    const results = reply.calls.map(({ id = '' }) => ({ ...RESULT, id }));
    const { text, calls, native } = reply;
    const said: Message = { role: 'assistant', text, calls, native };
    await ask('text', { messages: [QUESTION, said, { role: 'results', results }] });
  };

  it('that was paused counts as cut: something is missing', async () => {
    await expect(ask('pause')).resolves.toMatchObject({ stop: 'cut', native: null });
  });

  it('goes back without the blank text that came in it', async () => {
    const reply = await ask('blank-text');
    expect(reply.text).toBe('\n\n');
    await sendBack(reply);
    expect(sent()['messages']).toMatchObject([{}, { content: [{ type: 'tool_use' }] }, {}]);
  });

  it('is sent back without unsigned thoughts', async () => {
    const reply = await ask('unsigned');
    expect(reply.reasoning).toBe('The file comes first.');
    await sendBack(reply);
    expect(server.requests.at(-1)?.body).not.toContain('comes first');
  });

  it('with arguments that cannot be read goes back with none, as they have to be an object', async () => {
    const reply = await ask('bad-arguments');
    expect(reply.calls).toMatchObject([{ arguments: '{"path": src/a.ts}' }]);
    await sendBack(reply);
    expect(sent()['messages']).toMatchObject([{}, { content: [{ input: {} }] }, {}]);
  });
});

describe('a response of the Messages API that is not a reply', () => {
  it('is too long a conversation when the request has too many bytes', async () => {
    await expect(failure('too-large')).resolves.toBeInstanceOf(ContextOverflow);
  });

  it('is about money when a limit of spending is reached', async () => {
    const error = await failure('spent');
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).toMatch(/quota.*400, invalid_request_error/);
  });

  it('names the setting when replies are asked for that the model cannot write', async () => {
    const error = await failure('output-too-long');
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).toContain('AGENT_MAX_TOKENS');
  });

  it('does not take the key along when it leads elsewhere', async () => {
    const elsewhere = { status: 307, headers: { location: '/elsewhere' }, body: '' };
    server.willAnswer(elsewhere);
    expect(await failure('text')).toBeInstanceOf(TellPerson);
    expect(server.requests).toHaveLength(1);
  });

  it('is for the person when it comes whole in place of a stream', async () => {
    const whole = { type: 'message', content: [{ type: 'text', text: 'Hello' }] };
    const headers = { 'content-type': 'application/json' };
    server.willAnswer({ status: 200, headers, body: JSON.stringify(whole) });
    const error = await failure('text');
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).toMatch(/does not support streaming.*ANTHROPIC_BASE_URL/);
  });

  it('is tried later when a gateway has a page for it', async () => {
    const headers = { 'content-type': 'text/html' };
    server.willAnswer({ status: 502, headers, body: '<html>Bad gateway</html>' });
    expect(await failure('text')).toBeInstanceOf(TryLater);
  });
});

describe('the settings of Anthropic', () => {
  it('say where the code goes', () => {
    const key = { ANTHROPIC_API_KEY: 'sk' };
    const own = anthropic.variables.parse(key);
    const url = 'https://llm.example.com/a/';
    const other = anthropic.variables.parse({ ...key, ANTHROPIC_BASE_URL: url });
    expect(anthropic.destination(own, 'any')).toBe('Anthropic (api.anthropic.com)');
    expect(anthropic.destination(other, 'any')).toBe('the model server (llm.example.com)');
    expect(anthropic.secrets(own)).toEqual(['sk']);
  });
});
