// Pull requests that are based on one another: through the shipped service.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue, PullRequest } from '../../../packages/local-github/src/github/state.ts';
import { branchOf, finish, lines, LINES, opened, pushTo, STACK, baseEdits } from './merging.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const write = (path: string, content: string) => say(call('write_file', { path, content }));

const SCRIPTS: Script[] = [
  ...STACK,
  { match: 'Alone', turns: [write('c.txt', 'c\n'), finish('Add c.txt')] },
];

describe('a pull request that is based on another', () => {
  let scene: Scene;
  let lower: { issue: Issue; pull: PullRequest };
  let upper: { issue: Issue; pull: PullRequest };
  beforeAll(async () => {
    scene = await Scene.open({ scripts: SCRIPTS, files: LINES });
    lower = await opened(scene, 'Lower');
    upper = await opened(scene, 'Upper', `Depends on #${lower.pull.number}.`);
  });
  afterAll(() => scene.close());

  const changesOf = (pull: PullRequest) =>
    scene.git('diff', '--name-only', `${pull.pull.base}...${pull.pull.head}`);

  it('begins at its branch, goes there, and says so', async () => {
    expect(upper.pull.pull.base).toBe(branchOf(lower.issue));
    const tip = await scene.git('rev-parse', branchOf(lower.issue));
    expect(await scene.git('rev-parse', `${branchOf(upper.issue)}~1`)).toBe(tip);
    expect(await changesOf(upper.pull)).toBe('a.txt');
    expect(upper.pull.body).toContain(`**Based on #${lower.pull.number}**; merge that first.`);
    const status = await scene.untilStatus(upper.issue, /ready for review/i);
    expect(status.body).toContain(`**Based on #${lower.pull.number}**; merge that first.`);
  });

  it('gets what is new below if that is in conflict with it', async () => {
    const changed = { 'a.txt': lines([2, 'lower'], [9, 'below']) };
    const base = await pushTo(scene, branchOf(lower.issue), changed);
    await scene.until('the merge', async () => {
      const parents = await scene.git('log', '-1', '--format=%P', branchOf(upper.issue));
      return parents.endsWith(base);
    });
    await scene.untilStatus(upper.issue, /ready for review/i);
    const merged = await scene.git('show', `${branchOf(upper.issue)}:a.txt`);
    expect(merged).toBe(lines([2, 'lower'], [9, 'both']).trim());
  });

  it('goes where that was merged, and is told nothing', async () => {
    await scene.maintainer.merge({ repository: scene.repository, number: lower.pull.number });
    await scene.until('the base', () => upper.pull.pull.base === 'main');
    await scene.until('the body', () => !(upper.pull.body ?? '').includes('Based on'));
    const status = await scene.until('the status', () =>
      scene.comments(upper.issue).find(({ body }) => body.includes('This goes to `main` now.')),
    );
    expect(status.body).toContain(`#${lower.pull.number}, which this was based on, was merged.`);
    expect(baseEdits(scene)).toBe(1);
  });

  it('is not there if the issue names something else, which is said', async () => {
    const { issue, pull } = await opened(
      scene,
      'Alone',
      `Blocked by #${lower.pull.number} and #99`,
    );
    expect(pull.pull.base).toBe('main');
    const status = await scene.untilStatus(issue, /ready for review/i);
    expect(status.body).toContain(
      `Not based on another pull request. #${lower.pull.number}: my pull request there is merged; #99: I have no open pull request there.`,
    );
  });
});
