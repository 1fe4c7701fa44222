import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { fuse } from '../../../src/app/run/ports/memories.ts';
import { openDatabase, openPool, type Database } from '../../../src/store/database/database.ts';
import { MOST_MEMORIES, trigramsIn, wordsIn } from '../../../src/store/memories/memories.ts';
import { openStore, type OpenStore } from '../../../src/store/open.ts';
import { NoSuchSession } from '../../../src/store/store.ts';
import { createDatabase, type TestDatabase } from '../../support/test-database.ts';
import { delivery, newRepository, sessionOf, silent } from '../../contract/store-world.ts';

let place: TestDatabase;
let store: OpenStore;
let database: Database;

beforeAll(async () => {
  place = await createDatabase();
  store = await openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
  database = openDatabase(openPool({ connectionString: place.url }, silent));
});
afterAll(async () => {
  await database.destroy();
  await store.close();
  await place.drop();
});

/** Sessions of one repository that no other test uses. */
function repository() {
  const happens = newRepository();
  let issues = 0;
  return async (change: object = {}): Promise<string> => {
    const arrival = happens({ number: (issues += 1) });
    const moved = { ...arrival, repository: { ...arrival.repository, ...change } };
    return sessionOf(await store.accept(moved, delivery()));
  };
}

let calls = 0;
const write = (session: string, text: string, fromStrangers = false) =>
  store.memories.remember(session, { call: String((calls += 1)), text, fromStrangers });
const search = async (session: string, query: string): Promise<string[]> => {
  const { byWords, byTrigrams } = await store.memories.rank(session, query);
  const found = await store.memories.recall(session, fuse(byWords, byTrigrams));
  return found.map(({ text }) => text);
};
const texts = async (session: string): Promise<string[]> =>
  (await store.memories.list(session, MOST_MEMORIES)).memories.map(({ text }) => text);

describe('remembering', () => {
  it('numbers the memories of a repository, and names the session and issue that wrote each', async () => {
    const opens = repository();
    const [one, other] = [await opens(), await opens()];
    expect(await write(one, 'The first.')).toEqual({ number: 1, isKnown: false, dropped: 0 });
    expect(await write(other, 'The second.', true)).toMatchObject({ number: 2 });
    expect(await store.memories.list(one, 10)).toMatchObject({
      total: 2,
      memories: [
        { number: 2, text: 'The second.', session: other, issue: 2, fromStrangers: true },
        { number: 1, text: 'The first.', session: one, issue: 1, fromStrangers: false },
      ],
    });
  });

  it('does nothing again if a call is repeated, not even after the memory was forgotten', async () => {
    const session = await repository()();
    const memory = { call: 'c1', text: 'Once.', fromStrangers: false };
    await store.memories.remember(session, memory);
    const again = await store.memories.remember(session, { ...memory, text: 'Redacted since.' });
    expect(again).toEqual({ number: 1, isKnown: true, dropped: 0 });
    expect(await texts(session)).toEqual(['Once.']);
    await store.memories.forget(session, 1, 'someone');
    expect(await store.memories.remember(session, memory)).toMatchObject({ isKnown: true });
    expect(await texts(session)).toEqual([]);
  });

  it('stores a known text once, and a forgotten one again under a new number', async () => {
    const opens = repository();
    const [one, other] = [await opens(), await opens()];
    await write(one, 'Use tabs.');
    expect(await write(other, 'Use tabs.')).toMatchObject({ number: 1, isKnown: true });
    await store.memories.forget(other, 1, 'someone');
    expect(await write(other, 'Use tabs.')).toMatchObject({ number: 2, isKnown: false });
  });

  it('gives no number twice to sessions that write at once', async () => {
    const opens = repository();
    const sessions = [await opens(), await opens(), await opens(), await opens()];
    const written = await Promise.all(
      sessions.flatMap((session, at) =>
        [1, 2, 3, 4, 5].map((item) => write(session, `${at} ${item}`)),
      ),
    );
    const numbers = written.map(({ number }) => number).toSorted((one, other) => one - other);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  });

  it('fails for a session that does not exist', async () => {
    await expect(write('nowhere', 'Something.')).rejects.toThrow(NoSuchSession);
  });
});

describe('forgetting', () => {
  it('deletes the text for good, and never gives the number to another memory', async () => {
    const session = await repository()();
    await write(session, 'Kept.');
    await write(session, 'zzsecretzz in a text');
    expect(await store.memories.forget(session, 2, 'someone')).toBe(true);
    expect(await search(session, 'zzsecretzz')).toEqual([]);
    expect(await store.memories.find(session, [2])).toEqual([]);
    expect(await write(session, 'The next.')).toMatchObject({ number: 3 });
    const { rows } = await sql<{ row: string }>`select memories::text as row
      from issuewright.memories where session_id = ${session}`.execute(database);
    expect(rows).toHaveLength(3);
    expect(rows.map(({ row }) => row).join('\n')).not.toContain('zzsecretzz');
  });

  it('answers a repeated request as the first time, and another one that there is none', async () => {
    const session = await repository()();
    await write(session, 'A memory.');
    expect(await store.memories.forget(session, 1, 'comment 5')).toBe(true);
    expect(await store.memories.forget(session, 1, 'comment 5')).toBe(true);
    expect(await store.memories.forget(session, 1, 'comment 6')).toBe(false);
    expect(await store.memories.forget(session, 99, 'comment 6')).toBe(false);
  });
});

