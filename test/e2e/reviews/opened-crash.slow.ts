// The service is killed while it reviews what someone opened, and while it looks again after a push.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import { SETTINGS_FILE } from '../../../src/session/settings/index.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const PATH = 'theirs.txt';
const review = (comments: object[], settled: number[] = []) =>
  say(call('submit_review', { summary: 'See below.', comments, settled }));

const TURNS: Script['turns'] = [
  review([
    { path: PATH, line: 1, body: 'The first.' },
    { path: PATH, line: 3, body: 'The second.' },
  ]),
  review([{ path: PATH, line: 4, body: 'The third.' }], [1]),
];

const TOOK = 'when GitHub took the review and its answer was not read';

describe('kill -9 during a review that nobody asked for in words, and a start', () => {
  let scene: Scene | undefined;
  afterEach(() => scene?.close());

  it.each([
    [`${TOOK}, at first`, 1],
    [`${TOOK}, looking again`, 2],
  ])(
    '%s, leads to two reviews, one settled thread, and nothing twice',
    async (_name, killedAt) => {
      scene = await Scene.open({
        ownDatabase: true,
        scripts: [{ turns: TURNS }],
        people: ['ann'],
        files: { ...SAMPLE.files, [SETTINGS_FILE]: 'comment_wait: 0\nreview: opened\n' },
      });
      const { repository, github } = scene;
      repository.collaborators.set('ann', 'write');
      const ann = github.as('ann');
      const push = (text: string) =>
        ann.push(repository, { branch: 'theirs', files: { [PATH]: text }, message: 'More' });
      const killIf = async (isNow: boolean, act: () => Promise<unknown>) => {
        const crash = isNow ? { method: 'POST', path: /\/pulls\/\d+\/reviews$/ } : undefined;
        const crashed = crash && github.faults.hold(crash).applied;
        await act();
        if (crashed === undefined) return;
        await crashed;
        await scene?.kill();
        await scene?.start();
      };

      await push('one\ntwo\nthree\n');
      const open = () => ann.openPull(repository, { title: 'Mine', head: 'theirs', base: 'main' });
      await killIf(killedAt === 1, open);
      const [pull] = scene.pulls();
      if (pull === undefined) throw new Error('nothing was opened');
      await scene.untilStatus(pull, /Reviewed/);
      await killIf(killedAt === 2, () => push('ONE\ntwo\nthree\nfour\n'));
      await scene.until('the second review', () => repository.reviews.length === 2);
      await scene.untilStatus(pull, /Reviewed/);

      expect(repository.reviews).toHaveLength(2);
      expect(repository.reviewComments.map(({ body }) => body)).toEqual([
        'The first.',
        'The second.',
        'The third.',
      ]);
      const resolved = repository.reviewThreads.map(({ resolvedBy }) => resolvedBy !== undefined);
      expect(resolved).toEqual([true, false, false]);
      expect(scene.comments(pull)).toHaveLength(1);
    },
    900_000,
  );
});
