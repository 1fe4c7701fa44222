// Signed deliveries of any form, from the bytes to the database.
import { createRequire } from 'node:module';
import { emitterEventNames } from '@octokit/webhooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { installationHandlers } from '../../../src/app/receive/installations.ts';
import { eventHandlers } from '../../../src/app/receive/receive.ts';
import { EVENTS } from '../../../src/events/index.ts';
import type { OpenStore } from '../../../src/store/open.ts';
import { github, logged } from '../../github/support.ts';
import { openTestStore } from '../../support/test-database.ts';

interface Example {
  readonly name: string;
  readonly examples: readonly Record<string, unknown>[];
}
const ALL = createRequire(import.meta.url)('@octokit/webhooks-examples') as unknown;
const groups = (ALL as { default?: Example[] }).default ?? (ALL as Example[]);

const app = github();
let store: OpenStore;
let ids = 0;

beforeAll(async () => {
  store = await openTestStore();
  const slug = () => 'issuewright';
  const serves = (owner: string) => owner !== 'elsewhere';
  await app.start([
    ...eventHandlers(EVENTS, {
      store,
      serves,
      allowedBots: ['good[bot]'],
      assignee: undefined,
      slug,
    }),
    ...installationHandlers({ store, forget: () => {} }),
  ]);
});
afterAll(() => store.close());

const deliverBytes = (event: string, body: string, id = `d-${(ids += 1)}`) =>
  app.receive({ id, event, rawBody: Buffer.from(body) });
const deliver = (event: string, payload: unknown, id?: string) =>
  deliverBytes(event, JSON.stringify(payload), id);

const at = '2030-01-15T14:00:00Z';
const ISSUE = {
  number: 7,
  node_id: 'I_7',
  title: 'Greet',
  body: 'Say hello.',
  state: 'open',
  created_at: at,
  updated_at: at,
  labels: [],
  user: { id: 5 },
};
const LABELED = {
  action: 'labeled',
  installation: { id: 9 },
  repository: { id: 77, name: 'words', owner: { login: 'example' } },
  sender: { id: 5, login: 'maintainer', type: 'User' },
  issue: ISSUE,
  label: { name: 'issuewright' },
};
const without = (name: string) =>
  Object.fromEntries(Object.entries(LABELED).filter(([key]) => key !== name));

describe('a signed delivery of an event that GitHub has', () => {
  const names = new Set(emitterEventNames.map((name) => name.replace(/\..*/, '')));

  it('is never answered with 400 for its name, digits included', async () => {
    expect(names).toContain('projects_v2_item');
    for (const name of names) {
      const { status, message } = await deliver(name, { action: 'none', sender: { id: 5 } });
      expect({ name, status, message }).toMatchObject({
        status: 202,
        message: expect.stringMatching(/^Ignored: Issuewright does not use the event/),
      });
    }
  });

  it('is accepted if it is an installation on more repositories than a statement has parameters', async () => {
    const repositories = Array.from({ length: 70_000 }, (_, at) => ({ id: 1_000_000 + at }));
    const installation = { id: 70_000, account: { login: 'example' } };
    const payload = { action: 'created', installation, repositories };
    expect(await deliver('installation', payload)).toMatchObject({ status: 202 });
  });
});