describe('the limit of a repository', () => {
  /** So many more memories, which were never found. */
  const fill = async (session: string, count: number): Promise<void> => {
    await sql`insert into issuewright.memories
        (repository_id, number, text, session_id, issue, call, from_strangers, words, trigrams, used_at)
      select repository_id, 100 + at, 'fact ' || at, id, issue, 'filled ' || at, false,
        to_tsvector('pg_catalog.english', 'fact ' || at), '{"  f"," fa","fac","act","ct "}', now()
      from issuewright.sessions, generate_series(1, ${count}::integer) as at
      where id = ${session}`.execute(database);
  };

  it('keeps the newest, then what was found, and drops strangers’ words before anything else', async () => {
    const session = await repository()();
    await write(session, 'the oldest, which was found since');
    await write(session, 'the second');
    await write(session, 'said by strangers', true);
    await fill(session, MOST_MEMORIES - 3);
    await search(session, 'found since');
    expect(await write(session, 'one too many')).toMatchObject({ dropped: 1 });
    expect(await texts(session)).not.toContain('said by strangers');
    expect(await write(session, 'two too many', true)).toMatchObject({ dropped: 1 });
    const left = await texts(session);
    expect(left).toHaveLength(MOST_MEMORIES);
    expect(left).toContain('the oldest, which was found since');
    expect(left).toContain('two too many');
    expect(left).not.toContain('the second');
  });

  it('brings 10,000 memories down to it, which are searched meanwhile, and leaves another repository alone', async () => {
    const [full, quiet] = [await repository()(), await repository()()];
    await write(quiet, 'fact of the quiet repository');
    await fill(full, 10_000);
    expect(await search(full, 'fact 7654')).toContain('fact 7654');
    expect(await write(full, 'the newest')).toMatchObject({ dropped: 10_001 - MOST_MEMORIES });
    expect((await store.memories.list(full, 1)).total).toBe(MOST_MEMORIES);
    expect(await search(full, 'fact 7654')).toContain('fact 7654');
    expect(await texts(quiet)).toEqual(['fact of the quiet repository']);
  });
});

describe('another repository', () => {
  it('sees, finds and forgets nothing of it, under the same name too', async () => {
    const [own, other] = [await repository()(), await repository()()];
    await write(own, 'The deploy key is rotated monthly.');
    expect(await texts(other)).toEqual([]);
    expect(await search(other, 'deploy key rotated monthly')).toEqual([]);
    expect(await store.memories.recall(other, [1])).toEqual([]);
    expect(await store.memories.forget(other, 1, 'someone')).toBe(false);
    expect(await texts(own)).toEqual(['The deploy key is rotated monthly.']);
    expect(await write(other, 'Another.')).toMatchObject({ number: 1 });
  });

  it('is not the same repository after a rename or a transfer', async () => {
    const opens = repository();
    const before = await opens();
    await write(before, 'Known before the move.');
    const after = await opens({ owner: 'another-owner', name: 'another-name' });
    expect(await search(after, 'known before the move')).toEqual(['Known before the move.']);
  });
});

/** What a model or a person may put into a text or a query to break the search. */
const HOSTILE: readonly (readonly [what: string, text: string])[] = [
  ['the end of a statement', "'); drop table issuewright.memories; --"],
  ['a condition that is always true', "' or repository_id is not null or '1'='1"],
  ['escaped quotes', String.raw`\'; select 1; --`],
  ['parameters', '$1 $2 ${session} %s %%'],
  ['operators of a tsquery', 'a & b | !c <-> (d'],
  ['prefixes and weights of a tsquery', "foo:*A 'bar':B !!"],
  ['brackets alone', '((((((((((  :* & ! | <'],
  ['comments', '*/ -- /* ;'],
  ['NUL', '\u0000between\u0000'],
  ['invisible characters', 'a\u200Bb\u202Ec\u{E0041}d'],
  ['a lone surrogate', '\uD800 lone'],
  ['JSON', '{"a": [1, null]}'],
  ['an array of PostgreSQL', '{a,b,NULL,"c}'],
  ['signs alone', '🙂👩‍👩‍👧'.repeat(50)],
  ['a word of 3,000 letters', 'x'.repeat(3000)],
  ['one word 700 times', 'word '.repeat(700)],
  ['400 words', Array.from({ length: 400 }, (_, at) => `w${at}`).join(' ')],
  ['words without blanks', '検索エンジンの設定は config にある'],
  ['letters that change with their case', 'ß ﬁ Å İ ſ'],
];

it.each(HOSTILE)(
  'a text with %s is stored as it is, but for NUL, and found by itself',
  async (_what, text) => {
    const session = await repository()();
    await write(session, 'Kept apart.');
    await write(session, text);
    const [stored = ''] = await texts(session);
    expect(stored).toBe(text.replaceAll('\0', '').toWellFormed());
    const found = await search(session, text);
    expect(found).toEqual(/[\p{L}\p{N}]/u.test(text) ? [stored] : []);
  },
);

it('a query without words, or of 100,000 characters, finds nothing or little, and quickly', async () => {
  const session = await repository()();
  await write(session, 'A memory about tests.');
  expect(await search(session, '')).toEqual([]);
  expect(await search(session, '!!! ??? ---')).toEqual([]);
  expect(await search(session, 'tests '.repeat(20_000))).toEqual(['A memory about tests.']);
});

it.each([
  ['parseJsonFile', ['parse', 'Json', 'File']],
  [
    'HTTPServer parse_json src/store/open.ts',
    ['HTTP', 'Server', 'parse', 'json', 'src', 'store', 'open', 'ts'],
  ],
  ['ｆｕｌｌ', ['full']],
])('the words of %s are %j', (text, words) => {
  expect(wordsIn(text)).toEqual(words);
});

it('the trigrams of a text have blanks around its words, and each is there once', () => {
  expect(trigramsIn('Ab ab')).toEqual(['  a', ' ab', 'ab ']);
});
