// A mention in a review of someone else's pull request: on a line, or in its words.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type {
  PullRequest,
  ReviewComment,
} from '../../../packages/local-github/src/github/state.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const write = (path: string, content: string) => call('write_file', { path, content });
const finish = (summary: string, outcome = 'done') => call('finish', { summary, outcome });
const reply = (thread: number, text: string) => call('reply', { to: `${thread}`, text });

const SCRIPTS: Script[] = [
  {
    match: 'About louder',
    turns: [
      {
        ...say(write('louder.txt', 'Loud\n'), call('commit', { message: 'Say it' })),
        when: 'All changes of this round are pushed together when you finish',
      },
      say(write('louder.txt', 'Louder\n'), reply(2, 'It shouts.'), finish('It is louder.')),
      {
        ...say(write('louder.txt', 'Loudest\n'), finish('It is the loudest.')),
        when: 'Even louder',
      },
    ],
  },
  {
    match: 'About words',
    turns: [say(reply(1, 'It is fine.'), finish('Nothing is wrong with it.', 'nothing_to_do'))],
  },
];

describe("a mention in a review of someone else's pull request", () => {
  let scene: Scene;
  beforeAll(async () => {
    const files = { 'README.md': '# Words\n', '.github/issuewright.yml': 'comment_wait: 1\n' };
    scene = await Scene.open({ scripts: SCRIPTS, files, people: ['ann'] });
    scene.repository.collaborators.set('ann', 'write');
  });
  afterAll(() => scene.close());

  async function pullOf(branch: string): Promise<PullRequest> {
    const ann = scene.github.as('ann');
    const files = { [`${branch}.txt`]: 'Theirs\nMore\n' };
    await ann.push(scene.repository, { branch, files, message: `Begin ${branch}` });
    const text = { title: `About ${branch}`, body: 'Words of its author.' };
    return ann.openPull(scene.repository, { ...text, head: branch, base: 'main' });
  }
  const review = async (pull: PullRequest, body: string, ...lines: readonly string[]) => {
    const path = `${pull.pull.head}.txt`;
    const comments = lines.map((words, at) => ({ path, line: at + 1, body: words }));
    const { id } = await scene.maintainer.review(scene.thread(pull), {
      event: 'COMMENT',
      body,
      comments,
    });
    return scene.repository.reviewComments.filter(({ reviewId }) => reviewId === id);
  };
  const repliesIn = (comment: ReviewComment | undefined): string[] =>
    scene.repository.reviewComments
      .filter(({ author, threadId }) => author.type === 'Bot' && threadId === comment?.threadId)
      .map(({ body }) => body.split('\n\n<!--')[0] ?? '');

  it('on a line begins work, and only its thread gets a reply', async () => {
    const pull = await pullOf('louder');
    const [theirs, ours] = await review(
      pull,
      'Some words.',
      'Why, @ann?\n\n```suggestion\nMine\n```',
      '@issuewright Say it louder.',
    );
    await scene.untilStatus(pull, /Done.*It is louder/);
    const sha = (await scene.git('rev-parse', 'louder')).slice(0, 7);
    expect(await scene.git('show', 'louder:louder.txt')).toBe('Louder');
    expect(await scene.git('log', '--format=%s', 'main..louder')).toBe('Say it\nBegin louder');
    await scene.until('the reply', () => repliesIn(ours).length > 0);
    expect(repliesIn(ours)).toEqual([`Changed \`louder.txt\` in ${sha}.\n\nIt shouts.`]);
    const reactions = () => ours?.reactions.map(({ content }) => content);
    await scene.until('the reactions', () => reactions()?.join(' ') === 'eyes rocket');

    await scene.maintainer.replyTo(scene.repository, theirs?.id ?? 0, 'Never mind, Ann.');
    await scene.maintainer.replyTo(scene.repository, ours?.id ?? 0, '@issuewright Even louder.');
    await scene.untilStatus(pull, /Done.*It is the loudest/);
    await scene.until('the second reply', () => repliesIn(ours).length > 1);
    expect(repliesIn(ours)[1]).toMatch(/^Changed `louder.txt` in \w{7}\./);
    expect(repliesIn(theirs)).toEqual([]);
    expect(scene.agentRequests).toHaveLength(3);
    expect(scene.agentRequests[0]?.body).toContain('Words of its author.');
    expect(scene.agentRequests[0]?.body).not.toContain('suggestion is applied');
    expect(scene.comments(pull)).toHaveLength(1);
    expect(pull).toMatchObject({ title: 'About louder', body: 'Words of its author.' });
  });

  it('in its words begins work, and its threads get a reply, praise of the author none', async () => {
    const pull = await pullOf('words');
    const lines = await review(pull, '@issuewright What do you think?', 'Why?', 'Nice!');
    await scene.untilStatus(pull, /Nothing to change/);
    await scene.until('the reply', () => repliesIn(lines[0]).length > 0);
    expect(lines.map(repliesIn)).toEqual([['It is fine.'], []]);
    const asked = scene.agentRequests.at(-1)?.body ?? '';
    for (const words of ['What do you think?', 'Why?', 'Words of its author.'])
      expect(asked).toContain(words);
  });

  it('is rejected from someone without write access; nothing begins without a mention', async () => {
    const pull = await pullOf('quiet');
    const asked = scene.agentRequests.length;
    const at = { path: 'quiet.txt', line: 1 };
    await review(pull, 'Look at this, @ann.', 'Why?');
    const stranger = scene.github.as('stranger');
    await stranger.remark(scene.thread(pull), { ...at, body: '@issuewright Say it louder.' });
    await scene.until('the rejection', () =>
      scene
        .comments(pull)
        .some(({ body }) =>
          /@stranger Thanks! Someone with write access has to start me/.test(body),
        ),
    );
    expect(scene.comments(pull)).toHaveLength(1);
    expect(scene.agentRequests).toHaveLength(asked);
  });
});
