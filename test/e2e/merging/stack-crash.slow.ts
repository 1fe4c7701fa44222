// The service is killed while one pull request is based on another.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { baseEdits, branchOf, LINES, opened, STACK } from './merging.ts';
import { Scene } from '../scene.ts';

describe('a service that is killed', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await Scene.open({
      scripts: STACK,
      files: LINES,
      ownDatabase: true,
    });
  });
  afterEach(() => scene.close());

  it('when GitHub opened a pull request on another opens no second one, wherever it goes by then', async () => {
    const lower = await opened(scene, 'Lower');
    const hold = scene.github.faults.hold({ method: 'POST', path: /\/pulls$/ });
    const issue = scene.ask('Upper', `Depends on #${lower.issue.number}`);
    await hold.applied;
    await scene.kill();
    hold.drop();
    const { repository, maintainer } = scene;
    await maintainer.merge({ repository, number: lower.pull.number });
    await maintainer.deleteBranch(repository, branchOf(lower.issue));
    await scene.start();
    await scene.untilStatus(issue, /ready for review/i);
    const status = await scene.until('the status', () =>
      scene.comments(issue).find(({ body }) => body.includes('This goes to `main` now.')),
    );
    expect(status.body).toContain(`#${lower.pull.number}, which this was based on, was merged.`);
    const pulls = scene.pulls().filter(({ pull }) => pull.head === branchOf(issue));
    expect(pulls.map(({ pull, state }) => [pull.base, state])).toEqual([['main', 'open']]);
    expect(baseEdits(scene)).toBe(1);
  });

  it('when GitHub changed the base changes it no second time', async () => {
    const lower = await opened(scene, 'Lower');
    const { issue, pull } = await opened(scene, 'Upper', `Depends on #${lower.pull.number}`);
    const edit = () =>
      scene.github.faults.hold({ method: 'PATCH', path: new RegExp(`/pulls/${pull.number}$`) });
    let held = edit();
    await scene.maintainer.merge({ repository: scene.repository, number: lower.pull.number });
    await held.applied;
    // An edit of the body may come first.
    while (pull.pull.base !== 'main') {
      const before = held;
      held = edit();
      before.release();
      await held.applied;
    }
    await scene.kill();
    held.drop();
    await scene.start();
    await scene.until('the body', () => !(pull.body ?? '').includes('Based on'));
    expect(baseEdits(scene)).toBe(1);
    expect(pull.state).toBe('open');
    const tip = await scene.git('rev-parse', branchOf(lower.issue));
    expect(await scene.git('rev-parse', `${branchOf(issue)}~1`)).toBe(tip);
  });
});
