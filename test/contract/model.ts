import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Call, Message, ModelRequest } from '../../src/contracts/model.ts';
import { ContextOverflow, ToolsUnsupported } from '../../src/agent/model-errors.ts';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';
import type { UnpricedReply } from '../../src/models/provider.ts';
import type { Ending } from './fixture-server.ts';
import { FixtureServer, readFixture } from './fixture-server.ts';
import type { Case, Wire } from './model-wire.ts';
import { BEGUN, BROKEN, MODEL, PICTURED, SECRET, SPOKEN, TEXT, THOUGHT } from './model-wire.ts';

const TOOL = {
  name: 'read_file',
  description: 'Reads a file of the repository.',
  parameters: {
    type: 'object',
    properties: { path: { type: 'string', description: 'From the root.' } },
    required: ['path'],
  },
};
const READ_A = { tool: 'read_file', arguments: { path: 'src/a.ts' } };
const READ_B = { tool: 'read_file', arguments: { path: 'src/b.ts' } };
const QUESTION: Message = { role: 'user', text: 'What is in the files?' };
const PAGE = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html>\n<html>\n<body>Welcome to the proxy.</body>\n</html>\n',
};
const PLAIN: Partial<ModelRequest> = { tools: [] };

/** What every adapter of a model keeps, on the fixtures of its wire. */
export function modelContract(name: string, wire: Wire): void {
  describe(`the contract of models, kept by ${name}`, () => {
    const world = new World(wire);
    beforeAll(() => world.server.start());
    beforeEach(() => world.server.reset());
    afterAll(() => world.server.stop());

    const forCase = (which: Case, behaviour: string, check: () => Promise<void>): void => {
      const reason = wire.absent[which];
      const declare = reason === undefined ? it : it.skip;
      declare(behaviour + (reason === undefined ? '' : ` (${which}: ${reason})`), check);
    };
    aboutReplies(world, forCase);
    aboutCalls(world, forCase);
    aboutRequests(world, forCase);
    aboutServerErrors(world, forCase);
    aboutBrokenStreams(world);
  });
}

type ForCase = (which: Case, behaviour: string, check: () => Promise<void>) => void;

class World {
  readonly server = new FixtureServer();
  readonly wire: Wire;

  constructor(wire: Wire) {
    this.wire = wire;
  }

  async ask(
    which: Case,
    more: Partial<ModelRequest> = {},
    ending?: Ending,
  ): Promise<UnpricedReply> {
    this.server.willAnswer(readFixture(this.wire.fixtures, which), ending);
    return this.reply(more);
  }

  async reply(more: Partial<ModelRequest> = {}): Promise<UnpricedReply> {
    const adapter = await this.wire.open(this.server.url);
    return adapter.reply({
      system: 'You are a test.',
      messages: [QUESTION],
      tools: [TOOL],
      maxOutputTokens: 4321,
      cacheKey: 'session-1',
      signal: new AbortController().signal,
      ...more,
    });
  }

  async failure(which: Case, more: Partial<ModelRequest> = {}, ending?: Ending): Promise<Error> {
    const outcome: unknown = await this.ask(which, more, ending).catch((error: unknown) => error);
    expect(outcome).toBeInstanceOf(Error);
    return outcome as Error;
  }

  /** The bodies of the requests, as text and as JSON. */
  get bodies(): readonly { readonly text: string; readonly json: Record<string, unknown> }[] {
    return this.server.requests.map(({ body }) => ({
      text: body,
      json: JSON.parse(body) as Record<string, unknown>,
    }));
  }
}

/** As the journal keeps it: written as JSON and read again. */
function spoken(reply: UnpricedReply): Message {
  const { text, calls, native } = reply;
  return JSON.parse(JSON.stringify({ role: 'assistant', text, calls, native })) as Message;
}

const resultsOf = ({ calls }: Pick<UnpricedReply, 'calls'>): Message => ({
  role: 'results',
  results: calls.map(({ tool, id }, index) => ({
    id: id ?? '',
    tool,
    ok: index === 0,
    output: index === 0 ? 'the content' : 'there is no such file',
  })),
});

