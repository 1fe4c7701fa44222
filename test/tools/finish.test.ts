import { expect, it } from '@jest/globals';
import { bench } from './support.ts';

it('finish leaves a part of the work a draft that is not reviewed; without any work, nothing could be done', async () => {
  const { call, hub, reviews } = await bench();
  await call('write_file', { path: 'a.txt', content: '' });
  const summary = 'Add a; b is left';
  const { effects } = await call('finish', { summary, outcome: 'partial' });
  expect(effects?.at(-1)).toEqual({ type: 'finish', outcome: 'partial', summary });
  expect(hub.pullRequest).toMatchObject({ draft: true, reviewers: [] });
  expect(hub.pullRequest?.done).toContainEqual({ type: 'finish', outcome: 'partial', summary });
  expect(reviews.seen).toEqual([]);
  const nothing = await (await bench()).call('finish', { summary, outcome: 'partial' });
  expect(nothing.effects?.at(-1)).toMatchObject({ outcome: 'cannot' });
});

const WORDS = 'Count durations of more than a day in days, since nobody reads hours';
it.each([
  ['a first line', 'Add a', 'Add a'],
  ['a reason', '- Add a\n\nBecause of b.\n\n- and c', 'Add a\n\nBecause of b.\n\n- and c'],
  ['a reason in the next line', 'Add a\nBecause.', 'Add a\n\nBecause.'],
  ['a line of 72', `${WORDS} now`, `${WORDS} now`],
  ['a longer line', `${WORDS} as they do.\nSee.`, `${WORDS} as…\n\n${WORDS} as they do.\n\nSee.`],
  ['a word without an end', 'x'.repeat(80), `${'x'.repeat(71)}…\n\n${'x'.repeat(80)}`],
])(
  'finish makes the message of its commit of a summary with %s',
  async (_what, summary, message) => {
    const { call, git } = await bench();
    await call('write_file', { path: 'a.txt', content: '' });
    await call('finish', { summary });
    expect(git.commits.map((commit) => commit.message)).toEqual([message]);
  },
);

it('finish without a word is asked once for the reason if nothing was changed, and then ends the work without one', async () => {
  const { call } = await bench();
  const first = await call('finish', {});
  expect(first).toMatchObject({ ok: false, effects: [{ type: 'reason_asked' }] });
  expect(first.output).toContain('with the reason as the summary');
  const second = await call('finish', {});
  expect(second.effects).toEqual([{ type: 'finish', outcome: 'nothing_to_do', summary: '' }]);
  expect(second.halt).toBe('finished');
});

it('finish without a word publishes no words as the model’s, only the task’s title as such', async () => {
  const { call, hub, git, reviews } = await bench();
  await call('write_file', { path: 'a.txt', content: '' });
  const { effects } = await call('finish', {});
  expect(git.commits[0]?.message).toBe(
    'Greet people by name\n\nThe agent gave no summary, so Issuewright named this after the task.',
  );
  expect(hub.pullRequest).toMatchObject({ title: 'Greet people by name' });
  expect(effects).toContainEqual(expect.objectContaining({ description: '' }));
  expect(effects?.at(-1)).toEqual({ type: 'finish', outcome: 'done', summary: '' });
  expect(reviews.seen).toEqual([{ unpushed: ['a.txt'], summary: '' }]);
});
