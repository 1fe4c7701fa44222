// The search of memories by meaning, on a real database, with a model that knows three meanings.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { memoriesFor } from '../../../../src/app/run/ports/memories.ts';
import type { Embedder } from '../../../../src/contracts/model.ts';
import { NO_USAGE } from '../../../../src/lib/no-usage.ts';
import type { OpenStore } from '../../../../src/store/open.ts';
import { newSession, spentSince } from '../../../contract/store-world.ts';
import { Journal } from '../../../support/journal.ts';
import { openTestStore } from '../../../support/test-database.ts';

let store: OpenStore;
let session: string;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store.close());
beforeEach(async () => {
  session = await newSession(store);
});

/** Each meaning is a direction. */
const MEANINGS = [/lunch|meal|canteen/i, /car|vehicle|lorry/i, /rain|weather|umbrella/i];
const vectorOf = (text: string): Float32Array =>
  Float32Array.from(MEANINGS, (meaning) => (meaning.test(text) ? 1 : 0.01));

const KIND = { model: 'test:one', dimensions: MEANINGS.length };

interface FakeOptions {
  readonly name?: string;
  /** Dimensions of the vectors of a request that have no meaning, from 0. */
  readonly more?: (request: number) => number;
  /** Which requests fail, from 0. */
  readonly fails?: (request: number) => boolean;
}

function fakeEmbedder({
  name = 'test:one',
  more = () => 0,
  fails = () => false,
}: FakeOptions = {}) {
  const requests: (readonly string[])[] = [];
  const embedder: Embedder = {
    name,
    destination: 'Test (127.0.0.1)',
    embed: async (texts) => {
      requests.push(texts);
      if (fails(requests.length - 1)) throw new Error('the server is on fire');
      const rest = Array.from({ length: more(requests.length - 1) }, () => 0);
      const vectors = texts.map((text) => Float32Array.from([...vectorOf(text), ...rest]));
      return { vectors, usage: { ...NO_USAGE, input: 10 * texts.length }, cost: 0.5 };
    },
  };
  return { embedder, requests };
}

const warned: string[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void warned.push(line) });

function open(embedder?: Embedder, id = session) {
  const memories = memoriesFor({
    store,
    tracker: { id, session: new Journal().start().run().session },
    github: {
      issue: () => Promise.reject(new Error('not asked')),
      permissionOf: async () => 'write',
    },
    redact: (text) => text.replaceAll('a-secret', '[redacted]'),
    embedder,
    log,
  });
  const search = (query: string) => memories.search(query, 5, new AbortController().signal);
  const texts = async (query: string) => (await search(query)).memories.map(({ text }) => text);
  return { search, texts };
}

const remember = async (...texts: readonly string[]): Promise<void> => {
  for (const text of texts)
    await store.memories.remember(session, { call: text, text, fromStrangers: false });
};

