// The service is killed while it works on a pull request of someone else.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const MOMENTS: readonly [string, 'POST' | 'PATCH', RegExp, Script['turns']][] = [
  [
    'when GitHub moved the branch and its answer was not read',
    'PATCH',
    /\/git\/refs\//,
    [
      say(call('write_file', { path: 'LOUD.md', content: 'Louder\n' })),
      say(call('commit', { message: 'Say it louder' })),
      say(call('finish', { summary: 'It is louder.' })),
    ],
  ],
  [
    'when GitHub took the review and its answer was not read',
    'POST',
    /\/pulls\/\d+\/reviews$/,
    [
      say(
        call('submit_review', {
          summary: 'It is louder.',
          comments: [{ path: 'theirs.txt', line: 1, body: 'Is it?' }],
        }),
      ),
    ],
  ],
];

describe('kill -9 during work on a pull request of someone else, and a start', () => {
  let scene: Scene | undefined;
  afterEach(() => scene?.close());

  it.each(MOMENTS)(
    '%s, leads to the same end',
    async (_name, method, path, turns) => {
      scene = await Scene.open({ ownDatabase: true, scripts: [{ turns }], people: ['ann'] });
      const { repository, github, maintainer } = scene;
      repository.collaborators.set('ann', 'write');
      const [ann, branch] = [github.as('ann'), 'theirs'];
      await ann.push(repository, { branch, files: { 'theirs.txt': '1\n' }, message: 'Begin' });
      const before = await scene.git('rev-parse', branch);
      const pull = await ann.openPull(repository, { title: 'Mine', head: branch, base: 'main' });
      const crashed = github.faults.hold({ method, path }).applied;
      maintainer.comment(scene.thread(pull), '@issuewright Make it louder.');
      await crashed;
      await scene.kill();
      await scene.start();
      await scene.untilStatus(pull, /Done.*It is louder|Reviewed/);
      const isReview = path.test('/pulls/1/reviews');
      expect(repository.reviews).toHaveLength(isReview ? 1 : 0);
      expect(repository.reviewComments).toHaveLength(isReview ? 1 : 0);
      const commits = await scene.git('rev-list', '--count', `${before}..${branch}`);
      expect(commits).toBe(isReview ? '0' : '1');
      // The status, and the reply to whoever asked; a review is one itself.
      expect(scene.comments(pull)).toHaveLength(isReview ? 1 : 2);
      expect(await scene.branches()).toEqual([branch]);
    },
    300_000,
  );
});

describe('kill -9 around a mention on a line of it, and a start', () => {
  let scene: Scene | undefined;
  afterEach(() => scene?.close());

  const TURNS = [
    say(
      call('write_file', { path: 'LOUD.md', content: 'Louder\n' }),
      call('reply', { to: '1', text: 'It shouts.' }),
      call('finish', { summary: 'It is louder.' }),
    ),
  ];

  it.each([
    ['while the review is looked up', 'GET', /\/pulls\/\d+\/comments$/],
    ['when GitHub took the reply and its answer was not read', 'POST', /\/replies$/],
  ] as const)(
    '%s, leads to one commit and one reply',
    async (_name, method, path) => {
      scene = await Scene.open({ ownDatabase: true, scripts: [{ turns: TURNS }], people: ['ann'] });
      const { repository, github, maintainer } = scene;
      repository.collaborators.set('ann', 'write');
      const [ann, branch] = [github.as('ann'), 'theirs'];
      await ann.push(repository, { branch, files: { 'theirs.txt': '1\n' }, message: 'Begin' });
      const before = await scene.git('rev-parse', branch);
      const pull = await ann.openPull(repository, { title: 'Mine', head: branch, base: 'main' });
      const crashed = github.faults.hold({ method, path }).applied;
      const line = { path: 'theirs.txt', line: 1, body: '@issuewright Say it louder.' };
      await maintainer.remark(scene.thread(pull), line);
      await crashed;
      await scene.kill();
      await scene.start();
      await scene.untilStatus(pull, /Done.*It is louder/);
      const replies = () =>
        repository.reviewComments.filter(({ author }) => author.type === 'Bot').length;
      await scene.until('the reply', () => replies() > 0);
      await scene.stop();
      expect(replies()).toBe(1);
      expect(await scene.git('rev-list', '--count', `${before}..${branch}`)).toBe('1');
      expect(scene.comments(pull)).toHaveLength(1);
    },
    300_000,
  );
});
