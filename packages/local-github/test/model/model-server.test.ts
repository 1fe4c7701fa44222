import { afterEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { ModelServer, Script } from '../../src/index.ts';
import { startModelServer } from '../../src/index.ts';

const plan = 'Look around';
const calls = [{ tool_name: 'list_directory', arguments: { path: '.' } }];
const SAY = { say: { plan, tool_calls: calls } };

const KEY = { authorization: 'Bearer any' };

let server: ModelServer | undefined;
afterEach(() => server?.close());

async function start(...scripts: Script[]): Promise<OpenAI> {
  server = await startModelServer({ scripts });
  return new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any', maxRetries: 0 });
}

type Message = OpenAI.ChatCompletionMessageParam;
const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });

async function stream(client: OpenAI, messages: Message[]) {
  const chunks = await client.chat.completions.create({
    model: 'scripted',
    messages,
    stream: true,
    stream_options: { include_usage: true },
  });
  const seen = {
    text: '',
    pieces: 0,
    finish: '',
    usage: undefined as OpenAI.CompletionUsage | undefined,
  };
  for await (const chunk of chunks) {
    const choice = chunk.choices[0];
    if (choice?.delta.content) seen.pieces += 1;
    seen.text += choice?.delta.content ?? '';
    seen.finish = choice?.finish_reason ?? seen.finish;
    seen.usage = chunk.usage ?? seen.usage;
  }
  return seen;
}

