import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Message, ModelRequest } from '../../src/contracts/model.ts';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';
import { gemini } from '../../src/models/providers/gemini.ts';
import type { ModelAdapter, UnpricedReply } from '../../src/models/provider.ts';
import { FixtureServer, readFixture } from '../contract/fixture-server.ts';

const server = new FixtureServer();
const environment = { ...process.env };
let adapter: ModelAdapter;

beforeAll(() => server.start());
beforeEach(async () => {
  server.reset();
  const settings = { GEMINI_API_KEY: 'own-key', GOOGLE_GEMINI_BASE_URL: server.url };
  adapter = await gemini.open('m', gemini.variables.parse(settings));
});
afterEach(() => {
  process.env = { ...environment };
});
afterAll(() => server.stop());

const TOOL = { name: 'read_file', description: 'Reads.', parameters: { type: 'object' } };
const QUESTION: Message = { role: 'user', text: 'What is in the file?' };

async function ask(
  fixtures: string | readonly string[],
  more: Partial<ModelRequest> = {},
): Promise<UnpricedReply> {
  for (const name of [fixtures].flat()) server.willAnswer(readFixture('gemini', name));
  return adapter.reply({
    system: 'You are a test.',
    messages: [QUESTION],
    tools: [TOOL],
    maxOutputTokens: 99,
    cacheKey: 'k',
    signal: new AbortController().signal,
    ...more,
  });
}

const failure = (fixture: string): Promise<unknown> =>
  ask(fixture).catch((error: unknown) => error);

/** The conversation that continues after a reply. */
function after({ text, calls, native }: UnpricedReply): readonly Message[] {
  const said: Message = { role: 'assistant', text, calls, native };
  const results = calls.map(({ id = '', tool }) => ({ id, tool, ok: true, output: 'the content' }));
  return [QUESTION, said, { role: 'results', results }];
}

interface Body {
  readonly contents: readonly { readonly role: string; readonly parts: readonly object[] }[];
  readonly generationConfig: object;
  readonly tools: unknown;
}

const bodies = (): readonly Body[] => server.requests.map(({ body }) => JSON.parse(body) as Body);

describe('a request to Gemini', () => {
  it('asks the beta version for a stream, with the key in a header', async () => {
    await ask('text');
    const [{ path, headers }] = server.requests as [(typeof server.requests)[0]];
    expect(path).toBe('/v1beta/models/m:streamGenerateContent?alt=sse');
    expect(headers).toMatchObject({ 'x-goog-api-key': 'own-key' });
  });

  it('takes nothing from the environment', async () => {
    process.env['GOOGLE_API_KEY'] = 'key-of-the-environment';
    process.env['GOOGLE_GEMINI_BASE_URL'] = 'http://127.0.0.1:1';
    process.env['GOOGLE_GENAI_USE_VERTEXAI'] = 'true';
    process.env['GOOGLE_GENAI_API_VERSION'] = 'v9';
    const settings = { GEMINI_API_KEY: 'own-key', GOOGLE_GEMINI_BASE_URL: server.url };
    adapter = await gemini.open('m', gemini.variables.parse(settings));
    await ask('text');
    expect(JSON.stringify(server.requests)).not.toMatch(/of-the-environment|v9/);
  });

  it('gives tools their JSON schemas as they are', async () => {
    await ask('text');
    const { parameters: parametersJsonSchema, ...named } = TOOL;
    expect(bodies()[0]?.tools).toEqual([
      { functionDeclarations: [{ ...named, parametersJsonSchema }] },
    ]);
  });

  it('gives results the ids of the server, and none that it does not know', async () => {
    const known = await ask('call');
    await ask('text', { messages: after(known) });
    const unknown = await ask('no-id');
    await ask('text', { messages: after(unknown) });
    const [, withIds, , without] = bodies();
    expect(withIds?.contents[2]?.parts).toMatchObject([{ functionResponse: { id: '8f2d9k1x' } }]);
    expect(JSON.stringify(without?.contents)).not.toContain('"id"');
    expect(without?.contents[2]?.parts).toHaveLength(2);
  });

  it('replaces the signature at the first call that has to be rebuilt', async () => {
    const { native: _native, ...reply } = await ask('parallel');
    await ask('text', { messages: after({ ...reply, native: null }) });
    const calls = bodies().at(-1)?.contents[1]?.parts;
    expect(calls).toEqual([
      {
        functionCall: { name: 'read_file', args: { path: 'src/a.ts' } },
        thoughtSignature: 'skip_thought_signature_validator',
      },
      { functionCall: { name: 'read_file', args: { path: 'src/b.ts' } } },
    ]);
  });

  it('leaves out messages that say nothing', async () => {
    const silent: Message = { role: 'assistant', text: '', calls: [], native: null };
    await ask('text', { messages: [{ role: 'user', text: '' }, QUESTION, silent, QUESTION] });
    expect(bodies()[0]?.contents.map(({ role }) => role)).toEqual(['user', 'user']);
  });
});

