import { describe, expect, it } from '@jest/globals';
import { NO_USAGE } from '../../src/lib/no-usage.ts';
import { replyTool } from '../../src/tools/github/reply.ts';
import { bench } from './support.ts';

const THREAD = {
  comment: 31,
  root: 31,
  side: 'new',
  hunk: '@@ -1 +1 @@\n+new',
  isResolved: false,
  isOutdated: false,
  earlier: [],
  leftOut: 0,
} as const;

async function reviewed() {
  const world = await bench({ 'a.md': 'one\n' });
  await world.call('write_file', { path: 'a.md', content: 'two\n' });
  await world.call('finish', { summary: 'Write two' });
  world.hub.journal
    .end({ kind: 'finished' })
    .review('See.')
    .admit([{ path: 'a.md', line: 1, body: 'Three.', thread: THREAD }])
    .run();
  return world;
}

it('the commits of a round of review are made as one, with the messages of all', async () => {
  const { call, git } = await reviewed();
  await call('write_file', { path: 'a.md', content: 'three\n' });
  expect((await call('commit', { message: 'Write three' })).output).toMatch(/pushed once/);
  await call('write_file', { path: 'b.md', content: 'four\n' });
  await call('commit', { message: 'Write four' });
  expect(git.commits).toHaveLength(1);
  await call('finish', { summary: 'Three and four' });
  expect(git.commits.map(({ message }) => message)).toEqual([
    'Write two',
    'Three and four\n\nWrite three\n\nWrite four',
  ]);
});

it('what only commands made is pushed with the round once a commit named it', async () => {
  const { call, git, files } = await reviewed();
  for (const path of ['deps/x', 'gen/x']) {
    await files.write(path, Buffer.from('x'));
    git.made.add(path);
  }
  expect((await call('commit', { message: 'Make it' })).output).toContain('Nothing was committed');
  expect((await call('commit', { message: 'Make it', files: ['gen'] })).output).toContain(
    'made it: "deps/x"',
  );
  await call('finish', { summary: 'Done' });
  expect(git.commits.at(-1)?.files).toEqual([{ path: 'gen/x', status: 'added' }]);
});

it('a single one keeps its message', async () => {
  const { call, git } = await reviewed();
  await call('write_file', { path: 'a.md', content: 'three\n' });
  await call('commit', { message: 'Write three\n\nIt is odd.' });
  await call('finish', { summary: 'Done' });
  expect(git.commits.at(-1)?.message).toBe('Write three\n\nIt is odd.');
});

it('a step of the plan that is finished is pushed with the round too', async () => {
  const { call, git } = await reviewed();
  await call('write_file', { path: 'a.md', content: 'three\n' });
  const done = await call('finish_feature', { title: 'Write three' });
  expect(done.output).toMatch(/1 of 1 items are done\.\nNoted/);
  expect(git.commits).toHaveLength(1);
});

const REVIEW = {
  type: 'self_reviewed',
  change: 'a',
  findings: [],
  usage: NO_USAGE,
  cost: 0,
  durationMs: 1,
} as const;

it('a change that is held back is not pushed before it is mended: there is one push', async () => {
  const { call, git, reviews } = await reviewed();
  reviews.next.push({
    effect: { ...REVIEW, heldBack: true },
    heldBack: 'Not submitted yet.',
  });
  reviews.next.push({ effect: REVIEW, heldBack: undefined });
  await call('write_file', { path: 'a.md', content: 'three\n' });
  const held = await call('finish', { summary: 'Write three' });
  expect(held).toMatchObject({ ok: false, output: 'Not submitted yet.' });
  expect(held.effects?.map(({ type }) => type)).toEqual(['self_reviewed']);
  expect(git.commits).toHaveLength(1);
  await call('write_file', { path: 'a.md', content: '3\n' });
  const done = await call('finish', { summary: 'Write 3' });
  expect(done.effects?.map(({ type }) => type)).toEqual([
    'commit',
    'self_reviewed',
    'review_requested',
    'finish',
  ]);
  expect(git.commits.map(({ message }) => message)).toEqual(['Write two', 'Write 3']);
  expect(reviews.seen.slice(-2)).toEqual([
    { unpushed: ['a.md'], summary: 'Write three' },
    { unpushed: ['a.md'], summary: 'Write 3' },
  ]);
});

it('submit_for_review pushes nothing of a round either', async () => {
  const { call, git } = await reviewed();
  await call('write_file', { path: 'a.md', content: 'three\n' });
  expect((await call('submit_for_review', { summary: 'Write three' })).output).toMatch(
    /pushed once/,
  );
  await call('write_file', { path: 'b.md', content: 'four\n' });
  await call('finish', { summary: 'Write four' });
  expect(git.commits).toHaveLength(2);
});

it('nothing is noted without a change', async () => {
  const { call } = await reviewed();
  const { output, effects = [] } = await call('commit', { message: 'Write three' });
  expect(output).toMatch(/no changes/);
  expect(effects).toEqual([]);
});

describe('reply', () => {
  it.each([{ to: '1' }, { to: 1 }, { thread: 1 }])(
    'notes the words for a thread: %j',
    async (to) => {
      const { call } = await reviewed();
      expect((await call('reply', { ...to, text: 'Yes.' })).effects).toEqual([
        { type: 'thread_reply', thread: 1, text: 'Yes.' },
      ]);
    },
  );

  it('names the threads that there are', async () => {
    const { call } = await reviewed();
    await expect(call('reply', { to: 2, text: 'Yes.' })).rejects.toThrow(
      /no review thread 2\. The threads are 1/,
    );
  });

  it('notes the words for a person, whatever the case of their login', async () => {
    const { call } = await reviewed();
    expect((await call('reply', { to: '@Octo-Maintainer', text: 'Yes.' })).effects).toEqual([
      { type: 'reply', to: 'octo-maintainer', text: 'Yes.' },
    ]);
  });

  it('has a title of one line, whatever the model puts there for a login', () => {
    const title = replyTool.title({ to: '@one\n# two\0', text: 'Yes.' });
    expect(title).toBe('Reply to one # two');
  });

  it('names the people who wait for one', async () => {
    const { call } = await reviewed();
    await expect(call('reply', { to: '@someone', text: 'Yes.' })).rejects.toThrow(
      /Only these people wait for a reply: @octo-maintainer\./,
    );
  });
});

describe('a review', () => {
  const askedIn = (effects: readonly { readonly type: string }[] = []) =>
    effects.filter(({ type }) => type === 'review_requested');
  const AGAIN = { type: 'review_requested', pullRequest: 7, reviewers: ['octo-maintainer'] };

  it('is requested again from whoever requested changes, once something changed', async () => {
    const { call } = await reviewed();
    await call('write_file', { path: 'a.md', content: 'three\n' });
    const { effects } = await call('finish', { summary: 'Write three' });
    expect(askedIn(effects)).toEqual([AGAIN]);
  });

  it('is not requested again if nothing changed', async () => {
    const { call } = await reviewed();
    const { effects } = await call('finish', { summary: 'It is right.', outcome: 'nothing_to_do' });
    expect(askedIn(effects)).toEqual([]);
  });

  it('is not requested from whoever asks for something on the pull request', async () => {
    const { call, hub } = await reviewed();
    hub.journal
      .end({ kind: 'finished' })
      .comment('@issuewright Five.', { login: 'writer', id: 8 })
      .admitAsking('work')
      .run();
    await call('write_file', { path: 'a.md', content: 'five\n' });
    const { effects } = await call('finish', { summary: 'Write five' });
    expect(askedIn(effects)).toEqual([]);
  });
});
