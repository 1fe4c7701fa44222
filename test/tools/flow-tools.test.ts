import { describe, expect, it } from '@jest/globals';
import { TellModel, TellPerson } from '../../src/lib/errors.ts';
import { gitContract } from '../contract/git.ts';
import type { ReviewResult } from '../../src/tools/define-tool.ts';
import { selfReviewed } from '../support/stories.ts';
import { bench, type Bench } from './support.ts';

gitContract('the git in memory', async () => {
  const { files, git } = await bench({ 'README.md': 'Sample\n' });
  return {
    files,
    git,
    denyPushes: (words) => (git.denial = words),
    close: async () => {},
  };
});

/** A bench with one commit on the branch. */
async function committed(): Promise<Bench> {
  const made = await bench();
  await made.call('write_file', { path: 'a.txt', content: '' });
  await made.call('commit', { message: 'Add a' });
  return made;
}

const REVIEWERS = ['octo-maintainer', 'second-reader'];
const ASKED = { type: 'review_requested', pullRequest: 7, reviewers: REVIEWERS };

describe('create_pull_request', () => {
  it('needs a commit first', async () => {
    const { call } = await bench();
    await call('write_file', { path: 'a', content: '' });
    await expect(call('create_pull_request', { title: 'x' })).rejects.toBeInstanceOf(TellModel);
  });

  it('opens a draft once, and names the one that is open after that', async () => {
    const { call, hub } = await committed();
    expect(await call('create_pull_request', { title: 'Title', body: 'Body' })).toEqual({
      output: 'Opened pull request #7: https://github.test/7',
      effects: [
        {
          type: 'pull_request',
          number: 7,
          url: 'https://github.test/7',
          title: 'Title',
          description: 'Body',
        },
      ],
    });
    expect(hub.pullRequest?.draft).toBe(true);
    const again = await call('create_pull_request', { title: 'Other' });
    expect(again.output).toContain('Pull request #7 is already open');
    expect(again.effects).toBeUndefined();
  });

  it('finds the one that was opened before a crash', async () => {
    const { call, crashIn } = await committed();
    const first = await crashIn('create_pull_request', { title: 'Title' });
    expect(await call('create_pull_request', { title: 'Title' })).toEqual(first);
  });
});

describe('update_plan', () => {
  it('sets the plan, with ids as strings', async () => {
    const { call } = await bench();
    const items = [
      { id: 1, title: ' Read ', done: true },
      { id: 'b', title: 'Write' },
    ];
    expect((await call('update_plan', { items })).effects).toEqual([
      {
        type: 'plan',
        items: [
          { id: '1', title: 'Read', done: true },
          { id: 'b', title: 'Write', done: false },
        ],
      },
    ]);
  });

  it('rejects two items with one id, no items, and too many', async () => {
    const { call } = await bench();
    const plan = async (ids: (string | number)[]) =>
      call('update_plan', { items: ids.map((id) => ({ id, title: 'x' })) });
    await expect(plan([1, '1'])).rejects.toThrow('the same id');
    await expect(plan([])).rejects.toBeInstanceOf(TellModel);
    await expect(plan(Array.from({ length: 51 }, (_, id) => id))).rejects.toBeInstanceOf(TellModel);
  });
});

describe('ask_question', () => {
  it('ends the run with the question', async () => {
    const { call } = await bench();
    const { effects, halt } = await call('ask_question', { question_text: ' Which one? ' });
    const items = [{ text: 'Which one?' }];
    expect(effects).toEqual([{ type: 'question', text: 'Which one?', items }]);
    expect(halt).toBe('asked');
  });

  it('asks several at once, numbered, each with the answer that it proposes', async () => {
    const { call } = await bench();
    const { effects } = await call('ask_question', {
      questions: [
        { question: 'Which unit?', default: 'Days.' },
        { question: 'Since when?', default: 'A day.' },
      ],
    });
    expect(effects).toEqual([
      {
        type: 'question',
        text: '1. Which unit?\n2. Since when?',
        items: [
          { text: 'Which unit?', proposedAnswer: 'Days.' },
          { text: 'Since when?', proposedAnswer: 'A day.' },
        ],
      },
    ]);
  });

  it('accepts a single question with its default, and rejects an empty list', async () => {
    const { call } = await bench();
    const question = { question: 'Which?', default: 'The first.' };
    const { effects } = await call('ask_question', { questions: question });
    expect(effects).toMatchObject([{ items: [{ text: 'Which?', proposedAnswer: 'The first.' }] }]);
    const { effects: more } = await call('ask_question', { questions: ['Which?', 'When?'] });
    expect(more).toMatchObject([{ text: '1. Which?\n2. When?' }]);
    await expect(call('ask_question', {})).rejects.toBeInstanceOf(TellModel);
    await expect(call('ask_question', { questions: [] })).rejects.toBeInstanceOf(TellModel);
  });
});

