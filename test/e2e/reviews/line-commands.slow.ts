// Commands in comments on lines of the pull request, and in the words of a review.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type {
  Issue,
  PullRequest,
  Reaction,
  ReviewComment,
} from '../../../packages/local-github/src/github/state.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const FILES = { 'README.md': '# Words\n', 'a.md': 'one\n', 'b.md': 'two\n' };

const write = (path: string, content: string) => call('write_file', { path, content });
const begin = () => say(write('a.md', 'one\n1\n'), write('b.md', 'two\n2\n'), finish('Add digits'));
const reply = (thread: number, text: string) => call('reply', { to: `${thread}`, text });
const finish = (summary: string) => call('finish', { summary });

const SCRIPTS: Script[] = [
  {
    match: 'Stopped on a line',
    turns: [
      begin(),
      // It is asked for twice: the stop cuts it off the first time.
      say(write('b.md', 'two\n22\n'), reply(2, 'Twice, then.'), finish('Double a digit')),
    ],
  },
  {
    match: 'Paused in a review',
    turns: [begin(), say(reply(1, 'It stays.'), finish('Said no'))],
  },
  {
    match: 'Resolved on a line',
    turns: [
      begin(),
      say(write('b.md', 'two\n22\n'), reply(1, 'Twice, then.'), finish('Double a digit')),
    ],
  },
  { match: 'Only commands', turns: [begin()] },
];

const contentsOf = ({ reactions }: { readonly reactions: readonly Reaction[] }): string[] =>
  reactions.map(({ content }) => content);

const repliesIn = ({ repository }: Scene, { threadId }: ReviewComment): string[] =>
  repository.reviewComments
    .filter((one) => one.threadId === threadId && one.author.type === 'Bot')
    .map(({ body }) => body.split('\n\n<!--')[0] ?? '');

async function opened(scene: Scene, title: string): Promise<{ issue: Issue; pull: PullRequest }> {
  const issue = scene.ask(title, '');
  await scene.untilStatus(issue, /ready for review/i);
  const head = `issuewright/issue-${issue.number}`;
  const pull = await scene.until('the pull request', () =>
    scene.pulls().find((one) => one.pull.head === head && !one.pull.draft),
  );
  return { issue, pull };
}

const untilReacted = (scene: Scene, on: { readonly reactions: readonly Reaction[] }, all: string) =>
  scene.until(`the reactions ${all}`, () => contentsOf(on).join(' ') === all);

