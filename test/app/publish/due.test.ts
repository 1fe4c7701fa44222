import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { dueAt, placeLookedAt, placeToShow } from '../../../src/app/publish/due.ts';
import type { Publication } from '../../../src/app/publish/publication.ts';
import { publicationsOf } from '../../../src/app/publish/publications.ts';
import { FULL_WRITE_BUDGET, type WriteBudget } from '../../../src/lib/write-budget.ts';
import type { Journal } from '../../support/journal.ts';
import * as stories from '../../support/stories.ts';

const SECOND = 1_000;
const FULL: WriteBudget = { ...FULL_WRITE_BUDGET, busy: 1 };
const { minute, hour } = FULL;

/** The stories happen then, and take some seconds. */
const BEGUN = Date.parse('2030-01-15T14:03:00Z');

beforeEach(() => {
  jest.useFakeTimers({ now: BEGUN + 60 * SECOND, doNotFake: [...NOT_DATE] });
});
afterEach(() => {
  jest.useRealTimers();
});

const NOT_DATE = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

const statusOf = ({ session, entries }: Journal, place?: number): Publication => {
  const options = { session: 'abc', pageUrl: undefined, now: '2030-01-15T14:13:30Z', place };
  const all = publicationsOf({ session, entries, options });
  return all.find(({ key }) => key === 'status')!;
};

/** Seconds until the status is due if `before` was published `ago` seconds ago; `undefined`: never. */
async function secondsUntilDue(
  before: Publication | undefined,
  now: Journal,
  { ago = 0, budget = FULL } = {},
): Promise<number | undefined> {
  const updatedAt = new Date(Date.now() - ago * SECOND);
  const standing = before && { digest: before.digest, updatedAt };
  const due = await dueAt(statusOf(now), standing, now, () => Promise.resolve(budget));
  return due && Math.max(0, Math.round((due.getTime() - Date.now()) / SECOND));
}