describe('finish_feature', () => {
  const PLAN = {
    items: [
      { id: '1.4', title: 'Read it' },
      { id: '5', title: 'Write it' },
    ],
  };

  it('ticks the item off and commits what was changed for it', async () => {
    const { call, git } = await bench();
    await call('update_plan', PLAN);
    await call('write_file', { path: 'a.txt', content: '' });
    const { output, effects } = await call('finish_feature', {
      task_id: 1,
      feature_id: 5,
      title: 'Agent communication protocol',
    });
    expect(git.commits).toMatchObject([{ message: 'Agent communication protocol' }]);
    expect(effects).toMatchObject([
      { type: 'plan', items: [{ done: false }, { id: '5', title: 'Write it', done: true }] },
      { type: 'commit', files: [{ path: 'a.txt' }] },
    ]);
    expect(output).toMatch(/^Marked as done: 1 of 2 items are done\.\nCommitted/);
  });

  it.each([
    [{ task_id: 1, feature_id: 4 }, '1.4'],
    [{ title: ' read IT ' }, '1.4'],
    [{ id: '5' }, '5'],
  ])('finds the item of %j; without a change there is no commit', async (args, id) => {
    const { call, git } = await bench();
    await call('update_plan', PLAN);
    const { effects, output } = await call('finish_feature', args);
    const [plan] = effects ?? [];
    expect(plan?.type === 'plan' && plan.items.filter(({ done }) => done)).toMatchObject([{ id }]);
    expect(output).toContain('There were no changes, so no commit was made.');
    expect(git.commits).toEqual([]);
  });

  it('adds an item with a title that is not in the plan, and rejects one without', async () => {
    const { call } = await bench();
    await call('update_plan', PLAN);
    const { effects } = await call('finish_feature', { task_id: 1, feature_id: 9, title: 'More' });
    expect(effects).toMatchObject([
      { items: [{ id: '1.4' }, { id: '5' }, { id: '9', title: 'More', done: true }] },
    ]);
    const rejected = call('finish_feature', { feature_id: 77 });
    await expect(rejected).rejects.toBeInstanceOf(TellModel);
    await expect(rejected).rejects.toThrow('5: Write it');
  });

  it('commits once, also when it is repeated after a crash', async () => {
    const { call, crashIn, git } = await bench();
    await call('update_plan', PLAN);
    await call('write_file', { path: 'a.txt', content: '' });
    const first = await crashIn('finish_feature', { feature_id: 5 });
    expect(await call('finish_feature', { feature_id: 5 })).toEqual(first);
    expect(git.commits).toHaveLength(1);
  });
});

describe('submit_for_review', () => {
  it('publishes everything and asks for a review', async () => {
    const { call, hub } = await bench();
    await call('write_file', { path: 'a.txt', content: '' });
    const { output, effects, halt } = await call('submit_for_review', { summary: 'Add a\n\nWhy.' });
    expect(effects).toMatchObject([
      { type: 'commit', message: 'Add a\n\nWhy.' },
      { type: 'pull_request', title: 'Add a', description: 'Add a\n\nWhy.' },
      ASKED,
    ]);
    expect(hub.pullRequest).toMatchObject({ draft: false, reviewers: REVIEWERS });
    expect(output).toContain('Review requested from octo-maintainer, second-reader.');
    expect(halt).toBeUndefined();
  });

  it('uses the title of the issue if there is no summary, and names reviewers who cannot be asked', async () => {
    const { call, hub } = await committed();
    hub.writers.delete('second-reader');
    const { output, effects } = await call('submit_for_review');
    expect(hub.pullRequest?.title).toBe('Greet people by name');
    expect(output).toContain('GitHub did not accept a review request for second-reader.');
    expect(effects?.at(-1)).toMatchObject({ reviewers: ['octo-maintainer'] });
  });

  it('is rejected if nothing was changed', async () => {
    const { call } = await bench();
    await expect(call('submit_for_review')).rejects.toBeInstanceOf(TellModel);
  });

  it('leads to the same when it is repeated after a crash', async () => {
    const { call, crashIn, git, hub } = await bench();
    await call('write_file', { path: 'a.txt', content: '' });
    const first = await crashIn('submit_for_review', { summary: 'Add a' });
    expect(await call('submit_for_review', { summary: 'Add a' })).toEqual(first);
    expect(git.commits).toHaveLength(1);
    expect(hub.pullRequest?.reviewers).toEqual(REVIEWERS);
  });
});

