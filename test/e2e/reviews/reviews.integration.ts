// Reviews with comments on lines: one round, one push, and one reply for each thread.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type {
  Issue,
  PullRequest,
  ReviewComment,
} from '../../../packages/local-github/src/github/state.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const FILES = { 'a.md': 'one\ntwo\nthree\n', 'b.md': 'four\n', 'c.md': 'five\n' };

const begin = () =>
  say(
    ...Object.entries(FILES).map(([path, content]) => call('write_file', { path, content })),
    call('finish', { summary: 'The files are there.' }),
  );

const reply = (thread: number, text: string) => call('reply', { to: `${thread}`, text });
const change = (path: string, content: string) => call('write_file', { path, content });
const finish = (summary: string) => call('finish', { summary });

const NOTHING = 'I changed nothing for this. If something should change, reply and say what.';

const SCRIPTS: Script[] = [
  {
    match: 'A whole review',
    turns: [
      begin(),
      say(change('a.md', 'one\n2\nthree\n'), call('commit', { message: 'Write 2' })),
      say(
        change('b.md', '4\n'),
        call('commit', { message: 'Write 4' }),
        reply(1, 'It is a number now.'),
        reply(2, 'So is this.'),
        reply(4, 'It stays.'),
        finish('Numbers it is.'),
      ),
    ],
  },
  {
    match: 'Suggestions',
    turns: [begin(), say(finish('As suggested.'))],
  },
  {
    match: 'Again and again',
    turns: [
      begin(),
      say(reply(1, 'No.'), finish('Said no')),
      say(reply(2, 'No.'), finish('Said no again')),
      say(reply(3, 'All right.'), finish('Said yes')),
    ],
  },
  {
    match: 'Approved with remarks',
    turns: [begin(), say(change('a.md', '1\n'), reply(2, 'Yes.'), finish('Changed a'))],
  },
  {
    match: 'Single comments',
    turns: [
      begin(),
      say(change('a.md', '1\n'), reply(1, 'Yes.'), reply(2, 'No, see a.md.'), finish('Changed a')),
      say(reply(1, 'Still yes.'), finish('Said it again')),
    ],
  },
];

const SETTINGS = 'comment_wait: 6\nresolve_threads: own\nlimits: { review_rounds: 2 }\n';