describe('a model that rejects an optional parameter', () => {
  it('is asked again without summaries of its thoughts, and not for them again', async () => {
    await expect(ask(['no-thoughts', 'text'])).resolves.toMatchObject({ stop: 'end' });
    await ask('text');
    const asked = bodies().map(({ generationConfig }) => 'thinkingConfig' in generationConfig);
    expect(asked).toEqual([true, false, false]);
  });

  it('is asked again without ids of calls', async () => {
    const messages = after(await ask('call'));
    await ask(['no-ids', 'text'], { messages });
    await ask('text', { messages });
    const withIds = bodies().map(({ contents }) => JSON.stringify(contents).includes('"id"'));
    expect(withIds).toEqual([false, true, false, false]);
  });
});

describe('a reply of Gemini', () => {
  it('whose call Gemini could not read has a call with a fault, and can be gone on from', async () => {
    const reply = await ask('malformed-call');
    expect(reply).toMatchObject({
      text: 'I look at the file.',
      stop: 'end',
      calls: [{ tool: 'unreadable_call', fault: expect.stringContaining('could not be read') }],
      native: null,
    });
    await ask('text', { messages: after(reply) });
    expect(bodies()[1]?.contents).toMatchObject([
      {},
      { parts: [{ text: 'I look at the file.' }, { functionCall: { args: {} } }] },
      { parts: [{ functionResponse: { name: 'unreadable_call' } }] },
    ]);
  });

  it('to a blocked prompt is filtered, although it has no finish reason', async () => {
    await expect(ask('blocked')).resolves.toMatchObject({ text: '', calls: [], stop: 'filtered' });
  });

  it('that could be continued counts as cut, and is not continued by the client', async () => {
    await expect(ask('continuation')).resolves.toMatchObject({ text: 'It begins', stop: 'cut' });
    expect(server.requests).toHaveLength(1);
  });

  it('that the server spoilt is asked for later', async () => {
    expect(await failure('malformed-response')).toBeInstanceOf(TryLater);
  });

  it('goes back with a signature that came behind its text', async () => {
    const reply = await ask('signed-text');
    await ask('text', { messages: [...after(reply).slice(0, 2), QUESTION] });
    const [text, signature] = bodies()[1]?.contents[1]?.parts ?? [];
    expect(text).toEqual({ text: 'It is done.' });
    expect(signature).toMatchObject({ text: '', thoughtSignature: expect.any(String) });
  });

  it('goes back without the summary of its thoughts', async () => {
    await ask('text', { messages: after(await ask('reasoning')) });
    expect(server.requests[1]?.body).not.toContain('comes first');
  });
});

describe('a run that is stopped', () => {
  it('ends the request that is under way, at the server too', async () => {
    const asked = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const silent = createServer((_request, response) => {
      response.on('close', ended.resolve);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(readFixture('gemini', 'text').body.split('\n\n')[0] + '\n\n', () =>
        asked.resolve(),
      );
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const settings = { GEMINI_API_KEY: 'own-key', GOOGLE_GEMINI_BASE_URL: url };
    adapter = await gemini.open('m', gemini.variables.parse(settings));
    const controller = new AbortController();
    const outcome = ask([], { signal: controller.signal }).catch((error: unknown) => error);
    await asked.promise;
    controller.abort(new Error('told to stop'));
    expect(await outcome).toEqual(new Error('told to stop'));
    await ended.promise;
    await new Promise((resolve) => silent.close(resolve));
  });
});

describe('an error of Gemini', () => {
  it('is about the key when it does not know the key', async () => {
    const error = await failure('key-unknown');
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).toMatch(/did not accept the API key/);
  });

  it('waits for as long as its body says', async () => {
    expect(await failure('429')).toMatchObject({ retryAfterMs: 7000 });
  });
});

describe('the settings of Gemini', () => {
  it('say where the code goes', () => {
    const own = gemini.variables.parse({ GEMINI_API_KEY: 'k' });
    expect(gemini.destination(own, 'any')).toBe(
      'Google Gemini (generativelanguage.googleapis.com)',
    );
    expect(gemini.secrets(own)).toEqual(['k']);
  });
});
