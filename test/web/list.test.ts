import { afterEach, describe, expect, it } from '@jest/globals';
import type { ListQuery, SessionSummary } from '../../src/web/session-source.ts';
import { ask, listOf, pagesOf, SIGNED_IN, startPages, type TestServer } from './support.ts';

let web: TestServer | undefined;
afterEach(() => web?.close());

const HOSTILE = '"><script>alert(1)</script>\u202E';

const SESSION: SessionSummary = {
  id: 'abc',
  repository: { owner: HOSTILE, name: HOSTILE },
  issue: 7,
  title: HOSTILE,
  state: 'working',
  outcome: HOSTILE,
  model: HOSTILE,
  cost: { dollars: 0.5, isPartial: true },
  createdAt: new Date(Date.now() - 26 * 60 * 60_000),
  updatedAt: new Date(),
  pullRequest: 12,
};

/** Serves a list, and tells what it was asked for. */
async function serve(sessions: readonly SessionSummary[] = [SESSION], hasMore = false) {
  const queries: ListQuery[] = [];
  web = await startPages({
    pages: {
      ...pagesOf({}),
      list: async (query) => {
        queries.push(query);
        const choices = {
          repositories: [{ id: 21, owner: 'example', name: HOSTILE }],
          models: [HOSTILE, 'openai:model'],
        };
        return { ...listOf(sessions), hasMore, choices };
      },
    },
  });
  const { url } = web;
  const open = (address: string) => ask(url + address, { headers: SIGNED_IN });
  return { open, queries };
}

describe('the list of sessions', () => {
  it('is asked for what its address says, and for nothing that cannot be meant', async () => {
    const { open, queries } = await serve();
    const asked = async (query: string) => {
      expect((await open(`/sessions?${query}`)).status).toBe(200);
      return queries.at(-1);
    };
    expect(
      await asked('state=waiting(answer)&repository=21&model=openai:model&q=%20a%20b%20&after=x1'),
    ).toEqual({
      state: 'waiting(answer)',
      repositoryId: 21,
      model: 'openai:model',
      search: 'a b',
      after: 'x1',
    });
    for (const query of [
      'state=&repository=&model=&q=',
      'state=x',
      'repository=-1',
      'repository=1e9',
      'q=%00',
      'q=1&q=2',
      'after=%2F',
      'state=__proto__',
    ])
      expect([query, await asked(query)]).toEqual([query, {}]);
    expect((await asked(`q=${'a'.repeat(5000)}`))?.search).toHaveLength(200);
  });

  it('leads to older sessions with the same filters, and back', async () => {
    const { open } = await serve([SESSION], true);
    const { body } = await open('/sessions?state=done&q=a%26b');
    expect(body).toContain('href="/sessions?state=done&amp;q=a%26b&amp;after=abc">Older sessions');
    expect(body).toContain('<body data-live');
    const later = (await open('/sessions?q=a&after=x')).body;
    expect(later).toContain('href="/sessions?q=a">Newest sessions');
    expect(later).not.toContain('<body data-live');
  });

  it('shows the filters that are chosen', async () => {
    const { open } = await serve();
    const { body } = await open('/sessions?state=failed&model=openai:model&q=greet%22');
    expect(body).toMatch(/<option value="failed"\s+selected\s*>\s*Failed/);
    expect(body).toMatch(/<option value="openai:model"\s+selected\s*>/);
    expect(body).toContain('value="greet&quot;"');
    expect(body.match(/ selected/g)).toHaveLength(2);
  });

  it('escapes titles, names and models', async () => {
    const { open } = await serve();
    const { body } = await open(`/sessions?q=${encodeURIComponent(HOSTILE)}`);
    expect(body.match(/<script>/g)).toHaveLength(1);
    expect(body).not.toContain('\u202E');
    expect(body).toContain('opened 1 d 2 h ago');
    expect(body).toContain('at least $0.50');
  });

  it('says what to do if there is nothing', async () => {
    const { open } = await serve([]);
    expect((await open('/sessions')).body).toContain('No sessions yet.');
    expect((await open('/sessions?state=done')).body).toContain('No session is like this.');
  });
});

describe('the totals', () => {
  it('are those of the time that is chosen', async () => {
    const asked: (number | undefined)[] = [];
    const sum = {
      sessions: 10,
      merged: 4,
      closed: 2,
      unchanged: 1,
      abandoned: 2,
      open: 1,
      zeroTouch: 3,
      rounds: 6,
      dollars: 10,
      mergedDollars: 6,
      workedMs: 3_600_000,
      isPartial: false,
      signMs: 1500,
      proposedMs: 60_000,
      mergedMs: null,
    };
    web = await startPages({
      pages: {
        ...pagesOf({}),
        totals: async (since) => {
          asked.push(since && Math.round((Date.now() - since.getTime()) / 86_400_000));
          const spent = [{ by: 'model', name: HOSTILE, dollars: 0, isPartial: true }] as const;
          const byModel = [{ ...sum, name: 'a', isPartial: true }];
          return { all: sum, byRepository: [{ ...sum, name: HOSTILE }], byModel, spent };
        },
      },
    });
    const bodies = [];
    for (const query of ['', '?days=7', '?days=8', '?days=x'])
      bodies.push((await ask(`${web.url}/totals${query}`, { headers: SIGNED_IN })).body);
    expect(asked).toEqual([undefined, 7, undefined, undefined]);
    const words = bodies[1]?.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    for (const fact of [
      'Merge rate 50 %',
      'Zero touch 75 %',
      'Rounds per merge 1.5',
      'Time to first reaction 1.5 s',
      'Time to pull request 1 min',
      'Time to merge –',
      'Cost per merge $2.50',
      'Average cost of merged sessions $1.50',
    ])
      expect(words).toContain(fact);
    // A cell has no room for the reason.
    expect(words).toContain(' at least $2.50 1.5 ');
    expect(bodies[1]?.match(/<script>/g)).toHaveLength(1);
  });
});
