import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { memoriesFor, type MemoryParts } from '../../../../src/app/run/ports/memories.ts';
import type { Memories } from '../../../../src/contracts/memory.ts';
import { Forbidden } from '../../../../src/github/errors.ts';
import { TryLater } from '../../../../src/lib/errors.ts';
import { createRedactor } from '../../../../src/lib/text/redact.ts';
import type { OpenStore } from '../../../../src/store/open.ts';
import { memoriesContract } from '../../../contract/memories.ts';
import {
  delivery,
  newRepository,
  newSession,
  sessionOf,
  silent,
} from '../../../contract/store-world.ts';
import { Journal } from '../../../support/journal.ts';
import { openTestStore } from '../../../support/test-database.ts';
import { fakeMemories } from '../../../support/fakes/fake-memories.ts';

let store: OpenStore;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store.close());

const SECRET = 'an-operators-own-secret-value';
const AT = new Date('2030-01-15T14:03:00Z');

interface World {
  /** The role of the person who opened the session's issue. */
  readonly role?: () => Promise<'write' | 'read'>;
  readonly isByApp?: boolean;
  readonly journal?: Journal;
  readonly session?: string;
}

const search = async (memories: Memories, query: string, limit: number) =>
  (await memories.search(query, limit, new AbortController().signal)).memories;

const opening = { author: 'opener', at: '', text: '' };
const issue = {
  number: 7,
  isPullRequest: false,
  state: 'open',
  title: 't',
  author: 'opener',
  labels: [],
  comments: 0,
  updatedAt: '',
  page: [],
  pages: 1,
};

async function open({ role, isByApp = false, journal, session }: World = {}) {
  const github: MemoryParts['github'] = {
    issue: async () => ({ ...issue, opening: { ...opening, isOwn: isByApp } }),
    permissionOf: role ?? (async () => 'write'),
  };
  const id = session ?? (await newSession(store));
  const tracker = { id, session: (journal ?? new Journal().start().run()).session };
  const { redact } = createRedactor([SECRET]);
  return memoriesFor({ store, tracker, github, redact, log: silent });
}

describe('the memories of a store', () => {
  memoriesContract(open);
});

describe('the memories of the tools’ tests', () => {
  memoriesContract(async () => fakeMemories());
});

it.each([
  ['a value that the operator set', `The key is ${SECRET}.`, 'The key is [redacted].'],
  ['a token by its form', `Use ghp_${'a1'.repeat(18)} here.`, 'Use [redacted] here.'],
  [
    'one with invisible characters in it',
    `Use an-operators-\u200Bown-secret-value.`,
    'Use [redacted].',
  ],
])('redacts %s before it is stored', async (_what, text, stored) => {
  const session = await newSession(store);
  const memories = await open({ session });
  expect(await memories.remember(text, AT)).toMatchObject({ isRedacted: true });
  expect((await store.memories.list(session, 5)).memories).toMatchObject([{ text: stored }]);
});

describe('a memory is marked as one of strangers’ words', () => {
  const marked = async (world: World): Promise<boolean | undefined> => {
    const memories = await open(world);
    await memories.remember('A fact.', AT);
    return (await search(memories, 'fact', 1))[0]?.fromStrangers;
  };

  it.each([
    ['a writer opened the issue', {}, false],
    ['a stranger opened the issue', { role: async () => 'read' as const }, true],
    ['the App itself opened it', { isByApp: true }, true],
    [
      'GitHub does not say who opened it',
      { role: () => Promise.reject(new Forbidden('no', 403)) },
      true,
    ],
  ])('or not: %s', async (_what, world, expected) => {
    expect(await marked(world)).toBe(expected);
  });

  it('if the session has read some', async () => {
    const journal = new Journal().start().run();
    journal.turn({
      calls: [{ tool: 'github_get_issue', result: { effects: [{ type: 'strangers_read' }] } }],
    });
    expect(await marked({ journal })).toBe(true);
  });

  it('if it has called a tool of an MCP server, even in vain', async () => {
    const journal = new Journal().start().run();
    journal.turn({ calls: [{ tool: 'mcp__web__fetch', result: { ok: false } }] });
    expect(await marked({ journal })).toBe(true);
  });

  it('only once GitHub has answered', async () => {
    let isBusy = true;
    const memories = await open({
      role: async () => {
        if (isBusy) throw new TryLater('busy');
        return 'write';
      },
    });
    await expect(memories.remember('A fact.', AT)).rejects.toThrow(TryLater);
    isBusy = false;
    await memories.remember('A fact.', AT);
    expect((await search(memories, 'fact', 1))[0]?.fromStrangers).toBe(false);
  });
});

it('a session finds what another session of its repository remembered, and no other does', async () => {
  const happens = newRepository();
  const [one, other] = [
    sessionOf(await store.accept(happens({ number: 1 }), delivery())),
    sessionOf(await store.accept(happens({ number: 2 }), delivery())),
  ];
  await (await open({ session: one })).remember('The grammar is built by hand.', AT);
  const found = await search(await open({ session: other }), 'grammar', 5);
  expect(found).toMatchObject([{ session: one, issue: 1 }]);
  expect(await search(await open(), 'grammar', 5)).toEqual([]);
});