describe('finish', () => {
  it('without any change opens nothing, whatever the model says', async () => {
    const { call, hub } = await bench();
    const { effects, halt } = await call('finish', { message: 'All is well', outcome: 'done' });
    expect(effects).toEqual([{ type: 'finish', outcome: 'nothing_to_do', summary: 'All is well' }]);
    expect(halt).toBe('finished');
    expect(hub.pullRequest).toBeUndefined();
  });

  it('commits what is left, opens the pull request, marks it ready and asks for a review', async () => {
    const { call, hub } = await bench();
    await call('write_file', { path: 'a.txt', content: '' });
    const { effects } = await call('finish', {
      summary: '## Add a\n\nBecause.',
      outcome: 'Nothing to do',
    });
    expect(effects).toMatchObject([
      { type: 'commit', message: 'Add a\n\nBecause.', files: [{ path: 'a.txt' }] },
      { type: 'pull_request', number: 7, title: 'Add a', description: '## Add a\n\nBecause.' },
      ASKED,
      { type: 'finish', outcome: 'done' },
    ]);
    expect(hub.pullRequest).toMatchObject({ title: 'Add a', draft: false });
  });

  it('says which files it left out, because only commands made them', async () => {
    const { call, git, files } = await bench();
    await call('write_file', { path: 'a.txt', content: '' });
    await files.write('report.xml', Buffer.from('x'));
    git.made.add('report.xml');
    const { effects, output } = await call('finish', { summary: 'Add a' });
    expect(output).toBe('Finished. Left out, because only commands made it: "report.xml".');
    expect(effects?.[0]).toMatchObject({ partial: true, files: [{ path: 'a.txt' }] });
  });

  it('uses the open pull request, and asks no one twice', async () => {
    const { call, hub } = await committed();
    await call('create_pull_request', { title: 'Title' });
    await call('submit_for_review');
    const { effects } = await call('finish', { summary: 'Done' });
    expect(effects).toEqual([{ type: 'finish', outcome: 'done', summary: 'Done' }]);
    expect(hub.pullRequest).toMatchObject({ title: 'Title', draft: false });
  });

  it('takes what git_add left out of the commits before', async () => {
    const { call, git } = await bench();
    await call('write_file', { path: 'a.txt', content: '' });
    await call('write_file', { path: 'b.txt', content: '' });
    await call('git_add', { paths: ['a.txt'] });
    await call('finish', { summary: 'Done' });
    expect(git.commits.flatMap(({ files }) => files.map(({ path }) => path))).toEqual([
      'a.txt',
      'b.txt',
    ]);
  });

  it('leaves to people what GitHub denies once the pull request is open, and finishes all the same', async () => {
    const { call, hub } = await committed();
    hub.submitDenial = 'Not yours.';
    const { effects, halt } = await call('finish', { summary: 'Done' });
    const reason = 'Not yours.';
    const steps = [
      { step: 'ready_for_review', reason },
      { step: 'review_request', reviewers: REVIEWERS, reason },
    ];
    expect(effects?.slice(1)).toEqual([
      { type: 'left_to_people', pullRequest: 7, steps },
      { type: 'finish', outcome: 'done', summary: 'Done' },
    ]);
    expect(halt).toBe('finished');
    hub.submitDenial = undefined;
    expect((await call('finish', { summary: 'Done' })).effects).toEqual([
      ASKED,
      { type: 'left_to_people', pullRequest: 7, steps: [] },
      { type: 'finish', outcome: 'done', summary: 'Done' },
    ]);
  });

  it('leaves unfinished work a draft, and asks no one to review it', async () => {
    const { call, hub } = await bench();
    await call('write_file', { path: 'a.txt', content: '' });
    const { effects } = await call('finish', { summary: 'No way', outcome: 'cannot' });
    expect(effects?.at(-1)).toEqual({ type: 'finish', outcome: 'cannot', summary: 'No way' });
    expect(hub.pullRequest).toMatchObject({ draft: true, reviewers: [] });
  });

  it('may say nothing of what is done, and has to say why something is not', async () => {
    const { call } = await committed();
    const { output } = await call('finish', { outcome: 'cannot' });
    expect(output).toContain('with the reason as the summary');
    const { effects } = await call('finish');
    expect(effects?.at(-1)).toMatchObject({ outcome: 'done', summary: '' });
  });

  it('leads to the same when it is repeated after a crash', async () => {
    const { call, crashIn, git, hub } = await bench();
    await call('write_file', { path: 'a.txt', content: '' });
    const first = await crashIn('finish', { summary: 'Add a' });
    expect(await call('finish', { summary: 'Add a' })).toEqual(first);
    expect(git.commits).toHaveLength(1);
    expect(hub.pullRequest?.reviewers).toEqual(REVIEWERS);
  });

  it.each(['finish', 'submit_for_review'])(
    'remembers what was pushed if the pull request of %s is denied',
    async (tool) => {
      const { call, hub } = await bench();
      hub.denial = 'The repository was archived.';
      await call('write_file', { path: 'a.txt', content: '' });
      expect(await call(tool, { summary: 'Add a' })).toMatchObject({
        output: 'The repository was archived.',
        effects: [{ type: 'commit', files: [{ path: 'a.txt' }] }],
        halt: 'failed',
      });
    },
  );

  it('lets a denied push end the run', async () => {
    const { call, git } = await bench();
    git.denial = 'protected';
    await call('write_file', { path: 'a.txt', content: '' });
    await expect(call('finish', { summary: 'Done' })).rejects.toBeInstanceOf(TellPerson);
  });
});

