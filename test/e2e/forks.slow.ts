// Pull requests from forks, through the shipped service.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../playground/model/script.ts';
import type { PullRequest, Repository } from '../../playground/github/state.ts';
import { Scene } from './scene.ts';
import { call, say } from './turns.ts';

const review = (summary: string, comments: object[]) =>
  say(call('submit_review', { summary, comments }));

const SCRIPTS: Script[] = [
  {
    match: 'What do you think',
    turns: [
      {
        ...review('I would wait.', [{ path: 'theirs.txt', line: 1, body: 'Why?' }]),
        when: 'of the fork `ann/',
      },
    ],
  },
];

describe('a mention on a pull request from a fork', () => {
  let scene: Scene;
  let fork: Repository;
  beforeAll(async () => {
    scene = await Scene.open({ scripts: SCRIPTS, people: ['ann'] });
    fork = await ann().fork(scene.repository);
  }, 60_000);
  afterAll(() => scene.close());

  const ann = () => scene.github.as('ann');

  async function pullFrom(branch: string): Promise<PullRequest> {
    const files = { 'theirs.txt': `Theirs: ${branch}\n` };
    await ann().push(fork, { branch, files, message: `Begin ${branch}` });
    const text = { title: `About ${branch}`, body: 'Words of its author.' };
    return ann().openPull(scene.repository, { ...text, head: `ann:${branch}`, base: 'main' });
  }
  const mention = (pull: PullRequest, body: string) =>
    scene.maintainer.comment(scene.thread(pull), body);
  const textOf = (pull: PullRequest): string =>
    scene
      .comments(pull)
      .map(({ body }) => body)
      .join('\n');

  it.each([
    ['', 'thoughts'],
    [' on one whose fork was deleted', 'thoughts-too'],
  ])(
    'that asks for an opinion%s, is answered in a review of its head, and changes nothing',
    async (circumstance, branch) => {
      const pull = await pullFrom(branch);
      const head = await scene.gitIn(fork, 'rev-parse', branch);
      if (circumstance !== '') ann().deleteFork(fork);
      mention(pull, '@issuewright What do you think of this?');
      await scene.untilStatus(pull, /Done.*I would wait/);
      const { reviews, reviewComments } = scene.repository;
      const [written, ...others] = reviews.filter(({ pullNumber }) => pullNumber === pull.number);
      expect(others).toEqual([]);
      expect(written).toMatchObject({ state: 'COMMENTED', commitSha: head });
      const lines = reviewComments.filter(({ reviewId }) => reviewId === written?.id);
      expect(lines).toMatchObject([{ body: 'Why?' }]);
      expect(await scene.branches()).toEqual([]);
      expect(textOf(pull)).toContain("Its branch is in a fork, so I can't push to it");
      expect(scene.comments(pull)).toHaveLength(1);
    },
    60_000,
  );

  it('is rejected if it comes from its author, who may not write here', async () => {
    const own = await scene.github.as('stranger').fork(scene.repository);
    const files = { 'quiet.txt': 'Quiet\n' };
    const stranger = scene.github.as('stranger');
    await stranger.push(own, { branch: 'main', files, message: 'Be quiet' });
    const text = { title: 'Be quiet', body: '', head: 'stranger:main', base: 'main' };
    const pull = await stranger.openPull(scene.repository, text);
    const asked = scene.agentRequests.length;
    stranger.comment(scene.thread(pull), '@issuewright What do you think of this?');
    await scene.until('the rejection', () =>
      /@stranger Thank you\. Only people with write access/.test(textOf(pull)),
    );
    expect(scene.agentRequests).toHaveLength(asked);
  }, 60_000);
});
