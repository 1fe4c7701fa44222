// People push to the branch while the agent works on it: through the shipped service.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { branchOf, lines, LINES, PUSHED_BETWEEN, pushTo } from './merging.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import { Scene } from '../scene.ts';

describe('a branch to which someone pushes during a run', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ scripts: [PUSHED_BETWEEN], files: LINES });
  });
  afterAll(() => scene.close());

  it('keeps their commit, and the run begins again on top of it', async () => {
    const replies = scene.holdReplies('Pushed in between', 2);
    const issue = scene.ask('Pushed in between', '');
    const branch = branchOf(issue);
    await scene.untilAgentAsked(3);
    await pushTo(scene, branch, { 'people.txt': 'kept' });
    replies.release();
    const theirs = await scene.git('rev-parse', branch);
    await scene.untilStatus(issue, /ready for review/i);
    const log = await scene.git('log', '--format=%s', `main..${branch}`);
    expect(log.split('\n')).toEqual(['Change lines 2 and 3', 'Move the branch', 'Change line 2']);
    expect(await scene.git('rev-parse', `${branch}~1`)).toBe(theirs);
    expect(await scene.git('show', `${branch}:people.txt`)).toBe('kept');
    expect(await scene.git('show', `${branch}:a.txt`)).toBe(
      lines([2, 'ours'], [3, 'again']).trim(),
    );
    const told = scene.agentRequests.map(({ body }) => String(body)).join('\n');
    expect(told).toContain(`> ${theirs.slice(0, 10)} ${SAMPLE.maintainer}: Move the branch`);
    expect(scene.stage.log()).not.toContain('run resumed');
  });
});
