import { describe, expect, it } from '@jest/globals';
import { dueAt } from '../../../src/app/publish/due.ts';
import type { Publication } from '../../../src/app/publish/publication.ts';
import { publicationsOf } from '../../../src/app/publish/publications.ts';
import type { WriteBudget } from '../../../src/lib/write-budget.ts';
import type { Journal } from '../../support/journal.ts';
import * as stories from '../../support/stories.ts';

const SECOND = 1_000;
const FULL: WriteBudget = { minute: 60, hour: 120, pausedMs: 0, busy: 1 };

const statusOf = ({ session, entries }: Journal): Publication => {
  const options = { session: 'abc', pageUrl: undefined, now: '2030-01-15T14:13:30Z' };
  const all = publicationsOf({ session, entries, options });
  return all.find(({ key }) => key === 'status')!;
};

/** Seconds until the status is due that stood as `before` so many seconds ago; `undefined`: never. */
async function secondsUntilDue(
  before: Publication | undefined,
  now: Journal,
  { ago = 0, room = FULL } = {},
): Promise<number | undefined> {
  const updatedAt = new Date(Date.now() - ago * SECOND);
  const standing = before && { digest: before.digest, updatedAt };
  const due = await dueAt(statusOf(now), standing, now, () => Promise.resolve(room));
  return due && Math.max(0, Math.round((due.getTime() - Date.now()) / SECOND));
}

describe('the status comment is edited', () => {
  const working = (): Journal => stories.working();
  const further = (): Journal => stories.working().turn({ cost: 0.1 });

  it('at once where there is none, and where the session has come to another state', async () => {
    expect(await secondsUntilDue(undefined, working())).toBe(0);
    for (const story of [stories.asked, stories.deferred, stories.submitted, stories.failed])
      expect(await secondsUntilDue(statusOf(working()), story())).toBe(0);
  });

  it('soon where work has begun or somebody asks for it, also while there is hardly any room', async () => {
    const asked = working().command('status');
    const room = { ...FULL, minute: 0, hour: 0, busy: 40 };
    for (const [before, now] of [
      [stories.queued(), working()],
      [stories.deferred(), working()],
      [working(), asked],
    ] as const) {
      expect(await secondsUntilDue(statusOf(before), now, { ago: 1 })).toBe(2);
      expect(await secondsUntilDue(statusOf(before), now, { ago: 4, room })).toBe(6);
      expect(await secondsUntilDue(statusOf(before), now, { ago: 10, room })).toBe(0);
    }
  });

  it('in its turn while work goes on, as the room of the installation allows', async () => {
    const before = statusOf(working());
    expect(await secondsUntilDue(before, further(), { ago: 1 })).toBe(2);
    expect(await secondsUntilDue(before, further(), { ago: 3 })).toBe(0);
    const twelve = { ...FULL, busy: 12 };
    expect(await secondsUntilDue(before, further(), { ago: 10, room: twelve })).toBe(20);
    const paused = { ...FULL, pausedMs: 60 * SECOND };
    expect(await secondsUntilDue(before, further(), { ago: 10, room: paused })).toBe(60);
  });

  it('every two minutes as a sign of life, and never without news once the work has ended', async () => {
    const before = statusOf(working());
    expect(await secondsUntilDue(before, working(), { ago: 30 })).toBe(90);
    expect(await secondsUntilDue(before, working(), { ago: 121 })).toBe(0);
    for (const story of [stories.deferred, stories.asked, stories.submitted])
      expect(await secondsUntilDue(statusOf(story()), story(), { ago: 999 })).toBeUndefined();
  });
});