describe('a signed delivery of the wrong form', () => {
  it.each<[string, string, unknown, RegExp]>([
    ['an event named __proto__', '__proto__', LABELED, /X-GitHub-Event/],
    ['an event of 10,000 letters', 'a'.repeat(10_000), LABELED, /X-GitHub-Event/],
    ['a text for a payload', 'issues', 'labeled', /JSON object/],
    ['a list for a payload', 'issues', [LABELED], /JSON object/],
    ['an action that is none', 'issues', { ...LABELED, action: { toString: 1 } }, /`action`/],
    ['an empty installation', 'issues', { ...LABELED, installation: {} }, /`installation`/],
    ['no repository', 'issues', without('repository'), /`repository` is missing/],
    ['no sender', 'issues', without('sender'), /`sender` is missing/],
    ['no issue', 'issues', without('issue'), /`issue` is missing/],
    ['a null label', 'issues', { ...LABELED, label: null }, /`label` is wrong/],
    ['a label with NUL', 'issues', { ...LABELED, label: { name: 'a\0b' } }, /`label.name`.*NUL/],
    [
      'a label of 10,000 letters',
      'issues',
      { ...LABELED, label: { name: 'x'.repeat(1e4) } },
      /label.name/,
    ],
    [
      'more labels than an issue can have',
      'issues',
      { ...LABELED, action: 'opened', issue: { ...ISSUE, labels: Array(101).fill(LABELED.label) } },
      /`issue.labels` is wrong: an issue has at most 100 labels\./,
    ],
    [
      'an owner that is a path',
      'issues',
      { ...LABELED, repository: { ...LABELED.repository, owner: { login: '../..' } } },
      /`repository.owner.login`/,
    ],
    [
      'a number beyond all issues',
      'issues',
      { ...LABELED, issue: { ...ISSUE, number: 1e12 } },
      /issue.number/,
    ],
    [
      'a time that is none',
      'issues',
      { ...LABELED, issue: { ...ISSUE, updated_at: 'now' } },
      /issue.updated_at/,
    ],
    [
      'an installation without a number',
      'installation',
      { action: 'suspend', installation: { id: 'x' } },
      /`installation`/,
    ],
  ])('with %s is answered with 400, which names it', async (_what, event, payload, words) => {
    logged.length = 0;
    const answer = await deliver(event, payload);
    expect(answer).toEqual({ status: 400, message: expect.stringMatching(words) });
    expect(answer.message).not.toMatch(/undefined|TypeError/);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain('received an invalid webhook');
  });

  it.each(['', 'a/b', 'x'.repeat(5000), 'ü'])('with the ID %p is answered with 400', async (id) => {
    expect(await deliver('issues', LABELED, id)).toMatchObject({ status: 400 });
  });
});

/** Where a value of a payload is. */
type Place = readonly (string | number)[];

function* placesIn(value: unknown, at: Place = []): Generator<Place> {
  if (at.length > 0) yield at;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) yield* placesIn(part, [...at, key]);
}

const GONE = Symbol('gone');

/** A copy with another value at a place. */
function changed(value: unknown, [key, ...rest]: Place, to: unknown): unknown {
  if (key === undefined) return to;
  const copy = structuredClone(value) as Record<string, unknown>;
  const part = changed(copy[key], rest, to);
  if (part === GONE) Reflect.deleteProperty(copy, key);
  else Object.defineProperty(copy, key, { value: part, enumerable: true, configurable: true });
  return copy;
}

const HOSTILE: readonly unknown[] = [
  GONE,
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e300,
  '',
  '\0',
  '\ud800',
  '__proto__',
  'constructor',
  'x'.repeat(100_000),
  [],
  [null],
  {},
  { id: null },
  { login: {} },
  { toString: 1 },
  { valueOf: null },
];

/** The places that are read, apart from any others: a payload has hundreds of addresses. */
const READ =
  /^(action|installation|repository|sender|issue|comment|label|review|thread|pull_request|changes)(\.(id|name|owner|login|type|number|node_id|title|body|state|created_at|updated_at|labels|user|pull_request|closed_at|merged|head|base|submitted_at|new_issue|account|comments|pull_request_review_id|in_reply_to_id)\b.*)?$/;

describe('any change of any payload', () => {
  const NAMES = new Set(
    [
      ...EVENTS.map(({ name }) => name),
      'installation.suspend',
      'installation_repositories.added',
    ].map((name) => name.split('.')[0]),
  );
  const real = groups
    .filter(({ name }) => NAMES.has(name))
    .flatMap(({ name, examples }) => examples.map((payload) => ({ name, payload })))
    .map(({ name, payload }) => ({
      name,
      payload: { sender: LABELED.sender, ...payload, installation: { id: 9 } } as unknown,
    }))
    .map((one) => ({
      ...one,
      places: [...placesIn(one.payload)].filter((place) => READ.test(place.join('.'))),
    }));

  const mutated = fc.constantFrom(...real).chain(({ name, payload, places }) =>
    fc
      .array(
        fc.tuple(fc.constantFrom(...places), fc.oneof(fc.constantFrom(...HOSTILE), fc.jsonValue())),
        {
          minLength: 1,
          maxLength: 3,
        },
      )
      .map((changes) => ({
        name,
        payload: changes.reduce<unknown>((sum, [place, to]) => {
          try {
            return changed(sum, place, to);
          } catch {
            // An earlier change removed the place.
            return sum;
          }
        }, payload),
      })),
  );

  it('is accepted, ignored or a 400 in words, and never an error inside', async () => {
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(mutated, async ({ name, payload }) => {
        const { status, message } = await deliver(name, payload);
        seen.set(status, (seen.get(status) ?? 0) + 1);
        expect([status, message]).toEqual([
          status === 400 ? 400 : 202,
          expect.stringMatching(/^(Accepted|Ignored|Invalid delivery)[^]{5}/),
        ]);
      }),
      { numRuns: 600 },
    );
    expect(Math.min(seen.get(202) ?? 0, seen.get(400) ?? 0)).toBeGreaterThan(30);
  });

  it('that nobody made: every example of GitHub is accepted or ignored', async () => {
    for (const { name, payload } of real)
      expect([name, (await deliver(name, payload)).status]).toEqual([name, 202]);
  });
});