describe('the status comment is edited', () => {
  const working = (): Journal => stories.working();

  it('at once if there is none yet, or if the state of the session has changed', async () => {
    expect(await secondsUntilDue(undefined, working())).toBe(0);
    for (const story of [stories.asked, stories.deferred, stories.submitted, stories.failed])
      expect(await secondsUntilDue(statusOf(working()), story())).toBe(0);
  });

  it('soon if work has begun or someone asks for it, even if hardly any budget is left', async () => {
    const asked = working().command('status');
    const none = { minute: { ...minute, left: 0 }, hour: { ...hour, left: 0 } };
    const budget = { ...FULL, ...none, busy: 40 };
    for (const [before, now] of [
      [statusOf(stories.queued(), 2), working()],
      [statusOf(stories.asked()), stories.asked().comment('A name.').admit().beginRun()],
      [statusOf(stories.deferred()), working()],
      [statusOf(working()), asked],
    ] as const) {
      expect(await secondsUntilDue(before, now, { ago: 1, budget })).toBe(2);
      expect(await secondsUntilDue(before, now, { ago: 3, budget })).toBe(0);
    }
  });

  it('every twenty seconds at most while the plan or the commits change, and more seldom with little budget', async () => {
    const before = statusOf(working());
    const further = working().effect(stories.COMMIT);
    expect(await secondsUntilDue(before, further, { ago: 1 })).toBe(19);
    expect(await secondsUntilDue(before, further, { ago: 20 })).toBe(0);
    const forty = { ...FULL, busy: 40 };
    expect(await secondsUntilDue(before, further, { ago: 70, budget: forty })).toBe(69);
    const paused = { ...FULL, pausedMs: 60 * SECOND };
    expect(await secondsUntilDue(before, further, { ago: 70, budget: paused })).toBe(60);
  });

  it('after twenty seconds for another step, such as a self-review, and not for another turn with the same one', async () => {
    const read = () =>
      working().turn({ calls: [{ tool: 'read_file', title: 'Read a.ts', result: {} }] });
    const before = statusOf(read());
    const reviewing = () => read().add({ type: 'self_review_started', run: 1, model: 'openai:b' });
    for (const now of [read().turn({ calls: [{ tool: 'x', title: 'Edit a.ts' }] }), reviewing()])
      expect(await secondsUntilDue(before, now, { ago: 1 })).toBe(19);
    const again = read().turn({
      cost: 0.1,
      calls: [{ tool: 'read_file', title: 'Read a.ts', result: {} }],
    });
    for (const now of [
      again,
      read().turn({ calls: [{ tool: 'read_file', title: 'Read a.ts' }] }),
    ]) {
      expect(statusOf(now).digest).toBe(before.digest);
      expect(await secondsUntilDue(before, now, { ago: 1 })).toBe(119);
    }
  });

  it('at once when a run begins because a person acted', async () => {
    const answered = (): Journal => stories.asked().comment('A name.').admit().beginRun();
    const reviewed = (): Journal => stories.submitted().review('Trim it.').admit().beginRun();
    for (const [before, now] of [
      [stories.asked(), answered()],
      [stories.submitted(), reviewed()],
    ] as const) {
      jest.setSystemTime(Date.parse(now.session.run?.startedAt ?? ''));
      expect(await secondsUntilDue(statusOf(before), now, { ago: 999 })).toBe(0);
      expect(await secondsUntilDue(statusOf(before), now, { ago: 1 })).toBe(2);
    }
    // Whoever began the session reads "Starting" already.
    const first = stories.queued().beginRun();
    jest.setSystemTime(Date.parse(first.session.run?.startedAt ?? ''));
    expect(await secondsUntilDue(statusOf(stories.queued()), first, { ago: 999 })).toBe(20);
  });

  it('when a run that no person began has worked for twenty seconds: a shorter one is shown by its end alone', async () => {
    const failing = (): Journal => stories.withFailingChecks(stories.submitted());
    const shown = statusOf(failing());
    const fixing = (): Journal => failing().beginRun();
    const begun = Date.parse(fixing().session.run?.startedAt ?? '');
    jest.setSystemTime(begun + 5 * SECOND);
    expect(await secondsUntilDue(shown, fixing(), { ago: 999 })).toBe(15);
    const over = fixing().end({ kind: 'failed', reason: 'No.' });
    expect(await secondsUntilDue(shown, over, { ago: 1 })).toBe(0);
    jest.setSystemTime(begun + 20 * SECOND);
    expect(await secondsUntilDue(shown, fixing(), { ago: 999 })).toBe(0);
  });

  it('a moment after a run has pushed, unless its checks were read until then', async () => {
    const shown = statusOf(stories.asked());
    const end = Date.parse(stories.submitted().entries.at(-1)?.at ?? '');
    jest.setSystemTime(end + SECOND);
    expect(await secondsUntilDue(shown, stories.submitted(), { ago: 999 })).toBe(4);
    const read = stories.withFailingChecks(stories.submitted());
    expect(await secondsUntilDue(shown, read, { ago: 999 })).toBe(0);
    jest.setSystemTime(end + 5 * SECOND);
    expect(await secondsUntilDue(shown, stories.submitted(), { ago: 999 })).toBe(0);
  });

  it('not before a run begins, unless nothing is shown yet or it waits for a slot', async () => {
    expect(await secondsUntilDue(undefined, stories.queued())).toBe(0);
    const more = stories.submitted().review('Use the full name.').admit();
    const shown = statusOf(stories.submitted());
    expect(await secondsUntilDue(shown, more, { ago: 999 })).toBeUndefined();
    expect(await secondsUntilDue(shown, more.beginRun(), { ago: 999 })).toBe(0);
  });

  it('every two minutes while working, and not without news once the work has ended', async () => {
    const before = statusOf(working());
    expect(await secondsUntilDue(before, working(), { ago: 30 })).toBe(90);
    expect(await secondsUntilDue(before, working(), { ago: 121 })).toBe(0);
    for (const story of [stories.deferred, stories.asked, stories.submitted])
      expect(await secondsUntilDue(statusOf(story()), story(), { ago: 999 })).toBeUndefined();
  });

  it('for another place in the queue only while that leaves room for everything else', async () => {
    const journal = stories.queued();
    const due = (now: Publication, budget: WriteBudget) => {
      const { digest } = statusOf(journal, 12);
      const before = { digest, updatedAt: new Date() };
      return dueAt(now, before, journal, () => Promise.resolve(budget));
    };
    const scarce = { ...FULL, hour: { ...hour, left: 255 } };
    expect(await due(statusOf(journal, 12), FULL)).toBeUndefined();
    expect(await due(statusOf(journal, 11), FULL)).toEqual(new Date(0));
    expect(await due(statusOf(journal, 11), scarce)).toBeUndefined();
    // It has a slot: its run will show that.
    expect(await due(statusOf(journal), FULL)).toBeUndefined();
  });
});

