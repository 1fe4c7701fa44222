// A plan that people approved is asked about again once it has more in it.
import { describe, expect, it } from '@jest/globals';
import { bench } from './support.ts';

const FIRST = { id: '1', title: 'Use the name', done: false };
const SECOND = { id: '2', title: 'Test it', done: false };

async function approved() {
  const world = await bench();
  world.hub.journal
    .effect({ type: 'plan', items: [FIRST, SECOND], needsApproval: true }, 'asked')
    .end({ kind: 'asked' })
    .comment('go');
  world.hub.journal
    .add({
      type: 'admitted',
      received: world.hub.journal.entries.length,
      lineComments: [],
      approves: true,
    })
    .run();
  return world;
}

describe('update_plan after an approval', () => {
  it.each([
    ['a step is done', [{ ...FIRST, done: true }, SECOND]],
    ['a step has other words', [{ ...FIRST, title: 'Use the full name' }, SECOND]],
    ['a step is left out', [FIRST]],
    ['something was done besides', [FIRST, SECOND, { id: '3', title: 'Fix a typo', done: true }]],
  ])('asks nobody if %s', async (_why, items) => {
    const { call } = await approved();
    const { halt, effects } = await call('update_plan', { items });
    expect(halt).toBeUndefined();
    expect(effects).toEqual([{ type: 'plan', items }]);
  });

  it('asks again if a step is added', async () => {
    const { call } = await approved();
    const items = [FIRST, SECOND, { id: '3', title: 'Translate it', done: false }];
    const { halt, effects } = await call('update_plan', { items });
    expect(halt).toBe('asked');
    expect(effects).toEqual([{ type: 'plan', items, needsApproval: true }]);
  });
});
