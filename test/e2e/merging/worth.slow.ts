// What a session came to, through the shipped service: said at its end, on the issue and on the pull request.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Scene } from '../scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open();
});
afterAll(() => scene.close());

it('a merge is followed by what it took: rounds of review, cost and time', async () => {
  const { issue } = await scene.play();
  const words = /\*\*Merged after 1 round of review\*\* · [^·]+ · [^·]+ of work/;
  const status = await scene.untilStatus(issue, /Merged/);
  expect(status.body).toMatch(/^\*\*🎉 Merged: #\d+\*\* after 1 round of review\n/);
  await scene.until('the last edit of the pull request', () =>
    words.test(scene.pulls()[0]?.body ?? ''),
  );
});
