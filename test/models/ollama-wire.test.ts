import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ContextOverflow } from '../../src/agent/model-errors.ts';
import type { Message, ModelRequest } from '../../src/contracts/model.ts';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';
import { linesOf } from '../../src/models/wire/server-events.ts';
import { ollama } from '../../src/models/providers/ollama.ts';
import type { ModelAdapter, UnpricedReply } from '../../src/models/provider.ts';
import { FixtureServer, readFixture } from '../contract/fixture-server.ts';
import { expectLinearWork } from '../support/growth.ts';

const server = new FixtureServer();

beforeAll(() => server.start());
beforeEach(() => server.reset());
afterAll(() => server.stop());

const QUESTION: Message = { role: 'user', text: 'What is in the file?' };

const adapter = (settings: Readonly<Record<string, string>> = {}): Promise<ModelAdapter> =>
  ollama.open('m:8b', ollama.variables.parse({ OLLAMA_BASE_URL: server.url, ...settings }));

async function ask(
  fixture: string,
  settings: Readonly<Record<string, string>> = {},
  messages: ModelRequest['messages'] = [QUESTION],
): Promise<UnpricedReply> {
  server.willAnswer(readFixture('ollama', fixture));
  const { reply } = await adapter(settings);
  return reply({
    system: 'You are a test.',
    messages,
    tools: [{ name: 'read_file', description: 'Reads.', parameters: { type: 'object' } }],
    maxOutputTokens: 99,
    cacheKey: 'k',
    signal: new AbortController().signal,
  });
}

const failure = (
  fixture: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<unknown> => ask(fixture, settings).catch((error: unknown) => error);

const sent = (): unknown => JSON.parse(server.requests.at(-1)?.body ?? '');

describe('the window of a model on Ollama', () => {
  const shown = async (answer: object, context: string): Promise<number | undefined> => {
    const show = createServer((request, response) => {
      expect(request.url).toBe('/api/show');
      response.end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => void show.listen(0, '127.0.0.1', resolve));
    const { port } = show.address() as AddressInfo;
    const at = { OLLAMA_BASE_URL: `http://127.0.0.1:${port}`, OLLAMA_CONTEXT: context };
    const { contextWindow } = await adapter(at);
    await new Promise((resolve) => show.close(resolve));
    return contextWindow;
  };
  const information = (length: unknown) => ({
    model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': length },
  });

  it.each([
    ['less than the setting', information(8192), '65536', 8192],
    ['more than the setting', information(131_072), '65536', 65_536],
    ['no number', information('8192'), '65536', 65_536],
    ['nothing', {}, '65536', 65_536],
  ])('is by what the server shows, if that is %s', async (_what, answer, context, window) => {
    expect(await shown(answer, context)).toBe(window);
  });
});

describe('a request to Ollama', () => {
  it('asks for a context of its own, and forbids to cut what does not fit', async () => {
    await ask('text', { OLLAMA_CONTEXT: '65536' });
    expect(server.requests[0]?.path).toBe('/api/chat');
    expect(sent()).toMatchObject({
      options: { num_ctx: 65_536, num_predict: 99 },
      truncate: false,
      shift: false,
      stream: true,
    });
  });

  it('says how much the model can read', async () => {
    await expect(adapter()).resolves.toMatchObject({ contextWindow: 32_768 });
    await expect(adapter({ OLLAMA_CONTEXT: '8192' })).resolves.toMatchObject({
      contextWindow: 8192,
    });
  });

  it('has a key if a proxy wants one', async () => {
    await ask('text', { OLLAMA_API_KEY: 'own' });
    await ask('text');
    const keys = server.requests.map(({ headers }) => headers['authorization']);
    expect(keys).toEqual(['Bearer own', undefined]);
  });

  it('names the tool of each result, and its call', async () => {
    const reply = await ask('call');
    const { text, calls, native } = reply;
    const results = calls.map(({ id = '', tool }) => ({ id, tool, ok: true, output: 'content' }));
    const messages: Message[] = [
      QUESTION,
      { role: 'assistant', text, calls, native },
      { role: 'results', results },
    ];
    await ask('text', {}, messages);
    expect(sent()).toMatchObject({
      messages: [
        { role: 'system' },
        { role: 'user' },
        { tool_calls: [{ function: { name: 'read_file', arguments: { path: 'src/a.ts' } } }] },
        { role: 'tool', tool_name: 'read_file', tool_call_id: calls[0]?.id, content: 'content' },
      ],
    });
  });
});

describe('a reply of Ollama', () => {
  it('whose call cannot be read has a call with a fault', async () => {
    await expect(ask('bad-arguments')).resolves.toMatchObject({
      text: 'I look at the file.',
      stop: 'end',
      calls: [{ tool: 'read_file', fault: expect.stringContaining('could not be read') }],
    });
  });

  it('that runs out of context in the middle says so', async () => {
    expect(await failure('overflow-in-stream')).toBeInstanceOf(ContextOverflow);
  });
});

describe('a server of Ollama', () => {
  it('that lacks the model is reported with how to get it', async () => {
    const error = await failure('404');
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).toContain('`ollama pull m:8b`');
  });

  it('that is something else is recognised by its paths', async () => {
    const error = await failure('no-such-path');
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).toContain('OLLAMA_BASE_URL');
  });

  it('that has not enough memory is for the person, who can ask for less', async () => {
    const error = await failure('no-memory');
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).toMatch(/32768 tokens.*OLLAMA_CONTEXT/);
  });

  it('that is not there is tried later, and named', async () => {
    const error = await failure('text', { OLLAMA_BASE_URL: 'http://127.0.0.1:1' });
    expect(error).toBeInstanceOf(TryLater);
    expect((error as Error).message).toContain('127.0.0.1:1 (ECONNREFUSED)');
  });
});

describe('the lines of a body', () => {
  const read = async (pieces: readonly Uint8Array[]): Promise<readonly string[]> => {
    const lines: string[] = [];
    for await (const line of linesOf(stream(pieces), () => {})) lines.push(line);
    return lines;
  };

  it('are whole however they were torn apart', async () => {
    const bytes = Buffer.from('{"a":"ß👋"}\n\n{"b":1}\nrest');
    const pieces = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(await read(pieces)).toEqual(['{"a":"ß👋"}', '', '{"b":1}', 'rest']);
    expect(await read([bytes])).toEqual(['{"a":"ß👋"}', '', '{"b":1}', 'rest']);
  });

  it('take no more than linear time when one is long', async () => {
    const piece = Buffer.alloc(64, 'a');
    await expectLinearWork(async (pieces) => {
      const [line] = await read(Array.from({ length: pieces }, () => piece));
      expect(line).toHaveLength(64 * pieces);
    }, 262_144);
  });

  it('end when there is too much of them', async () => {
    const endless = linesOf(stream([Buffer.from('a'), Buffer.from('b')]), () => {
      throw new TellPerson('endless');
    });
    await expect(endless.next()).rejects.toThrow('endless');
  });
});

async function* stream(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

describe('the settings of Ollama', () => {
  it('say where the code goes', () => {
    const settings = ollama.variables.parse({});
    expect(ollama.destination(settings, 'any')).toBe('Ollama (127.0.0.1:11434)');
    expect(ollama.secrets(settings)).toEqual([]);
  });

  it.each(['', '12', 'many', '8192.5'])('do not take `%s` for a context', (context) => {
    expect(ollama.variables.safeParse({ OLLAMA_CONTEXT: context }).success).toBe(false);
  });
});
