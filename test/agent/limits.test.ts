import { describe, expect, it } from '@jest/globals';
import type { AgentEntry, ReliefSettings } from '../../src/contracts/entries.ts';
import { ContextOverflow } from '../../src/agent/model-errors.ts';
import { historyOf, json, lastText, run, USAGE, type Line } from './support.ts';

const budget = { run: undefined, issue: undefined, repositoryDay: undefined };

/** Replies that each do something new, and say what they cost. */
const work = (turns: number, reply: object = {}): Line[] =>
  Array.from({ length: turns }, (_none, n) => ({
    text: json(['note', { text: `step ${n}` }]),
    ...reply,
  }));

describe('a limit', () => {
  it.each([
    ['model replies', { turns: 5 }, {}, '5 model replies'],
    ['tokens', { tokens: 600 }, { usage: { ...USAGE, input: 110 } }, '600 tokens'],
    ['dollars of a run', { dollars: { ...budget, run: 0.5 } }, { cost: 0.1 }, '$0.50 per run'],
  ])('of %s: the model is told at 80 %%, once, and the run ends there', async (...row) => {
    const [, limits, reply, words] = row;
    const { end, journal, requests } = await run({ lines: work(9, reply), limits });
    expect(end).toMatchObject({ kind: 'limit', cause: { limit: expect.stringContaining(words) } });
    expect(requests).toHaveLength(5);
    expect(journal.filter(({ type }) => type === 'notice')).toHaveLength(1);
    expect(lastText(requests[3])).not.toContain('Wrap up');
    expect(lastText(requests[4])).toMatch(/80 %.*Wrap up now/);
  });

  it('of time is announced in the same way', async () => {
    let now = 0;
    const elapsedMs = () => (now += 6_000);
    const { end, requests } = await run({ lines: work(9), elapsedMs });
    expect(end).toMatchObject({ kind: 'limit', cause: { limit: '1 minute per run' } });
    expect(requests.some((request) => lastText(request).includes('Wrap up now'))).toBe(true);
  });

  it('of an issue counts what its other runs have cost', async () => {
    const spending = () => Promise.resolve({ issue: 30 });
    const limits = { dollars: { ...budget, issue: 30 } };
    const { end, requests } = await run({ lines: work(3), limits, spending });
    expect(end).toMatchObject({
      kind: 'limit',
      cause: { because: 'limit', limit: '$30.00 per issue', isOfIssue: true },
    });
    expect(requests).toEqual([]);
  });

  it('of a day defers the run until midnight UTC', async () => {
    const spending = () =>
      Promise.resolve({ issue: 1, shared: { repositoryDay: { dollars: 100 } } });
    const limits = { dollars: { ...budget, repositoryDay: 100 } };
    const { end } = await run({ lines: work(3), limits, spending });
    const midnight = new Date(new Date().setUTCHours(24, 0, 0, 0));
    const shared = { setting: 'BUDGET_REPOSITORY_DAY' };
    const cause = { because: 'limit', limit: '$100.00 per day for this repository', shared };
    expect(end).toEqual({ kind: 'deferred', cause, until: midnight });
  });

  it('of a month outlasts one of a day, and says since when it is used up', async () => {
    const lastAt = '2026-11-27T14:03:00.000Z';
    const shared = {
      personDay: { dollars: 5 },
      serviceDay: { dollars: 20, lastAt },
      serviceMonth: { dollars: 300, lastAt },
    };
    const dollars = { ...budget, personDay: 5, serviceDay: 20, serviceMonth: 300 };
    const limits = { dollars };
    const { end } = await run({
      lines: work(3),
      limits,
      spending: () => Promise.resolve({ issue: 1, shared }),
    });
    const now = new Date();
    expect(end).toEqual({
      kind: 'deferred',
      until: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)),
      cause: {
        because: 'limit',
        limit: '$300.00 per month for the whole service',
        shared: { setting: 'BUDGET_MONTH', since: lastAt },
      },
    });
  });

  it('that sessions share is looked at before each request, and so after a summary', async () => {
    const journal: AgentEntry[] = [];
    // Others use it up while the summary is written.
    const spending = () => {
      const isUsedUp = journal.some(({ type }) => type === 'compacted');
      return Promise.resolve({ issue: 0, shared: { serviceDay: { dollars: isUsedUp ? 1 : 0 } } });
    };
    const { end, requests } = await run({
      lines: work(9, { cost: 0.01 }),
      journal,
      summary: { text: 'So far.', cost: 0.01 },
      limits: { dollars: { ...budget, serviceDay: 1 } },
      relief: { compaction: { messages: 8, share: undefined, keepRecent: 2 }, maxMessages: 1000 },
      spending,
    });
    expect(end).toMatchObject({ kind: 'deferred', cause: { because: 'limit' } });
    expect(requests.at(-1)?.cacheKey).toBe('test:summary');
  });

  it('of a day causes no hurry before it is reached: the run waits for the next one', async () => {
    const spending = () =>
      Promise.resolve({ issue: 0, shared: { repositoryDay: { dollars: 85 } } });
    const limits = { dollars: { ...budget, repositoryDay: 100 } };
    const { journal } = await run({ lines: [json(['end', {}])], limits, spending });
    expect(journal.map(({ type }) => type)).not.toContain('notice');
  });

  it('that was raised withdraws the announcement, once, and is announced again', async () => {
    const first = await run({ lines: work(9), limits: { turns: 5 }, crashAfter: 14 });
    const topics = (journal: readonly { type: string; topic?: string }[]) =>
      journal.flatMap(({ type, topic }) => (type === 'notice' ? [topic] : []));
    expect(topics(first.journal)).toEqual(['wrap-up:1']);
    const { journal } = await run({
      lines: work(9),
      limits: { turns: 9 },
      journal: first.journal,
    });
    expect(topics(journal)).toEqual(['wrap-up:1', 'go-on:1', 'wrap-up:1']);
  });

  it('in dollars stops nothing while the price is not known', async () => {
    const limits = { turns: 4, dollars: { ...budget, run: 0.01 } };
    const { end } = await run({ lines: work(9, { cost: null }), limits });
    expect(end).toMatchObject({ cause: { limit: '4 model replies per run' } });
  });

  it('that is reached again after a crash ends the run as it would have', async () => {
    const limits = { turns: 3 };
    const first = await run({ lines: work(9), limits, crashAfter: 9 });
    const { end, journal } = await run({ lines: work(9), limits, journal: first.journal });
    expect(end).toMatchObject({ kind: 'limit' });
    expect(journal.filter(({ type }) => type === 'reply')).toHaveLength(3);
  });
});

