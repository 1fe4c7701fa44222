import { afterEach, describe, expect, it } from '@jest/globals';
import type { ModelServer, Script } from '../../src/index.ts';
import { startModelServer } from '../../src/index.ts';
import { MODEL_CLIENTS } from '../model-clients/index.ts';
import type { Talk } from '../model-clients/talk.ts';

const call = (path: string) => ({ tool_name: 'read_file', arguments: { path } });
const say = (plan: string, ...paths: string[]) => ({ say: { plan, tool_calls: paths.map(call) } });
const LONG = 'A reply that is long enough to come in several pieces. '.repeat(5);
const TOOLS = { tools: true };

let server: ModelServer | undefined;
afterEach(() => server?.close());

describe.each(MODEL_CLIENTS)('the scripted model over $name', (client) => {
  async function start(script: Script, opening = 'Hello'): Promise<Talk> {
    server = await startModelServer({ scripts: [script] });
    const talk = client.talk(server.url, 'a-key');
    talk.say(opening);
    return talk;
  }

  it('says words in several pieces, and ends', async () => {
    const talk = await start({ turns: [{ raw: LONG }, { raw: 'And more' }] });
    const reply = await talk.ask();
    expect(reply).toMatchObject({ text: LONG, reasoning: '', calls: [], isCut: false });
    expect(reply.pieces).toBeGreaterThan(2);
    talk.say('Go on');
    expect((await talk.ask(TOOLS)).text).toBe('And more');
  });

  it('makes calls of the provider’s own, with the plan as text beside them', async () => {
    const talk = await start({ turns: [say('Look', 'src/a.ts')] });
    expect(await talk.ask(TOOLS)).toMatchObject({
      text: 'Look',
      calls: [{ name: 'read_file', args: { path: 'src/a.ts' } }],
      isCut: false,
    });
  });

  it('makes several calls at once, no two of a conversation with one id', async () => {
    const talk = await start({ turns: [say('Look', 'a', 'b', 'c'), say('Again', 'a'), say('')] });
    const first = await talk.ask(TOOLS);
    expect(first.calls.map(({ args }) => args)).toEqual([
      { path: 'a' },
      { path: 'b' },
      { path: 'c' },
    ]);
    talk.give('1', '2', '3');
    const second = await talk.ask(TOOLS);
    expect(second.text).toBe('Again');
    expect(new Set([...first.calls, ...second.calls].map(({ id }) => id)).size).toBe(4);
  });

  it('cuts a text, and a call in the middle of its arguments', async () => {
    const talk = await start({
      turns: [
        { raw: 'y'.repeat(200), cut: true },
        { ...say('Look', 'a', 'b'), cut: true },
      ],
    });
    expect(await talk.ask()).toMatchObject({ text: 'y'.repeat(100), isCut: true });
    talk.say('Go on');
    const reply = await talk.ask(TOOLS);
    expect(reply).toMatchObject({ text: 'Look', isCut: true });
    expect(reply.calls[0]?.args).toEqual({ path: 'a' });
    expect(reply.calls.map(({ args }) => args)).not.toContainEqual({ path: 'b' });
  });

  it('breaks off in the middle, and is whole when it is asked again', async () => {
    const talk = await start({ turns: [{ raw: LONG, die: true }] });
    await expect(talk.ask()).rejects.toThrow(/terminated|aborted|closed|premature|socket|fetch/i);
    expect((await talk.ask()).text).toBe(LONG);
  });

  it('fails with a status, as often as it was told', async () => {
    const talk = await start({ turns: [{ raw: 'fine', status: 503, times: 2 }] });
    for (const _time of [1, 2]) await expect(talk.ask()).rejects.toMatchObject({ status: 503 });
    expect((await talk.ask()).text).toBe('fine');
  });

  it('shows its reasoning, and continues when it comes back with the call', async () => {
    const talk = await start({ turns: [{ ...say('Look', 'a'), reasoning: LONG }, say('Good')] });
    expect(await talk.ask(TOOLS)).toMatchObject({ reasoning: LONG, text: 'Look' });
    talk.give('what a holds');
    expect(await talk.ask(TOOLS)).toMatchObject({ reasoning: '', text: 'Good' });
  });

  it('supports no tools if the script says so, and answers without them', async () => {
    const talk = await start({ tools_unsupported: true, turns: [say('Look', 'a')] });
    await expect(talk.ask(TOOLS)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/tools?\b|function calling/i) as unknown,
    });
    const { text, calls } = await talk.ask();
    expect([JSON.parse(text), calls]).toEqual([say('Look', 'a').say, []]);
  });

  it('counts tokens in the vendor’s way', async () => {
    const talk = await start({ turns: [{ raw: 'four', reasoning: 'x'.repeat(400) }] }, LONG);
    const { usage } = await talk.ask();
    expect(usage.input).toBeGreaterThan(LONG.length / 4);
    expect(usage.input).toBeLessThan((server?.requests[0]?.body.length ?? 0) / 4);
    expect(usage).toMatchObject({ cached: 0, output: 101 });
    expect([0, 100]).toContain(usage.reasoning);
  });

  it('rejects a request that exceeds the context of the script', async () => {
    const talk = await start({ context_bytes: 3000, turns: [{ raw: 'fine' }] }, 'x'.repeat(4000));
    await expect(talk.ask()).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/context|too long|maximum number of tokens/) as unknown,
    });
  });

  it('keeps each request as it came', async () => {
    const talk = await start({ turns: [{ raw: 'fine' }] }, 'Hello there');
    await talk.ask();
    expect(server?.requests).toHaveLength(1);
    expect(server?.requests[0]?.body).toContain('Hello there');
  });
});