const bare = (calls: readonly Call[]) =>
  calls.map(({ tool, arguments: given }) => ({ tool, arguments: given }));

function expectDistinctIds(calls: readonly Call[]): void {
  const ids = calls.map(({ id }) => id);
  expect(ids.every((id) => typeof id === 'string' && id !== '')).toBe(true);
  expect(new Set(ids).size).toBe(calls.length);
}

function aboutReplies(world: World, forCase: ForCase): void {
  const { cached = 80, written = 0, reasoningTokens = 12 } = world.wire;
  const usage = { input: 120, cached, written, output: 16, reasoning: 0 };

  forCase('text', 'reads a text, and what it cost in tokens', async () => {
    const { native: _native, ...reply } = await world.ask('text');
    expect(reply).toEqual({ text: TEXT, reasoning: '', calls: [], stop: 'end', usage });
  });

  forCase('reasoning', 'keeps the thoughts apart from the text', async () => {
    const reply = await world.ask('reasoning');
    expect(reply).toMatchObject({ reasoning: THOUGHT, text: SPOKEN, stop: 'end' });
    expect(bare(reply.calls)).toEqual([READ_A]);
    expect(reply.usage).toEqual({ ...usage, reasoning: reasoningTokens });
  });

  forCase('cut', 'says when a reply was cut', async () => {
    await expect(world.ask('cut')).resolves.toMatchObject({ text: BEGUN, stop: 'cut' });
  });

  forCase('cut-call', 'says when a call was cut', async () => {
    const reply = await world.ask('cut-call');
    expect(reply.stop).toBe('cut');
    expect(reply.calls.filter(({ fault }) => fault === undefined)).toEqual([]);
  });

  forCase('filtered', 'says when the safety filter stopped a reply', async () => {
    await expect(world.ask('filtered')).resolves.toMatchObject({ stop: 'filtered', calls: [] });
  });
}

function aboutCalls(world: World, forCase: ForCase): void {
  forCase('call', 'reads a call beside a text', async () => {
    const reply = await world.ask('call');
    expect(reply).toMatchObject({ text: SPOKEN, stop: 'end' });
    expect(bare(reply.calls)).toEqual([READ_A]);
    expectDistinctIds(reply.calls);
    expect(reply.calls[0]).not.toHaveProperty('fault');
  });

  for (const [which, what] of [
    ['parallel', 'several calls of one reply'],
    ['same-index', 'calls with one index and two ids as two'],
    ['no-index', 'calls with no index'],
    ['no-id', 'calls with no ids, and gives them some'],
  ] as const) {
    forCase(which, `reads ${what}`, async () => {
      const { calls } = await world.ask(which);
      expect(bare(calls)).toEqual([READ_A, READ_B]);
      expectDistinctIds(calls);
    });
  }

  forCase('no-id', 'gives out no id twice in a conversation', async () => {
    const replies = [await world.ask('no-id'), await world.ask('no-id')];
    expectDistinctIds(replies.flatMap(({ calls }) => calls));
  });

  forCase('bad-arguments', 'gives a call with unreadable arguments a fault', async () => {
    const { calls } = await world.ask('bad-arguments');
    expect(calls).toMatchObject([{ tool: 'read_file', fault: expect.stringMatching(/JSON/) }]);
  });

  forCase(
    'bad-arguments',
    'sends such a call back in a form that no server trips over',
    async () => {
      const reply = await world.ask('bad-arguments');
      await world.ask('text', { messages: [QUESTION, spoken(reply), resultsOf(reply)] });
      const { text, json } = world.bodies.at(-1)!;
      expect(text).not.toContain(BROKEN);
      expect(world.wire.conversation(json).messages.length).toBeGreaterThanOrEqual(3);
    },
  );

  forCase('double-encoded', 'reads arguments that were encoded twice', async () => {
    expect(bare((await world.ask('double-encoded')).calls)).toEqual([READ_A]);
  });

  forCase('no-arguments', 'reads no arguments as none', async () => {
    const { calls } = await world.ask('no-arguments');
    expect(bare(calls)).toEqual([{ tool: 'list_directory', arguments: {} }]);
    expect(calls[0]).not.toHaveProperty('fault');
  });
}

