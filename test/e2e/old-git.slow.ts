// A machine whose git is too old, such as Ubuntu 22.04, or that has none.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Story } from '../../packages/local-github/src/story.ts';
import { Scene } from './scene.ts';

let scene: Scene;
let story: Story;
beforeAll(async () => {
  scene = await Scene.open({ environment: { GIT_ENGINE: 'isomorphic' } });
  story = await scene.play();
});
afterAll(() => scene?.close());

it('a labelled issue is merged with isomorphic-git as with git', async () => {
  expect(await scene.service.untilLogged(/chose the git engine/)).toContain(
    '"engine":"isomorphic"',
  );
  expect(scene.pulls()).toHaveLength(1);
  const changed = await scene.git('diff', '--name-status', `${story.mergeCommit}^1`, 'main');
  expect(changed.split('\n')).toEqual([
    'M\tREADME.md',
    'M\tsrc/format.js',
    'M\tsrc/units.js',
    'A\ttest/days.test.js',
  ]);
  expect(await scene.git('fsck', '--strict')).toBe('');
});