describe('a run without tools', () => {
  const ask = { protocol: 'none', mode: 'completion' } as const;

  it('asks once, with no tools, and the reply is the answer', async () => {
    const { end, journal, requests } = await run({ lines: ['Because of rounding.'], ...ask });
    expect(end).toEqual({ kind: 'answered' });
    expect(requests.map(({ tools }) => tools)).toEqual([[]]);
    expect(journal.map(({ type }) => type)).toEqual(['input_read', 'reply']);
    expect(journal[1]).toMatchObject({ answer: 'Because of rounding.', calls: [] });
  });

  it('asks no second time after a crash that came behind the reply', async () => {
    const { journal } = await run({ lines: ['Because.'], ...ask, crashAfter: 2 });
    const { end, requests } = await run({ lines: ['Because.'], ...ask, journal });
    expect(end).toEqual({ kind: 'answered' });
    expect(requests).toEqual([]);
  });

  it('asks again for an empty reply, and gives up', async () => {
    const { end } = await run({ lines: ['', '', '', ''], ...ask });
    expect(end).toMatchObject({ kind: 'failed' });
  });

  /** A run that answers after another one, of four replies. */
  const askAfterWork = async (answers: readonly Line[], relief?: ReliefSettings) => {
    const { journal } = await run({ lines: work(5), crashAfter: 13 });
    const history = historyOf(journal, 'none');
    history.beginRun();
    const setup = { lines: [...work(4), ...answers], journal, history, ...ask };
    return run(relief === undefined ? setup : { ...setup, relief });
  };

  it('makes room if the server says that the conversation is too long', async () => {
    const answers = [new ContextOverflow('too long'), 'Because of rounding.'];
    const { end, requests } = await askAfterWork(answers);
    expect(end).toEqual({ kind: 'answered' });
    expect(requests).toHaveLength(2);
    expect(requests[1]?.messages.length).toBeLessThan(requests[0]?.messages.length ?? 0);
  });

  it('makes room as well if the conversation is known to be too long', async () => {
    const relief = { compaction: undefined, maxMessages: 5 };
    const { end, requests } = await askAfterWork(['Because of rounding.'], relief);
    expect(end).toEqual({ kind: 'answered' });
    expect(requests.map(({ messages }) => messages.length)).toEqual([6]);
  });

  it('ends with an explanation if no room can be made', async () => {
    const lines = Array.from({ length: 30 }, () => new ContextOverflow('too long'));
    await expect(run({ lines, ...ask })).rejects.toThrow(/exceeds the context window/);
  });

  it('names what takes no larger requests if no room can be made for that', async () => {
    const error = new ContextOverflow('A proxy takes no request of this size.', {
      isOfBytes: true,
    });
    const lines = Array.from({ length: 30 }, () => error);
    await expect(run({ lines, ...ask })).rejects.toThrow(
      'A proxy takes no request of this size. The conversation cannot be shortened further.',
    );
  });

  it('keeps to the budget', async () => {
    const spending = () => Promise.resolve({ issue: 5 });
    const limits = { dollars: { ...budget, issue: 5 } };
    const { end } = await run({ lines: ['Because.'], ...ask, limits, spending });
    expect(end).toMatchObject({ kind: 'limit' });
  });
});