describe('with an embedding model', () => {
  it('a memory is found by its meaning, though it has none of the words', async () => {
    await remember(
      'The canteen opens at noon.',
      'The lorry parks behind the house.',
      'Take an umbrella.',
    );
    expect(await open().texts('vehicle')).toEqual([]);
    const { embedder } = fakeEmbedder();
    expect((await open(embedder).texts('vehicle'))[0]).toBe('The lorry parks behind the house.');
    expect((await open(embedder).texts('weather report'))[0]).toBe('Take an umbrella.');
  });

  it('words and meaning count together', async () => {
    await remember(
      'The grammar is made by hand.',
      'Grammar of the lunch menu.',
      'The canteen opens.',
    );
    const found = await open(fakeEmbedder().embedder).texts('grammar meal');
    expect(found[0]).toBe('Grammar of the lunch menu.');
  });

  it('each text is sent once, what was sent is said with its cost, and no secret is sent', async () => {
    await remember('The canteen opens at noon.', 'Take an umbrella.');
    const { embedder, requests } = fakeEmbedder();
    const { effects } = await open(embedder).search('lunch with a-secret');
    const sent = (tokens: number) => ({
      type: 'embedded',
      destination: 'Test (127.0.0.1)',
      usage: { ...NO_USAGE, input: tokens },
      cost: 0.5,
    });
    expect(effects).toEqual([sent(10), sent(20)]);
    expect(requests).toEqual([
      ['lunch with [redacted]'],
      ['Take an umbrella.', 'The canteen opens at noon.'],
    ]);
    expect((await open(embedder).search('lunch')).effects).toEqual([sent(10)]);
  });

  it('a secret that was known only later is not sent', async () => {
    await remember('Log in with a-secret.');
    const { embedder, requests } = fakeEmbedder();
    await open(embedder).search('lunch');
    expect(requests[1]).toEqual(['Log in with [redacted].']);
  });

  it('a new model gets vectors of its own', async () => {
    await remember('The canteen opens at noon.');
    await open(fakeEmbedder().embedder).search('lunch');
    const { embedder, requests } = fakeEmbedder({ name: 'test:two' });
    await open(embedder).search('lunch');
    expect(requests).toEqual([['lunch'], ['The canteen opens at noon.']]);
  });

  it('another model behind the same name gets vectors of its own too', async () => {
    await remember('The lorry parks behind the house.', 'The canteen opens.', 'Take an umbrella.');
    await open(fakeEmbedder().embedder).search('lunch');
    const { embedder, requests } = fakeEmbedder({ more: () => 1 });
    for (let again = 0; again < 2; again += 1)
      expect((await open(embedder).texts('meal'))[0]).toBe('The canteen opens.');
    expect(requests.map((texts) => texts.length)).toEqual([1, 3, 1]);
  });

  it('vectors that cannot be compared with the question are none', async () => {
    await remember('The canteen opens.', 'Take an umbrella.');
    const { embedder } = fakeEmbedder({ more: (request) => request });
    const { memories, isByWordsOnly } = await open(embedder).search('canteen');
    expect([memories.map(({ text }) => text), isByWordsOnly]).toEqual([
      ['The canteen opens.'],
      true,
    ]);
    expect((await store.memories.vectors(session, KIND, 5)).missing).toHaveLength(2);
  });

  it('at most 64 memories get their vectors in one search, and the next one continues', async () => {
    await remember(...Array.from({ length: 70 }, (_, at) => `Fact ${at}`));
    const { embedder, requests } = fakeEmbedder();
    await open(embedder).search('lunch');
    await open(embedder).search('lunch');
    expect(requests.map((texts) => texts.length)).toEqual([1, 64, 1, 6]);
  });

  it('a deleted memory has no vector, and another repository finds none', async () => {
    await remember('The canteen opens at noon.');
    const { embedder } = fakeEmbedder();
    const other = await newSession(store);
    await open(embedder).search('lunch');
    expect(await open(embedder, other).texts('lunch')).toEqual([]);
    await store.memories.saveVectors(other, 'test:one', [
      { number: 1, vector: Float32Array.from([1]) },
    ]);
    expect((await store.memories.vectors(other, KIND, 5)).known).toEqual([]);
    await store.memories.forget(session, 1, 'someone');
    expect(await store.memories.vectors(session, KIND, 5)).toEqual({
      known: [],
      missing: [],
    });
    await store.memories.saveVectors(session, 'test:one', [
      { number: 1, vector: Float32Array.from([1]) },
    ]);
    expect(await open(embedder).texts('lunch')).toEqual([]);
  });

  it.each([
    ['the query cannot be embedded', (request: number) => request === 0, true],
    ['the memories cannot be embedded', (request: number) => request === 1, true],
  ])('if %s, words find what they can, and the log says why', async (_what, fails, wordsOnly) => {
    await remember('The canteen opens at noon.', 'Take an umbrella.');
    warned.length = 0;
    const found = await open(fakeEmbedder({ fails }).embedder).search('canteen');
    expect(found.memories.map(({ text }) => text)).toEqual(['The canteen opens at noon.']);
    expect(found.isByWordsOnly).toBe(wordsOnly);
    expect(warned).toEqual([expect.stringContaining('the server is on fire')]);
  });

  it('vectors of another length are not compared', async () => {
    await remember('The canteen opens at noon.');
    await store.memories.saveVectors(session, 'test:one', [
      { number: 1, vector: Float32Array.from([1]) },
    ]);
    expect(await open(fakeEmbedder().embedder).texts('canteen')).toHaveLength(1);
  });
});

it('a run that is stopped during a search ends, and is not told that the search failed', async () => {
  const controller = new AbortController();
  const embedder: Embedder = {
    ...fakeEmbedder().embedder,
    embed: async (_texts, signal) => {
      controller.abort(new Error('stopped'));
      signal.throwIfAborted();
      throw new Error('not reached');
    },
  };
  const memories = memoriesFor({
    store,
    tracker: { id: session, session: new Journal().start().run().session },
    github: {
      issue: () => Promise.reject(new Error('not asked')),
      permissionOf: async () => 'write',
    },
    redact: (text) => text,
    embedder,
    log,
  });
  await expect(memories.search('lunch', 5, controller.signal)).rejects.toThrow('stopped');
});

it('what was embedded counts for the cost of the session and of its repository', async () => {
  const usage = { ...NO_USAGE, input: 7 };
  const embedded = { type: 'embedded', destination: 'Test', usage, cost: 0.25 } as const;
  const effects = [embedded, { ...embedded, cost: null }];
  const { spending } = new Journal()
    .start()
    .run()
    .turn({ cost: 1, calls: [{ tool: 'search_memory', result: { effects } }] }).session;
  expect(spending.cost).toEqual({ dollars: 1.25, isPartial: true });
  expect(spending.embedders).toEqual(['Test']);
  await store.append(session, [
    { type: 'call_finished', reply: 1, index: 0, ok: true, output: '', effects, halt: null },
  ]);
  const row = await store.session(session);
  expect(await spentSince(store, row?.repository.id ?? 0, new Date(0))).toBe(0.25);
});