describe('a command', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ scripts: SCRIPTS, files: FILES });
  });
  afterAll(() => scene.close());

  const onLine = (pull: PullRequest, body: string, path = 'a.md') =>
    scene.maintainer.remark(scene.thread(pull), { path, line: 2, body });
  const commentsOf = (id: number) =>
    scene.repository.reviewComments.filter(({ reviewId }) => reviewId === id);
  const reviewOf = (id: number) => {
    const review = scene.repository.reviews.find((one) => one.id === id);
    if (review === undefined) throw new Error('no such review');
    return review;
  };
  const only = (comments: readonly ReviewComment[]): ReviewComment => {
    const [comment] = comments;
    if (comment === undefined) throw new Error('the review has no comment');
    return comment;
  };

  it('on a line stops the run, and another begins it again with what is said beside it', async () => {
    const { issue, pull } = await opened(scene, 'Stopped on a line');
    const asked = scene.agentRequests.length;
    const replies = scene.holdReplies('Stopped on a line');
    const wish = await onLine(pull, '@issuewright write a word.');
    await scene.untilAgentAsked(asked + 1);
    const stop = await onLine(pull, '/issuewright stop');
    await untilReacted(scene, stop, '+1');
    await scene.untilStatus(issue, /stopped/i);
    // The status says so once the stop is admitted; a reply of the model would still count until then.
    await scene.service.untilLogged(new RegExp(`"issue":${issue.number},.*"stopped".*"run ended"`));
    replies.release();
    expect(contentsOf(wish)).toContain('eyes');
    const { id } = await scene.maintainer.review(scene.thread(pull), {
      event: 'COMMENT',
      comments: [
        { path: 'a.md', line: 1, body: '/issuewright retry' },
        { path: 'b.md', line: 2, body: 'Write it twice.' },
      ],
    });
    const [retry, words] = commentsOf(id);
    if (retry === undefined || words === undefined) throw new Error('no comments');
    await scene.until('the reply', () => repliesIn(scene, words).length === 1);
    await untilReacted(scene, retry, 'eyes rocket');
    expect(repliesIn(scene, words)[0]).toMatch(/^Changed `b.md` in \w{7}\.\n\nTwice, then\.$/);
    expect([stop, retry].flatMap((one) => repliesIn(scene, one))).toEqual([]);
    const last = scene.agentRequests.at(-1)?.body ?? '';
    expect(last).toContain('asks to try again');
    expect(last).toContain('Write it twice.');
    for (const command of ['/issuewright stop', '/issuewright retry'])
      expect(last).not.toContain(command);
    expect(scene.agentRequests).toHaveLength(asked + 2);
  });

  it('in the words of a review pauses the work on its comments, until a reply resumes it', async () => {
    const { issue, pull } = await opened(scene, 'Paused in a review');
    const asked = scene.agentRequests.length;
    const { id } = await scene.maintainer.review(scene.thread(pull), {
      event: 'REQUEST_CHANGES',
      body: '/issuewright pause',
      comments: [{ path: 'a.md', line: 2, body: 'Is that a digit?' }],
    });
    const comment = only(commentsOf(id));
    await untilReacted(scene, reviewOf(id), '+1');
    await scene.untilStatus(issue, /paused/i);
    expect(scene.agentRequests).toHaveLength(asked);
    const resume = await scene.maintainer.replyTo(
      scene.repository,
      comment.id,
      '/issuewright resume',
    );
    await scene.until('the reply', () => repliesIn(scene, comment).length === 1);
    expect(repliesIn(scene, comment)).toEqual(['It stays.']);
    expect(contentsOf(resume)).toEqual(['+1']);
    expect(scene.agentRequests).toHaveLength(asked + 1);
    expect(scene.agentRequests.at(-1)?.body).toContain('Is that a digit?');
  });

  it('on a line merges the base branch before the review is worked on', async () => {
    const { issue, pull } = await opened(scene, 'Resolved on a line');
    const push = { branch: 'main', files: { 'README.md': '# More words\n' }, message: 'More' };
    const base = await scene.maintainer.push(scene.repository, push);
    const { id } = await scene.maintainer.review(scene.thread(pull), {
      event: 'REQUEST_CHANGES',
      comments: [
        { path: 'a.md', line: 2, body: '/issuewright resolve' },
        { path: 'b.md', line: 2, body: 'Write it twice.' },
      ],
    });
    const [resolve, words] = commentsOf(id);
    if (resolve === undefined || words === undefined) throw new Error('no comments');
    await scene.until('the reply', () => repliesIn(scene, words).length === 1);
    await untilReacted(scene, resolve, 'eyes rocket');
    const branch = `issuewright/issue-${issue.number}`;
    expect(await scene.git('log', '--format=%s', `${base}..${branch}`)).toBe(
      `Double a digit\nMerge branch 'main' into ${branch}\nAdd digits`,
    );
    expect(repliesIn(scene, resolve)).toEqual([]);
  });

  it('that only wants to know something starts no run', async () => {
    const { issue, pull } = await opened(scene, 'Only commands');
    const asked = scene.agentRequests.length;
    const status = await onLine(pull, '/issuewright status');
    await untilReacted(scene, status, '+1');
    const memory = await onLine(pull, '/issuewright memory');
    await scene.until('the answer', () =>
      scene.repository.comments.some((one) => one.issueNumber === pull.number),
    );
    await untilReacted(scene, memory, '+1');
    const { id } = await scene.maintainer.review(scene.thread(pull), {
      event: 'COMMENT',
      body: '/issuewright approve',
    });
    await untilReacted(scene, reviewOf(id), 'confused');
    await scene.untilStatus(issue, /ready for review/i);
    expect(scene.agentRequests).toHaveLength(asked);
    expect([status, memory].flatMap((one) => repliesIn(scene, one))).toEqual([]);
  });

  it('of someone without write access does nothing, and they are told so once', async () => {
    const { pull } = await opened(scene, 'Only commands');
    const stranger = scene.github.as('stranger');
    const at = { path: 'a.md', line: 2 };
    const one = await stranger.remark(scene.thread(pull), { ...at, body: '/issuewright stop' });
    await untilReacted(scene, one, 'confused');
    const two = await stranger.remark(scene.thread(pull), { ...at, body: '/issuewright new' });
    await untilReacted(scene, two, 'confused');
    const told = scene.repository.comments.filter((each) => each.issueNumber === pull.number);
    expect(told.map(({ body }) => body)).toEqual([
      expect.stringMatching(/^@stranger Thanks, but only someone with write access can give me/),
    ]);
  });
});

describe('kill -9 of the service', () => {
  let scene: Scene | undefined;
  afterEach(() => scene?.close());

  const MOMENTS: [string, { method: string; path: RegExp }][] = [
    ['while a review is looked up', { method: 'GET', path: /\/pulls\/\d+\/comments$/ }],
    [
      'when GitHub made the reaction and its answer was not read',
      { method: 'POST', path: /\/pulls\/comments\/\d+\/reactions$/ },
    ],
  ];

  it.each(MOMENTS)(
    '%s, carries out its command once',
    async (_name, request) => {
      const open = await Scene.open({ ownDatabase: true, scripts: SCRIPTS, files: FILES });
      scene = open;
      const { issue, pull } = await opened(open, 'Paused in a review');
      const asked = open.agentRequests.length;
      const held = open.github.faults.hold(request);
      const { id } = await open.maintainer.review(open.thread(pull), {
        event: 'REQUEST_CHANGES',
        comments: [
          { path: 'b.md', line: 2, body: '/issuewright pause' },
          { path: 'a.md', line: 2, body: 'Is that a digit?' },
        ],
      });
      const [pause, words] = open.repository.reviewComments.filter((one) => one.reviewId === id);
      if (pause === undefined || words === undefined) throw new Error('no comments');
      await held.applied;
      await open.kill();
      await open.start();
      await untilReacted(open, pause, '+1');
      await open.untilStatus(issue, /paused/i);
      expect(open.agentRequests).toHaveLength(asked);
      open.maintainer.comment(open.thread(pull), '/issuewright resume');
      await open.until('the reply', () => repliesIn(open, words).length === 1);
      await open.untilStatus(issue, /ready for review/i);
      await open.stop();
      expect(repliesIn(open, words)).toEqual(['It stays.']);
      expect(repliesIn(open, pause)).toEqual([]);
      expect(contentsOf(pause)).toEqual(['+1']);
      expect(open.repository.reviews.find((one) => one.id === id)?.reactions).toEqual([]);
      expect(open.agentRequests).toHaveLength(asked + 1);
    },
    300_000,
  );
});