describe.each(MODEL_CLIENTS.filter(({ seals }) => seals))('$name', (client) => {
  const turns = [{ ...say('Look', 'a', 'b'), reasoning: 'The file comes first.' }, say('Good')];

  it('must send the reasoning back with the call that it led to', async () => {
    server = await startModelServer({ scripts: [{ turns }] });
    const talk = client.talk(server.url, 'a-key');
    talk.say('Hello');
    await talk.ask(TOOLS);
    talk.give('1', '2');
    talk.forgetReasoning();
    await expect(talk.ask(TOOLS)).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/thought_signature|reasoning|thinking/) as unknown,
    });
  });

  it('must send a result for each call, and no other', async () => {
    server = await startModelServer({ scripts: [{ turns: [say('Look', 'a', 'b'), say('Good')] }] });
    const talk = client.talk(server.url, 'a-key');
    talk.say('Hello');
    await talk.ask(TOOLS);
    talk.give('1');
    await expect(talk.ask(TOOLS)).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('call_1_2') as unknown,
    });
  });
});

describe.each(MODEL_CLIENTS.filter(({ caches }) => caches))('$name', (client) => {
  it('reports how much of a request it has received before', async () => {
    server = await startModelServer({ scripts: [{ turns: [{ raw: 'one' }, { raw: 'two' }] }] });
    const talk = client.talk(server.url, 'a-key');
    talk.say('x'.repeat(4000));
    const { usage: first } = await talk.ask();
    talk.say('Go on');
    const { usage: second } = await talk.ask();
    expect([first.cached, second.cached > 1000]).toEqual([0, true]);
    expect(second.cached).toBeLessThan(second.input);
    expect(second.input).toBeGreaterThan(first.input);
  });
});

it.each([
  ['/v1/chat/completions', 401, 'error.code', 'invalid_api_key'],
  ['/v1/responses', 401, 'error.code', 'invalid_api_key'],
  ['/v1/messages', 401, 'error.type', 'authentication_error'],
  ['/v1beta/models/m:streamGenerateContent?alt=sse', 403, 'error.status', 'PERMISSION_DENIED'],
])('%s wants a key', async (path, status, field, value) => {
  server = await startModelServer({ scripts: [{ turns: [{ raw: 'fine' }] }] });
  const answer = await fetch(`${server.url}${path}`, { method: 'POST', body: '{}' });
  expect(answer.status).toBe(status);
  expect(await answer.json()).toHaveProperty(field, value);
  expect(server.requests).toEqual([]);
});