describe('the answer to a delivery says what was done with it:', () => {
  const COMMENT = {
    ...LABELED,
    action: 'created',
    comment: {
      id: 1,
      node_id: 'C_1',
      body: 'Nice.',
      created_at: at,
      updated_at: at,
      user: { id: 5 },
    },
  };
  const in_ = (owner: string) => ({ ...LABELED.repository, id: 78, owner: { login: owner } });
  const bot = (login: string) => ({ id: 6, login, type: 'Bot' });

  it.each<[string, string, object, RegExp]>([
    [
      'an event that is not used',
      'watch',
      { ...LABELED, action: 'started' },
      /does not use the event watch\.started/,
    ],
    [
      'an action that is not used',
      'issues',
      { ...LABELED, action: 'pinned' },
      /does not use the event issues\.pinned/,
    ],
    ['a webhook of a repository', 'issues', without('installation'), /no installation of this App/],
    [
      'an account that is not served',
      'issues',
      { ...LABELED, repository: in_('elsewhere') },
      /ALLOWED_OWNERS does not list elsewhere/,
    ],
    [
      'a bot',
      'issues',
      { ...LABELED, sender: bot('bad[bot]') },
      /bad\[bot\] is a bot that ALLOWED_BOTS/,
    ],
    [
      'the App itself',
      'issues',
      { ...LABELED, sender: bot('issuewright[bot]') },
      /this App itself/,
    ],
    [
      'a label on a closed issue',
      'issues',
      { ...LABELED, issue: { ...ISSUE, state: 'closed' } },
      /closed issue/,
    ],
    [
      'a new issue without a label',
      'issues',
      { ...LABELED, action: 'opened' },
      /neither label nor type, and does not mention/,
    ],
    [
      'a mention of someone else',
      'issues',
      { ...LABELED, action: 'opened', issue: { ...ISSUE, body: '@other hi' } },
      /does not address this App/,
    ],
    [
      'a comment where no session is',
      'issue_comment',
      { ...COMMENT, issue: { ...ISSUE, number: 99 } },
      /no session for #99/,
    ],
  ])('%s', async (_what, event, payload, words) => {
    expect(await deliver(event, payload)).toEqual({
      status: 202,
      message: expect.stringMatching(new RegExp(`^Ignored: [^]*${words.source}`)),
    });
  });

  it('the session it belongs to, and what is looked up next', async () => {
    const issue = { ...ISSUE, number: 8, node_id: 'I_8' };
    const { message } = await deliver('issues', { ...LABELED, issue });
    expect(message).toMatch(
      /^Accepted for session \w+\. Next, .* the label "issuewright" starts work .* whether maintainer may request it\./,
    );
    const again = await deliver('issues', { ...LABELED, issue });
    expect(again).toEqual({
      status: 202,
      message: expect.stringMatching(/^Ignored: .* was received before\.$/),
    });
    const commented = await deliver('issue_comment', { ...COMMENT, issue });
    expect(commented.message).toMatch(/^Accepted for session \w+\. Next, .* maintainer/);
    const closed = await deliver('issues', { ...LABELED, action: 'closed', issue });
    expect(closed.message).toMatch(/^Accepted for session \w+\. The session is updated\.$/);
  });
});