describe('a review of the pull request', () => {
  let scene: Scene;
  beforeAll(async () => {
    const files = { 'README.md': '# Words\n', '.github/issuewright.yml': SETTINGS };
    scene = await Scene.open({ scripts: SCRIPTS, files, people: ['helper'] });
    scene.repository.collaborators.set('helper', 'write');
  });
  afterAll(() => scene.closeReplayed());

  const pullOf = async (issue: Issue): Promise<PullRequest> => {
    await scene.untilStatus(issue, /ready for review/i);
    const head = `issuewright/issue-${issue.number}`;
    return scene.until('the pull request', () =>
      scene.pulls().find(({ pull }) => pull.head === head && !pull.draft),
    );
  };
  const opened = async (title: string) => {
    const issue = scene.ask(title, '');
    return { issue, pull: await pullOf(issue) };
  };
  const inThread = ({ threadId }: ReviewComment): ReviewComment[] =>
    scene.repository.reviewComments.filter((one) => one.threadId === threadId);
  const repliesIn = (comment: ReviewComment): string[] =>
    inThread(comment)
      .filter(({ author }) => author.type === 'Bot')
      .map(({ body }) => body.split('\n\n<!--')[0] ?? '');
  const isResolved = ({ threadId }: ReviewComment): boolean =>
    scene.repository.reviewThreads.find(({ id }) => id === threadId)?.resolvedBy !== undefined;
  const untilReplies = (comments: readonly ReviewComment[], count: number) =>
    scene.until(`${count} replies`, () =>
      comments.every((comment) => repliesIn(comment).length === count),
    );
  const commitsOf = async ({ number }: Issue): Promise<string[]> => {
    const log = await scene.git('log', '--format=%s', `main..issuewright/issue-${number}`);
    return log.split('\n');
  };
  const wasReceived = ({ id }: ReviewComment): boolean =>
    scene.github.deliveries.some(
      ({ payload, status }) =>
        (payload['comment'] as { id?: number } | undefined)?.id === id && status === 202,
    );
  const pushes = () =>
    scene.github.deliveries.filter(
      ({ event, action }) => event === 'pull_request' && action === 'synchronize',
    ).length;

  it('is one round, one push, and one reply for each thread', async () => {
    const { issue, pull } = await opened('A whole review');
    const before = { pushes: pushes(), asked: scene.agentRequests.length };
    const thread = scene.thread(pull);
    const replies = scene.holdReplies('A whole review');
    const review = await scene.maintainer.review(thread, {
      event: 'REQUEST_CHANGES',
      body: 'Numbers, please.',
      comments: [
        { path: 'a.md', line: 2, body: 'Write a number.' },
        { path: 'b.md', line: 1, body: 'Here too.' },
        { path: 'c.md', line: 1, body: 'Is this one fine?' },
        { path: 'a.md', line: 3, body: 'And this?' },
        { path: 'b.md', line: 1, body: 'Nice!' },
      ],
    });
    const comments = scene.repository.reviewComments.filter(
      ({ reviewId }) => reviewId === review.id,
    );
    await scene.untilAgentAsked(before.asked + 1);
    const words = await scene.maintainer.replyTo(
      scene.repository,
      comments[0]?.id ?? 0,
      'Digits, I mean.',
    );
    await scene.until('the words to be received', () => wasReceived(words));
    replies.release();
    await untilReplies(comments.slice(0, 4), 1);
    const sha = (await scene.git('rev-parse', `issuewright/issue-${issue.number}`)).slice(0, 7);
    expect(comments.map((comment) => repliesIn(comment))).toEqual([
      [`Changed \`a.md\` in ${sha}.\n\nIt is a number now.`],
      [`Changed \`b.md\` in ${sha}.\n\nSo is this.`],
      [NOTHING],
      [`Changed \`a.md\` in ${sha}.\n\nIt stays.`],
      [],
    ]);
    expect(await commitsOf(issue)).toEqual(['Numbers it is.', 'The files are there.']);
    const message = await scene.git('log', '-1', '--format=%b', sha);
    expect(message).toMatch(/^Write 2\n\nWrite 4\n/);
    expect(pushes()).toBe(before.pushes + 1);
    await scene.until('the threads whose lines were changed to be resolved', () =>
      comments.slice(0, 2).every(isResolved),
    );
    expect(comments.map(isResolved)).toEqual([true, true, false, false, false]);
    const [first, second, ...others] = scene.agentRequests
      .slice(before.asked)
      .map(({ body }) => body);
    expect(others).toEqual([]);
    for (const words of ['Write a number.', 'Here too.', 'Is this one fine?', '+two'])
      expect(first).toContain(words);
    expect(second).toContain('Digits, I mean.');
    await scene.untilStatus(issue, /ready for review/i);
    expect(scene.agentRequests).toHaveLength(before.asked + 2);
  });

  it('of single comments is gathered, and another in the same thread is a round of its own', async () => {
    const { pull } = await opened('Single comments');
    const asked = scene.agentRequests.length;
    const thread = scene.thread(pull);
    const one = await scene.maintainer.remark(thread, { path: 'a.md', line: 1, body: 'A digit?' });
    await scene.until('the first comment to be received', () => wasReceived(one));
    const two = await scene.maintainer.remark(thread, { path: 'b.md', line: 1, body: 'Here?' });
    await untilReplies([one, two], 1);
    expect(scene.agentRequests).toHaveLength(asked + 1);
    expect(repliesIn(two)).toEqual(['No, see a.md.']);
    await scene.maintainer.replyTo(scene.repository, one.id, 'Are you sure?');
    await untilReplies([one], 2);
    expect(repliesIn(one)[1]).toBe('Still yes.');
    expect(repliesIn(two)).toHaveLength(1);
    const last = scene.agentRequests.at(-1)?.body ?? '';
    expect(last).toContain('You said before');
    expect(last).toContain('Are you sure?');
  });

  it('that approves with a remark on a line gets its reply, and praise starts nothing', async () => {
    const { issue, pull } = await opened('Approved with remarks');
    const asked = scene.agentRequests.length;
    const approve = async (body: string): Promise<ReviewComment> => {
      const comments = [{ path: 'a.md', line: 1, body }];
      const approval = { event: 'APPROVE', body: 'LGTM', comments } as const;
      const { id } = await scene.maintainer.review(scene.thread(pull), approval);
      return scene.until('its comment', () =>
        scene.repository.reviewComments.find(({ reviewId }) => reviewId === id),
      );
    };
    const praise = await approve('Nice!');
    await scene.until('the praise to be received', () => wasReceived(praise));
    const remark = await approve('A digit would do.');
    await untilReplies([remark], 1);
    expect(repliesIn(praise)).toEqual([]);
    await scene.until('the 👍', () => praise.reactions.some(({ content }) => content === '+1'));
    expect(repliesIn(remark)[0]).toMatch(/^Changed `a.md` in \w{7}\.\n\nYes\.$/);
    await scene.untilStatus(issue, /ready for review/i);
    expect(scene.agentRequests).toHaveLength(asked + 1);
    expect(scene.agentRequests.at(-1)?.body).toContain('approved the pull request');
  });

  it('has its suggestions applied as they are written, in the name of who made them', async () => {
    const { issue, pull } = await opened('Suggestions');
    const suggestion = (lines: string) => `Try this:\n\n\`\`\`suggestion\n${lines}\n\`\`\``;
    const { id } = await scene.github.as('helper').review(scene.thread(pull), {
      event: 'REQUEST_CHANGES',
      body: 'See.',
      comments: [
        { path: 'a.md', startLine: 1, line: 2, body: suggestion('1\n2') },
        { path: 'b.md', line: 1, body: suggestion('4\u200B') },
        { path: 'c.md', line: 1, body: `<!--\n${suggestion('5')}\n-->\nAnd this one too.` },
      ],
    });
    const comments = scene.repository.reviewComments.filter(({ reviewId }) => reviewId === id);
    await untilReplies(comments, 1);
    const branch = `issuewright/issue-${issue.number}`;
    const sha = (await scene.git('rev-parse', branch)).slice(0, 7);
    expect(comments.map((comment) => repliesIn(comment))).toEqual([
      [`Applied in ${sha}.`],
      [NOTHING],
      [NOTHING],
    ]);
    expect(await scene.git('show', `${branch}:a.md`)).toBe('1\n2\nthree');
    expect(await scene.git('diff', '--name-only', `${branch}~1`, branch)).toBe('a.md');
    const { user } = scene.github.as('helper');
    expect(await scene.git('log', '-1', '--format=%(trailers)', branch)).toContain(
      `Co-authored-by: helper <${user.id}+helper@users.noreply.`,
    );
    const asked = scene.agentRequests.at(-1)?.body ?? '';
    expect(asked).toContain('The suggestion is applied as it is written');
    expect(asked).toContain('Not all of the suggestion can be seen');
  });

  it('is worked on so often, and then a person has to say that it should continue', async () => {
    const { issue, pull } = await opened('Again and again');
    const asked = scene.agentRequests.length;
    const thread = scene.thread(pull);
    const review = async (body: string): Promise<ReviewComment> => {
      const { id } = await scene.maintainer.review(thread, {
        event: 'REQUEST_CHANGES',
        body,
        comments: [{ path: 'a.md', line: 1, body: 'Change it.' }],
      });
      return scene.until('its comment', () =>
        scene.repository.reviewComments.find(({ reviewId }) => reviewId === id),
      );
    };
    for (const words of ['First.', 'Second.']) {
      await untilReplies([await review(words)], 1);
      await scene.untilStatus(issue, /ready for review/i);
    }
    const third = await review('Third.');
    await scene.untilStatus(issue, /waiting for a person/i);
    await scene.until('the comment on the pull request', () =>
      scene.repository.comments.find(
        ({ issueNumber, body }) =>
          issueNumber === pull.number && body.includes('2 rounds of review are done'),
      ),
    );
    expect(scene.agentRequests).toHaveLength(asked + 2);
    scene.maintainer.comment(thread, '/issuewright retry');
    await untilReplies([third], 1);
    expect(repliesIn(third)).toEqual(['All right.']);
    expect(scene.agentRequests.at(-1)?.body).toContain('Third.');
  });
});
