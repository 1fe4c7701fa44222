// The service is killed around a push that people made between two of ours.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { branchOf, lines, LINES, PUSHED_BETWEEN, pushTo } from './merging.ts';
import type { HeldAnswers } from '../../../packages/local-github/src/model/server.ts';
import { Scene } from '../scene.ts';

describe('a service that is killed', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await Scene.open({
      scripts: [PUSHED_BETWEEN],
      files: LINES,
      ownDatabase: true,
    });
  });
  afterEach(() => scene.close());

  it.each<[string, (branch: string, replies: HeldAnswers) => Promise<void>]>([
    [
      'while it looks whether the branch is where it left it',
      async (branch, replies) => {
        const hold = scene.github.faults.hold({ method: 'GET', path: /\/git\/refs?\// });
        replies.release();
        await hold.applied;
        await pushTo(scene, branch, { 'people.txt': 'kept' });
        await scene.kill();
        hold.drop();
      },
    ],
    [
      'while the agent makes its change once more, on top of that push',
      async (branch, replies) => {
        await pushTo(scene, branch, { 'people.txt': 'kept' });
        replies.release();
        await scene.untilAgentAsked(5);
        await scene.kill();
      },
    ],
  ])(
    '%s keeps all commits, and makes its own once',
    async (_moment, between) => {
      const replies = scene.holdReplies('Pushed in between', 2);
      const issue = scene.ask('Pushed in between', '');
      const branch = branchOf(issue);
      await scene.untilAgentAsked(3);
      await between(branch, replies);
      await scene.start();
      await scene.untilStatus(issue, /ready for review/i);
      const log = await scene.git('log', '--format=%s', `main..${branch}`);
      expect(log.split('\n')).toEqual(['Change lines 2 and 3', 'Move the branch', 'Change line 2']);
      expect(await scene.git('show', `${branch}:people.txt`)).toBe('kept');
      const mended = lines([2, 'ours'], [3, 'again']).trim();
      expect(await scene.git('show', `${branch}:a.txt`)).toBe(mended);
      expect(scene.pulls()).toHaveLength(1);
      expect(await scene.git('fsck', '--strict', '--no-dangling')).toBe('');
    },
    300_000,
  );
});