describe('during a run', () => {
  const publicationsIn = ({ session, entries }: Journal) =>
    publicationsOf({
      session,
      entries,
      options: { session: 'abc', pageUrl: undefined, now: '2030-01-15T14:13:30Z' },
    });
  const dueIn = async (journal: Journal, before: ReadonlyMap<string, string>) => {
    const due: string[] = [];
    for (const one of publicationsIn(journal)) {
      const digest = before.get(one.key);
      const standing = digest === undefined ? undefined : { digest, updatedAt: new Date() };
      const at = await dueAt(one, standing, journal, () => Promise.resolve(FULL));
      if (at !== undefined && at <= new Date()) due.push(one.key);
    }
    return due.filter((key) => /^(?:check|pull-request):/.test(key));
  };
  const shownOf = (journal: Journal) =>
    new Map(publicationsIn(journal).map(({ key, digest }) => [key, digest]));
  const sha = 'f'.repeat(40);
  const again = (): Journal =>
    stories.submitted().review('Use the full name.').admit().beginRun().takeInput();

  it('the check run says that work continues, on a new head too, and is written again only when it ends', async () => {
    const shown = shownOf(stories.submitted());
    const queued = stories.submitted().review('Use the full name.').admit();
    expect(await dueIn(queued, shown)).toEqual([]);
    expect(await dueIn(again(), shown)).toEqual([`check:${stories.COMMIT.sha}`]);
    const working = new Map([...shown, ...shownOf(again())]);
    const plan = { type: 'plan', items: [{ id: '1', title: 'Another', done: true }] } as const;
    const moved = (): Journal =>
      again()
        .effect(plan)
        .effect({ ...stories.COMMIT, sha });
    expect(await dueIn(moved(), working)).toEqual([`check:${stories.COMMIT.sha}`]);
    jest.setSystemTime(BEGUN + 120 * SECOND);
    expect(await dueIn(moved(), working)).toEqual([`check:${stories.COMMIT.sha}`, `check:${sha}`]);
    const onHead = new Map([...working, ...shownOf(moved())]);
    expect(await dueIn(moved().effect(plan), onHead)).toEqual([]);
    for (const end of [
      { kind: 'finished' } as const,
      { kind: 'limit', reason: 'No more.' } as const,
    ])
      expect(await dueIn(moved().end(end), onHead)).toEqual([`check:${sha}`]);
  });

  it('the check run of an earlier commit is left as it is if it did not say that work continues', async () => {
    const shown = shownOf(stories.submitted());
    const moved = again().effect({ ...stories.COMMIT, sha });
    expect(await dueIn(moved.end({ kind: 'finished' }), shown)).toEqual([
      'pull-request:12',
      `check:${sha}`,
    ]);
    // A button that would do nothing any more goes.
    const offering = shownOf(stories.withFailingChecks(stories.submitted()));
    const after = stories
      .withFailingChecks(stories.submitted())
      .command('retry')
      .beginRun()
      .takeInput()
      .effect({ ...stories.COMMIT, sha });
    expect(await dueIn(after.end({ kind: 'finished' }), offering)).toEqual([
      'pull-request:12',
      `check:${stories.COMMIT.sha}`,
      `check:${sha}`,
    ]);
  });

  it('the check run stays as it is while only a question is answered, and until something is changed for it', async () => {
    const shown = shownOf(stories.submitted());
    const asked = (): Journal => {
      const journal = stories.submitted().comment('@issuewright Does it greet everyone?');
      const received = journal.entries.length;
      const ask = { for: 'work', alone: false } as const;
      journal.add({ type: 'admitted', received, lineComments: [], ask, isQuestion: true });
      return journal.beginRun().prepare({ baseCommit: stories.COMMIT.sha }).takeInput();
    };
    jest.setSystemTime(BEGUN + 120 * SECOND);
    expect(await dueIn(asked(), shown)).toEqual([]);
    const answer = stories.finishAs('nothing_to_do', 'Yes.');
    expect(await dueIn(asked().effect(answer).end({ kind: 'finished' }), shown)).toEqual([]);
    const edited = asked().turn({ calls: [{ tool: 'write_file' }] });
    const reply = edited.entries.length - 1;
    const result = { ok: true, output: '', effects: [], halt: null, changedFiles: 1 } as const;
    edited.add({ type: 'call_finished', reply, index: 0, ...result });
    expect(await dueIn(edited, shown)).toEqual([`check:${stories.COMMIT.sha}`]);
  });

  it('what has changed is written when it pauses', async () => {
    const working = new Map([...shownOf(stories.submitted()), ...shownOf(again())]);
    const paused = again()
      .effect({ ...stories.COMMIT, sha })
      .command('pause')
      .add({ type: 'run_paused', run: 2 });
    expect(await dueIn(paused, working)).toContain(`check:${sha}`);
  });
});

it('the place in the queue is looked at more seldom, the more sessions are ahead', () => {
  const seconds = (place?: number) =>
    Math.round((placeLookedAt(place)!.getTime() - Date.now()) / SECOND);
  expect([2, 10, 30, 1000].map((place) => seconds(place))).toEqual([40, 200, 600, 600]);
  // Nobody is ahead: the next news is its start.
  expect(placeLookedAt(1)).toBeNull();
  // There was a free slot, which another one may have taken.
  expect(seconds(undefined)).toBe(5);
});

it('the first place is shown only to whoever has waited for it for a moment, any other at once', () => {
  const journal = stories.queued();
  const requested = Date.parse(journal.session.at);
  const shown = (seconds: number, place?: number): number | undefined => {
    jest.setSystemTime(requested + seconds * SECOND);
    return placeToShow(place, journal.entries);
  };
  expect([1, 4, 6].map((seconds) => shown(seconds, 1))).toEqual([undefined, undefined, 1]);
  expect([shown(1, 2), shown(1)]).toEqual([2, undefined]);
  journal.wait(4).add({ type: 'published', key: 'status', id: 1, url: '' });
  expect(shown(6, 1)).toBe(1);
});