describe('the scripted model server to the real openai client', () => {
  it('answers what is held once it is released, and all else at once', async () => {
    const client = await start({ turns: [SAY] });
    const held = server!.hold((body) => body.includes('Wait'));
    const ended: string[] = [];
    const waiting = stream(client, [user('Wait for it')]).then(() => ended.push('held'));
    await server!.untilAsked(1);
    await stream(client, [user('Hello')]).then(() => ended.push('other'));
    held.release();
    await waiting;
    await stream(client, [user('Wait no longer')]);
    expect(ended).toEqual(['other', 'held']);
  });

  it('streams a turn in several chunks, with its end and its usage', async () => {
    const client = await start({ turns: [SAY] });
    const seen = await stream(client, [user('Hello')]);
    expect(JSON.parse(seen.text)).toEqual({ plan, tool_calls: calls });
    expect(seen.pieces).toBeGreaterThan(1);
    expect(seen.finish).toBe('stop');
    const bytes = Buffer.byteLength(JSON.stringify([[], [user('Hello')]]));
    expect(seen.usage).toMatchObject({
      prompt_tokens: Math.ceil(bytes / 4),
      completion_tokens: Math.ceil(Buffer.byteLength(seen.text) / 4),
      prompt_tokens_details: { cached_tokens: 0 },
    });
  });

  it('answers whole as well, and lists its model', async () => {
    const client = await start({ turns: [{ raw: 'Just words' }] });
    const answer = await client.chat.completions.create({ model: 'm', messages: [user('Hello')] });
    expect(answer.choices[0]).toMatchObject({
      message: { role: 'assistant', content: 'Just words' },
      finish_reason: 'stop',
    });
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['scripted']);
  });

  it('answers whole with calls as well', async () => {
    const client = await start({ turns: [{ ...SAY, reasoning: 'First things first.' }] });
    const answer = await client.chat.completions.create({
      model: 'm',
      messages: [user('Hello')],
      tools: [{ type: 'function', function: { name: 'list_directory' } }],
    });
    expect(answer.choices[0]).toMatchObject({
      message: {
        content: plan,
        reasoning_content: 'First things first.',
        tool_calls: [
          { id: 'call_1_1', function: { name: 'list_directory', arguments: '{"path":"."}' } },
        ],
      },
      finish_reason: 'tool_calls',
    });
  });

  it('writes a turn in the tags of ReAct if the system prompt has them', async () => {
    const client = await start({ turns: [SAY] });
    const system: Message = { role: 'system', content: 'Answer with <tool_code>…</tool_code>.' };
    const { text } = await stream(client, [system, user('Hello')]);
    expect(text).toMatch(/^Look around\n\n<tool_code>\n<name>list_directory<\/name>/);
  });

  it('finds the turn by counting replies, so that a client may come back', async () => {
    const client = await start({ turns: [{ raw: 'one' }, { raw: 'two' }] });
    const second = [user('Hello'), assistant('one'), user('Go on')];
    expect((await stream(client, second)).text).toBe('two');
    expect((await stream(client, second)).text).toBe('two');
    await expect(stream(client, [...second, assistant('two'), user('More')])).rejects.toThrow(
      /the script has 2 turns, and turn 3 was asked/,
    );
  });

  it('takes the script that matches the first user message', async () => {
    const client = await start(
      { match: 'cats', turns: [{ raw: 'miaow' }] },
      { match: 'dogs', turns: [{ raw: 'woof' }] },
    );
    expect((await stream(client, [user('About dogs')])).text).toBe('woof');
    await expect(stream(client, [user('About cows')])).rejects.toThrow(/no script matches/);
  });

  it('waits for what a turn expects, and names it', async () => {
    const client = await start({ turns: [{ ...SAY, when: 'the an[s]wer' }] });
    await expect(stream(client, [user('Hello')])).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('turn 1 expects /the an[s]wer/'),
    });
    expect((await stream(client, [user('Here is the answer')])).finish).toBe('stop');
  });

  it('counts the common prefix of a conversation as cached', async () => {
    const client = await start({ turns: [{ raw: 'one' }, { raw: 'two' }] });
    const begin = [user('x'.repeat(4000))];
    await stream(client, begin);
    const { usage } = await stream(client, [...begin, assistant('one'), user('Go on')]);
    expect(usage?.prompt_tokens_details?.cached_tokens).toBeGreaterThan(1000);
    expect(usage?.prompt_tokens_details?.cached_tokens).toBeLessThan(usage?.prompt_tokens ?? 0);
  });

  it('fails on request, as often as it was told, then answers', async () => {
    const client = await start({
      turns: [
        { raw: 'fine', status: 429, times: 2 },
        { raw: 'x'.repeat(200), die: true },
        { raw: 'y'.repeat(200), cut: true },
      ],
    });
    const first = [user('Hello')];
    for (const _time of [1, 2])
      await expect(stream(client, first)).rejects.toMatchObject({ status: 429 });
    expect((await stream(client, first)).text).toBe('fine');
    const second = [...first, assistant('fine'), user('Go on')];
    await expect(stream(client, second)).rejects.toThrow(/terminated|aborted|closed|premature/i);
    expect((await stream(client, second)).text).toHaveLength(200);
    const third = await stream(client, [...second, assistant('xxx'), user('Go on')]);
    expect([third.text.length, third.finish]).toEqual([100, 'length']);
  });

  it.each([
    ['/openai/v1', { 'api-key': 'any', authorization: null }],
    ['/inference', KEY],
  ])('is at the address of Azure and of GitHub Models too: %s', async (base, defaultHeaders) => {
    await start({ turns: [{ raw: 'Hello' }] });
    const baseURL = `${server?.url}${base}`;
    const client = new OpenAI({ baseURL, apiKey: 'any', maxRetries: 0, defaultHeaders });
    expect((await stream(client, [user('Hello')])).text).toBe('Hello');
  });

  it('keeps the requests as they came, with their wire and path', async () => {
    await start({ turns: [SAY] });
    const body = '{ "model": "m",\n "messages": [] }';
    const path = '/v1/chat/completions?api-version=1';
    const answer = await fetch(`${server?.url}${path}`, { method: 'POST', body, headers: KEY });
    expect(answer.status).toBe(400);
    expect(server?.requests).toEqual([{ wire: 'chat', path, body }]);
    await server?.untilAsked(1);
  });

  it.each([
    ['/v1/chat/completions', '{'],
    ['/v1/responses', '{"model": "m", "input": "Hello"}'],
    ['/v1/messages', '{"model": "m", "messages": [{"role": "user", "content": "Hello"}]}'],
    ['/v1/messages', '{"model": "m", "max_tokens": 1, "stream": true, "messages": []}'],
    ['/v1beta/models/m:generateContent', '{"contents": [{"parts": [{"text": "Hello"}]}]}'],
    ['/v1beta/models/m:streamGenerateContent', '{"contents": [{"parts": [{"text": "Hello"}]}]}'],
    ['/api/chat', '{"model": "m", "stream": false, "messages": [{"role": "user"}]}'],
  ])('rejects an invalid or unstreamed request to %s: %s', async (path, body) => {
    await start({ turns: [SAY] });
    const answer = await fetch(`${server?.url}${path}`, { method: 'POST', body, headers: KEY });
    expect(answer.status).toBe(400);
  });

  it('wants a key', async () => {
    await start({ turns: [SAY] });
    const answer = await fetch(`${server?.url}/v1/models`);
    expect([answer.status, await answer.json()]).toMatchObject([
      401,
      { error: { type: 'invalid_request_error', code: 'invalid_api_key' } },
    ]);
  });

  it.each([
    [{ turns: [] }],
    [{ turns: [{}] }],
    [{ turns: [{ raw: 'a', say: SAY.say }] }],
    [{ turns: [{ raw: 'a', when: '(' }] }],
    [{ turns: [{ raw: 'a', whne: 'a' }] }],
  ])('rejects the script %j', async (script) => {
    await expect(startModelServer({ scripts: [script as Script] })).rejects.toThrow(
      /too_small|invalid_format|has either|no valid regular|unrecognized_keys/,
    );
  });
});
