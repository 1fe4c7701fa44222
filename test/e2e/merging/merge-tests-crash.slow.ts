// The service is killed while the tests of a merge fail.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { branchOf, commit, finish, opened, parentsOf, pushTo, untilMerged } from './merging.ts';
import { Scene } from '../scene.ts';
import { COMMANDS, FILES, RENAMED, testOf, writeTest } from './summing.ts';
import { call, say } from '../turns.ts';

const SCRIPTS: Script[] = [
  {
    match: 'Test three',
    turns: [
      writeTest(testOf('sum', '1, 2, 3', 6)),
      finish('Tested'),
      { ...writeTest(testOf('total', '1, 2, 3', 6)), when: 'the tests fail with it' },
      { ...say(call('run_tests')), delay_ms: 3_000 },
      { ...commit('Merge main, and follow its new name'), when: '0 failed, 2 passed' },
      finish('Follows the new name'),
    ],
  },
  {
    match: 'Leave it to people',
    turns: [
      writeTest(testOf('sum', '1, 2, 3', 6)),
      finish('Tested'),
      say(call('finish', { summary: 'Who uses the old name?', outcome: 'cannot' })),
    ],
  },
];

describe('a service that is killed', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await Scene.open({
      scripts: SCRIPTS,
      files: FILES,
      environment: COMMANDS,
      ownDatabase: true,
    });
  });
  afterEach(() => scene.close());

  it('while the agent makes the tests of a merge pass goes on with what it had changed', async () => {
    const { issue } = await opened(scene, 'Test three');
    const branch = branchOf(issue);
    const before = await scene.git('rev-parse', branch);
    const asked = scene.agentRequests.length;
    await pushTo(scene, 'main', RENAMED);
    const base = await scene.git('rev-parse', 'main');
    scene.maintainer.comment(scene.thread(issue), '/issuewright resolve');
    await scene.untilAgentAsked(asked + 2);
    await scene.kill();
    await scene.start();
    await untilMerged(scene, branch);
    await scene.untilStatus(issue, /ready for review/i);
    expect(await parentsOf(scene, branch)).toEqual([before, base]);
    expect(await scene.git('show', `${branch}:test/three.test.js`)).toContain('total([1, 2, 3])');
    expect(await scene.git('fsck', '--strict', '--no-dangling')).toBe('');
  });

  it('while it tells people that the tests fail tells them once, and pushes nothing', async () => {
    const { issue } = await opened(scene, 'Leave it to people');
    const branch = branchOf(issue);
    const head = await scene.git('rev-parse', branch);
    await pushTo(scene, 'main', RENAMED);
    const told = () =>
      scene.comments(issue).filter(({ body }) => body.includes("haven't pushed the merge of"));
    const hold = scene.github.faults.hold({ method: 'POST', path: /\/issues\/\d+\/comments$/ });
    scene.maintainer.comment(scene.thread(issue), '/issuewright resolve');
    await hold.applied;
    expect(told()).toHaveLength(1);
    await scene.kill();
    hold.drop();
    await scene.start();
    // A command is answered only after what was left to publish.
    for (const word of ['help', 'status']) {
      const { reactions } = scene.maintainer.comment(scene.thread(issue), `/issuewright ${word}`);
      await scene.until('the reaction', () => reactions.length > 0);
    }
    await scene.untilStatus(issue, /not finished/i);
    await scene.stop();
    expect(told()).toHaveLength(1);
    expect(told()[0]?.body).toMatch(/Output of the tests[^]*1 failed, 1 passed/);
    expect(await scene.git('rev-parse', branch)).toBe(head);
  });
});
