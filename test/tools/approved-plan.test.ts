// What people agree to: a plan that has more in it is asked about again, and nothing is too long to be shown.
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

describe('a call that asks people', () => {
  it('is rejected if they would not see all of a plan', async () => {
    const { call } = await bench();
    const items = Array.from({ length: 50 }, (_, id) => ({ id, title: 'x'.repeat(300) }));
    await expect(call('update_plan', { items })).rejects.toThrow('12000 characters');
    await expect(call('update_plan', { items: items.slice(0, 40) })).resolves.toBeDefined();
  });

  it('is rejected if they would not see all of the questions', async () => {
    const { call } = await bench();
    const long = { question: 'x'.repeat(5000), default: 'y'.repeat(2000) };
    await expect(call('ask_question', { questions: [long, long, long] })).rejects.toThrow(
      '20000 characters',
    );
    await expect(call('ask_question', { questions: [long, long] })).resolves.toBeDefined();
  });
});
