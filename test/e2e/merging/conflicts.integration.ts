// The base branch moves while a pull request waits: through the shipped service.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import {
  branchOf,
  cleanMerge,
  commit,
  CONFLICTS,
  inConflict,
  lines,
  LINES,
  opened,
  parentsOf,
  pushTo,
  untilMerged,
  writeA,
} from './merging.ts';
import { Scene } from '../scene.ts';

const SCRIPTS: Script[] = [
  cleanMerge,
  inConflict(
    { ...commit('Merge the base branch'), when: CONFLICTS },
    writeA(lines([3, 'both'])),
    commit('Merge the base branch'),
  ),
];

describe('a pull request whose base branch moves', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ scripts: SCRIPTS, files: LINES });
  });
  afterAll(() => scene.close());

  it('is merged with it on `/issuewright resolve`, without a request to the model', async () => {
    const { issue } = await opened(scene, 'Clean merge');
    const branch = branchOf(issue);
    const before = await scene.git('rev-parse', branch);
    const asked = scene.agentRequests.length;
    await pushTo(scene, 'main', { 'a.txt': lines([9, 'theirs']), 'b.txt': lines([1, 'theirs']) });
    const base = await scene.git('rev-parse', 'main');
    const comment = scene.maintainer.comment(scene.thread(issue), '/issuewright resolve');
    await untilMerged(scene, branch);
    expect(await parentsOf(scene, branch)).toEqual([before, base]);
    const merged = lines([2, 'ours'], [9, 'theirs']).trim();
    expect(await scene.git('show', `${branch}:a.txt`)).toBe(merged);
    expect(await scene.git('log', '-1', '--format=%B', branch)).toMatch(
      /^Merge branch 'main' into issuewright\/issue-\d+\n\nPushed without tests. Commands are not allowed here./,
    );
    await scene.untilStatus(issue, /ready for review/i);
    await scene.until('the reaction', () =>
      comment.reactions.some(({ content }) => content === 'rocket'),
    );
    expect(scene.agentRequests).toHaveLength(asked);
  });

  it('is only told so if there is nothing to merge', async () => {
    const issue = scene.repository.issues[0];
    if (issue === undefined) throw new Error('no issue');
    const before = await scene.git('rev-parse', branchOf(issue));
    const comment = scene.maintainer.comment(scene.thread(issue), '@issuewright resolve conflicts');
    await scene.until('the reaction', () =>
      comment.reactions.some(({ content }) => content === '+1'),
    );
    expect(await scene.git('rev-parse', branchOf(issue))).toBe(before);
  });

  it('is resolved by the agent if it has conflicts, and markers are never committed', async () => {
    const { issue } = await opened(scene, 'In conflict');
    const branch = branchOf(issue);
    const before = await scene.git('rev-parse', branch);
    await pushTo(scene, 'main', { 'a.txt': lines([3, 'theirs'], [9, 'theirs']) });
    const base = await scene.git('rev-parse', 'main');
    await untilMerged(scene, branch);
    expect(await parentsOf(scene, branch)).toEqual([before, base]);
    expect(await scene.git('show', `${branch}:a.txt`)).toBe(lines([3, 'both']).trim());
    await scene.untilStatus(issue, /ready for review/i);
    const said = JSON.stringify(scene.agentRequests.map(({ body }) => String(body)));
    expect(said).toContain('a.txt (with markers)');
    expect(said).toMatch(/by octo-maintainer: Move the branch/);
    expect(said).toMatch(/still have conflict markers/);
    const all = await scene.git('log', '-p', '--all', '--format=', '--', 'a.txt');
    expect(all).not.toContain('<<<<<<<');
  });

  it('is not merged for people who may not request work', async () => {
    const issue = scene.repository.issues[0];
    if (issue === undefined) throw new Error('no issue');
    const before = await scene.git('rev-parse', branchOf(issue));
    const comment = scene.github
      .as('stranger')
      .comment(scene.thread(issue), '/issuewright resolve');
    await scene.until('the reaction', () =>
      comment.reactions.some(({ content }) => content === 'confused'),
    );
    expect(await scene.git('rev-parse', branchOf(issue))).toBe(before);
  });
});
