import { describe, expect, it } from '@jest/globals';
import { dueAt, placeLookedAt } from '../../../src/app/publish/due.ts';
import type { Publication } from '../../../src/app/publish/publication.ts';
import { publicationsOf } from '../../../src/app/publish/publications.ts';
import { FULL_WRITE_BUDGET, type WriteBudget } from '../../../src/lib/write-budget.ts';
import type { Journal } from '../../support/journal.ts';
import * as stories from '../../support/stories.ts';

const SECOND = 1_000;
const FULL: WriteBudget = { ...FULL_WRITE_BUDGET, busy: 1 };
const { minute, hour } = FULL;

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
  const further = (): Journal => stories.working().turn({ cost: 0.1 });

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
      [stories.queued(), working()],
      [stories.deferred(), working()],
      [working(), asked],
    ] as const) {
      expect(await secondsUntilDue(statusOf(before), now, { ago: 1 })).toBe(2);
      expect(await secondsUntilDue(statusOf(before), now, { ago: 4, budget })).toBe(6);
      expect(await secondsUntilDue(statusOf(before), now, { ago: 10, budget })).toBe(0);
    }
  });

  it('in its turn while the run continues, as the budget of the installation allows', async () => {
    const before = statusOf(working());
    expect(await secondsUntilDue(before, further(), { ago: 1 })).toBe(2);
    expect(await secondsUntilDue(before, further(), { ago: 3 })).toBe(0);
    const twelve = { ...FULL, busy: 12 };
    expect(await secondsUntilDue(before, further(), { ago: 10, budget: twelve })).toBe(20);
    const paused = { ...FULL, pausedMs: 60 * SECOND };
    expect(await secondsUntilDue(before, further(), { ago: 10, budget: paused })).toBe(60);
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

it('the place in the queue is looked at more seldom, the more sessions are ahead', () => {
  const seconds = (place: number) =>
    Math.round((placeLookedAt(place)!.getTime() - Date.now()) / SECOND);
  expect([2, 10, 30, 1000].map(seconds)).toEqual([40, 200, 600, 600]);
  // Nobody is ahead: the next news is its start.
  expect(placeLookedAt(1)).toBeNull();
  expect(placeLookedAt(undefined)).toBeNull();
});