function aboutRequests(world: World, forCase: ForCase): void {
  it('sends everything that is asked for', async () => {
    await world.ask('text');
    const { path } = world.server.requests[0]!;
    const { text } = world.bodies[0]!;
    for (const part of ['You are a test.', 'What is in the files?', '4321', 'From the root.'])
      expect(text).toContain(part);
    expect(path + text).toContain(MODEL);
    expect(path + text).toMatch(/stream/i);
  });

  it('does not mention tools if there are none', async () => {
    await world.ask('text', PLAIN);
    expect(world.bodies[0]?.text).not.toMatch(/tool/i);
  });

  it('sends images with the message that they belong to, each after its name', async () => {
    await world.ask('text', { messages: [PICTURED] });
    const { messages } = world.wire.conversation(world.bodies[0]!.json);
    // Chat Completions have the system prompt before it.
    expect(messages.at(-1)).toEqual(world.wire.withImages);
  });

  it('takes the images that providers take in all places', async () => {
    const { imageTypes } = await world.wire.open(world.server.url);
    expect(imageTypes).toEqual(expect.arrayContaining(['image/png', 'image/jpeg']));
  });

  for (const which of ['call', 'parallel', 'reasoning', 'no-id'] as const) {
    forCase(
      which,
      `begins a request with the one before it, byte for byte (${which})`,
      async () => {
        const first = await world.ask(which);
        const second = await world.ask('text', {
          messages: [QUESTION, spoken(first), resultsOf(first)],
        });
        const messages = [QUESTION, spoken(first), resultsOf(first), spoken(second), QUESTION];
        await world.ask('text', { messages });
        const sent = world.bodies.map(({ json }) => world.wire.conversation(json));
        for (const [index, later] of sent.slice(1).entries()) {
          const earlier = sent[index]!;
          const beginning = later.messages.slice(0, earlier.messages.length);
          expect(JSON.stringify(beginning)).toBe(JSON.stringify(earlier.messages));
          expect(JSON.stringify(later.shared)).toBe(JSON.stringify(earlier.shared));
        }
      },
    );
  }

  forCase('parallel', 'sends calls and their results back', async () => {
    const reply = await world.ask('parallel');
    await world.ask('text', { messages: [QUESTION, spoken(reply), resultsOf(reply)] });
    const text = world.bodies.at(-1)!.text.replaceAll('\\"', '"');
    const parts = ['read_file', 'src/a.ts', 'src/b.ts', 'the content', 'there is no such file'];
    for (const part of parts) expect(text).toContain(part);
  });

  forCase('reasoning', 'sends opaque items back verbatim', async () => {
    const reply = await world.ask('reasoning');
    expect(reply.native).not.toBeNull();
    await world.ask('text', { messages: [QUESTION, spoken(reply), resultsOf(reply)] });
    for (const piece of world.wire.opaque) expect(world.bodies.at(-1)!.text).toContain(piece);
  });

  forCase('reasoning', 'leaves the opaque items of another model out', async () => {
    const reply = await world.ask('reasoning');
    const native = { key: `${reply.native?.key} of another`, value: reply.native?.value };
    const said = spoken({ ...reply, native });
    await world.ask('text', { messages: [QUESTION, said, resultsOf(reply)] });
    const { text } = world.bodies.at(-1)!;
    for (const piece of world.wire.opaque) expect(text).not.toContain(piece);
    expect(text).toContain('src/a.ts');
  });

  forCase('reasoning', 'sends no call back that has no result', async () => {
    const reply = await world.ask('reasoning');
    const said = spoken({ ...reply, calls: [] });
    await world.ask('text', { messages: [QUESTION, said, QUESTION] });
    const { text } = world.bodies.at(-1)!;
    expect(text).not.toContain('src/a.ts');
    expect(text).toContain(SPOKEN);
  });

  it('takes calls that another provider named, and texts that JSON cannot carry', async () => {
    const call = {
      tool: 'do/it',
      arguments: { path: 'x\0\ud800' },
      id: `functions.do:${'9'.repeat(99)}`,
    };
    const messages: Message[] = [
      { role: 'user', text: 'a\0b\udc00c' },
      { role: 'assistant', text: 'd\ud800', calls: [call], native: null },
      resultsOf({ calls: [call] }),
    ];
    await world.ask('text', { system: 'e\0f', messages });
    const { text } = world.bodies[0]!;
    expect(text).not.toMatch(/\\u0000|\\ud[89a-f]/i);
    expect(text).not.toContain('9'.repeat(65));
  });

  it('takes an assistant that said nothing', async () => {
    const silent: Message = { role: 'assistant', text: '', calls: [], native: null };
    await world.ask('text', { messages: [QUESTION, silent, QUESTION] });
    expect(world.bodies).toHaveLength(1);
  });
}