describe('a change that is submitted', () => {
  const HELD = 'Not submitted yet: there is no test.';
  const reviewed = (heldBack: string | undefined): ReviewResult => ({
    effect: selfReviewed([{ text: 'there is no test' }]) as ReviewResult['effect'],
    heldBack,
  });

  it.each([
    ['finish', { summary: 'Done' }],
    ['submit_for_review', {}],
  ])('by %s is reviewed first, and held back for what is found', async (tool, args) => {
    const { call, git, hub, reviews } = await bench({ 'a.txt': 'a\n' });
    await call('write_file', { path: 'b.txt', content: 'b\n' });
    reviews.next.push(reviewed(HELD), reviewed(undefined));
    const first = await call(tool, args);
    expect(first).toMatchObject({ output: HELD, ok: false });
    expect(first.halt).toBeUndefined();
    expect(first.effects?.map(({ type }) => type)).toEqual(['self_reviewed']);
    expect(reviews.seen.map(({ unpushed }) => unpushed)).toEqual([['b.txt']]);
    expect(hub.pullRequest).toBeUndefined();
    const second = await call(tool, args);
    expect(second.ok).not.toBe(false);
    expect(git.commits).toHaveLength(1);
    expect(hub.pullRequest?.done).toMatchObject([{ type: 'commit' }, { type: 'self_reviewed' }]);
    expect(hub.pullRequest?.draft).toBe(false);
    expect(reviews.seen).toHaveLength(2);
  });

  it('is not reviewed if there is none, or if it stays a draft', async () => {
    const nothing = await bench({ 'a.txt': 'a\n' });
    await nothing.call('finish', { summary: 'Done' });
    expect(nothing.reviews.seen).toEqual([]);
    const unfinished = await bench({ 'a.txt': 'a\n' });
    await unfinished.call('write_file', { path: 'b.txt', content: 'b\n' });
    await unfinished.call('finish', { summary: 'No way', outcome: 'cannot' });
    expect(unfinished.reviews.seen).toEqual([]);
  });
});
