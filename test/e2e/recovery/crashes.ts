import { afterEach, describe, expect, it } from '@jest/globals';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import type { Story } from '../../../packages/local-github/src/story.ts';
import { Scene } from '../scene.ts';

type Moment = (scene: Scene) => Promise<unknown>;

const held =
  (method: string, path: RegExp, nth = 1): Moment =>
  async (scene) => {
    for (let count = 1; count < nth; count++) {
      const earlier = scene.github.faults.hold({ method, path });
      await earlier.applied;
      earlier.release();
    }
    await scene.github.faults.hold({ method, path }).applied;
  };

/** The n-th request to the model has come, and is not answered yet. */
const asked =
  (nth: number): Moment =>
  (scene) =>
    scene.untilAgentAsked(nth);

export const MOMENTS: [string, Moment][] = [
  [
    'right after the label was acknowledged',
    (scene) =>
      scene.until('the label to be acknowledged', () =>
        scene.github.deliveries.some(
          ({ action, status }) => (action === 'labeled' && status === 202) || status === 200,
        ),
      ),
  ],
  [
    'when GitHub made the status comment and its answer was not read',
    held('POST', /\/issues\/1\/comments$/),
  ],
  ['while the model thinks', asked(2)],
  [
    'when GitHub made the question and its answer was not read',
    held('POST', /\/issues\/1\/comments$/, 2),
  ],
  ['when GitHub made the commit and its answer was not read', held('POST', /git\/commits$/)],
  ['when GitHub made the branch and its answer was not read', held('POST', /git\/refs$/)],
  ['when GitHub opened the pull request and its answer was not read', held('POST', /\/pulls$/)],
  // The first question in GraphQL is what solves the issue already.
  ['when GitHub took it out of draft and its answer was not read', held('POST', /\/graphql$/, 2)],
  ['in the middle of the review round', asked(9)],
];

/** Which of them the integration tests play. */
export const isPlayedFirst = ([name]: readonly [string, Moment]): boolean =>
  name.includes('made the branch');

/** Each: the service is killed at that moment and started again. */
export function describeCrashes(moments: readonly (readonly [string, Moment])[]): void {
  describe('kill -9 of the service, and a start', () => {
    let scene: Scene | undefined;
    afterEach(() => scene?.close());

    it.each(moments)('%s, leads to the same end', async (_name, moment) => {
      scene = await Scene.open({ ownDatabase: true, scripts: [slowly(SAMPLE.script)] });
      const crashed = moment(scene);
      const story = scene.play();
      story.catch(() => {});
      await crashed;
      await scene.kill();
      await scene.start();
      await redeliverMissed(scene);
      await expectTheSameEnd(scene, await story);
    });
  });
}

/** What a person wrote while the service was down: GitHub delivers it again when asked to. */
async function redeliverMissed(scene: Scene): Promise<void> {
  const missed = scene.github.deliveries.filter(({ status }) => status === 0);
  for (const { guid } of missed) await scene.github.redeliver(guid);
}

/** Every reply takes long enough to be killed in. */
const slowly = (script: typeof SAMPLE.script): typeof SAMPLE.script => ({
  ...script,
  turns: script.turns.map((turn) => ({ ...turn, delay_ms: 100 })),
});

async function expectTheSameEnd(scene: Scene, story: Story): Promise<void> {
  expect(await scene.branches()).toEqual(['issuewright/issue-1']);
  expect(scene.pulls()).toHaveLength(1);
  expect(scene.comments(story.issue)).toHaveLength(2);
  expect(story.issue.reactions.map(({ content }) => content)).toEqual(['eyes', 'rocket']);
  const log = await scene.git('log', '--format=%s', 'main~1..issuewright/issue-1');
  expect(log.split('\n')).toEqual([
    'Leave out the hours of a whole number of days',
    'Count long durations in days',
  ]);
  const changed = await scene.git('diff', '--name-only', 'main~1', 'main');
  expect(changed.split('\n')).toEqual([
    'README.md',
    'src/format.js',
    'src/units.js',
    'test/days.test.js',
  ]);
}