function aboutServerErrors(world: World, forCase: ForCase): void {
  const rows = [
    ['400', 'tells the person of a request that the server rejects', TellPerson],
    ['401', 'tells the person of an invalid key, and does not quote it', TellPerson],
    ['404', 'tells the person of an unknown model', TellPerson],
    ['429', 'tries later after a rate limit', TryLater],
    ['quota', 'tells the person that there is no money left', TellPerson],
    ['500', 'tries later after a fault of the server', TryLater],
    ['overloaded', 'tries later when the server has too much to do', TryLater],
    ['error-in-stream', 'tries later when the server breaks off with an error', TryLater],
    ['overflow', 'says that the conversation is too long', ContextOverflow],
    ['no-tools', 'says that the server supports no tools for the model', ToolsUnsupported],
  ] as const;
  for (const [which, behaviour, kind] of rows) {
    forCase(which, behaviour, async () => {
      const error = await world.failure(which);
      expect(error).toBeInstanceOf(kind);
      expect(error.message).not.toContain(SECRET);
      expect(world.server.requests).toHaveLength(1);
    });
  }

  forCase('400', 'says what the server says about the request', async () => {
    expect((await world.failure('400')).message).toMatch(/\(400.*\)\. It says: `[^`{}]{10,400}`$/);
  });

  forCase('401', 'says what is invalid', async () => {
    expect((await world.failure('401')).message).toMatch(/key.*test-model.*401/);
  });

  forCase('404', 'says which model is not known', async () => {
    expect((await world.failure('404')).message).toContain(MODEL);
  });

  forCase('429', 'says how long to wait', async () => {
    expect(await world.failure('429')).toMatchObject({ retryAfterMs: 7000 });
  });

  forCase('no-tools', 'does not blame tools if the request had none', async () => {
    expect(await world.failure('no-tools', PLAIN)).not.toBeInstanceOf(ToolsUnsupported);
  });
}

function aboutBrokenStreams(world: World): void {
  it.each<[string, Ending]>([
    ['ends with no end mark', 'ends early'],
    ['breaks off', 'breaks off'],
  ])('tries later when a reply %s', async (_what, ending) => {
    expect(await world.failure('text', {}, ending)).toBeInstanceOf(TryLater);
  });

  it('tries later when a call ends with no end mark', async () => {
    expect(await world.failure('call', {}, 'ends early')).toBeInstanceOf(TryLater);
  });

  it('tells the person of a page in place of the API', async () => {
    world.server.willAnswer(PAGE);
    const error: unknown = await world.reply().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).toMatch(/did not return an API response.*Check/);
  });

  it('asks for nothing when it was stopped before', async () => {
    const signal = AbortSignal.abort(new Error('told to stop'));
    await expect(world.ask('text', { signal })).rejects.toThrow('told to stop');
    expect(world.server.requests).toHaveLength(0);
  });

  it('stops in the middle of a reply when it is told to', async () => {
    const controller = new AbortController();
    const asked = world.failure('text', { signal: controller.signal }, 'falls silent');
    await world.server.untilSilent();
    controller.abort(new Error('told to stop'));
    expect((await asked).message).toBe('told to stop');
  });
}
