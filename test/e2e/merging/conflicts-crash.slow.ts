// The service is killed in the middle of a merge.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
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
    { ...writeA(lines([3, 'both'])), when: CONFLICTS },
    { ...commit('Merge the base branch'), delay_ms: 3_000 },
  ),
];

describe('a service that is killed', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await Scene.open({
      scripts: SCRIPTS,
      files: LINES,
      ownDatabase: true,
    });
  });
  afterEach(() => scene.close());

  const pageOf = async (issue: Issue): Promise<string> => {
    const status = scene.comments(issue).find(({ body }) => body.includes(':status -->'))?.body;
    const [, id = ''] = /\/sessions\/([\w-]+)/.exec(status ?? '') ?? [];
    return scene.stage.readPage(`/sessions/${id}`);
  };

  it('after a merge was journaled makes it when it is back, once', async () => {
    const { issue } = await opened(scene, 'Clean merge');
    const branch = branchOf(issue);
    const before = await scene.git('rev-parse', branch);
    await pushTo(scene, 'main', { 'b.txt': lines([1, 'theirs']) });
    const base = await scene.git('rev-parse', 'main');
    // Where the branch is, is looked up right before the merge is published.
    const hold = scene.github.faults.hold({ method: 'GET', path: /\/git\/refs?\// });
    scene.maintainer.comment(scene.thread(issue), '/issuewright resolve');
    await hold.applied;
    expect(await pageOf(issue)).toContain('Merging main');
    await scene.kill();
    hold.drop();
    await pushTo(scene, 'main', { 'b.txt': lines([1, 'theirs, again']) });
    await scene.start();
    await untilMerged(scene, branch);
    await scene.untilStatus(issue, /ready for review/i);
    expect(await parentsOf(scene, branch)).toEqual([before, base]);
  });

  it('begins a merge again with what the base branch is now if that has been rewritten', async () => {
    const { issue } = await opened(scene, 'Clean merge');
    const branch = branchOf(issue);
    const before = await scene.git('rev-parse', branch);
    const kept = await scene.git('rev-parse', 'main');
    await pushTo(scene, 'main', { 'b.txt': lines([1, 'gone']) });
    const gone = await scene.git('rev-parse', 'main');
    const hold = scene.github.faults.hold({ method: 'GET', path: /\/git\/refs?\// });
    scene.maintainer.comment(scene.thread(issue), '/issuewright resolve');
    await hold.applied;
    await scene.kill();
    hold.drop();
    await scene.git('update-ref', 'refs/heads/main', kept);
    await pushTo(scene, 'main', { 'b.txt': lines([1, 'rewritten']) });
    await scene.git('prune', '--expire=now');
    await expect(scene.git('cat-file', '-e', gone)).rejects.toThrow();
    await scene.start();
    await untilMerged(scene, branch);
    await scene.untilStatus(issue, /ready for review/i);
    expect(await parentsOf(scene, branch)).toEqual([before, await scene.git('rev-parse', 'main')]);
    expect(await scene.git('show', `${branch}:b.txt`)).toBe(lines([1, 'rewritten']).trim());
  });

  it('after the push of a merge does not make another', async () => {
    const { issue } = await opened(scene, 'Clean merge');
    const branch = branchOf(issue);
    await pushTo(scene, 'main', { 'b.txt': lines([1, 'theirs']) });
    const hold = scene.github.faults.hold({ method: 'PATCH', path: /\/git\/refs\// });
    scene.maintainer.comment(scene.thread(issue), '/issuewright resolve');
    await hold.applied;
    await scene.kill();
    hold.drop();
    const merge = await scene.git('rev-parse', branch);
    await scene.start();
    await scene.untilStatus(issue, /ready for review/i);
    await scene.until('the end of the merge', async () => (await pageOf(issue)).includes('Merged'));
    expect(await scene.git('rev-parse', branch)).toBe(merge);
    expect(await parentsOf(scene, branch)).toHaveLength(2);
  });

  it('while the agent resolves conflicts goes on with what it had resolved', async () => {
    const { issue } = await opened(scene, 'In conflict');
    const branch = branchOf(issue);
    const before = await scene.git('rev-parse', branch);
    const asked = scene.agentRequests.length;
    await pushTo(scene, 'main', { 'a.txt': lines([3, 'theirs']), 'b.txt': lines([1, 'theirs']) });
    const base = await scene.git('rev-parse', 'main');
    await scene.untilAgentAsked(asked + 2);
    await scene.kill();
    await scene.start();
    await untilMerged(scene, branch);
    await scene.untilStatus(issue, /ready for review/i);
    expect(await parentsOf(scene, branch)).toEqual([before, base]);
    expect(await scene.git('show', `${branch}:a.txt`)).toBe(lines([3, 'both']).trim());
    expect(await scene.git('show', `${branch}:b.txt`)).toBe(lines([1, 'theirs']).trim());
    expect(await scene.git('fsck', '--strict', '--no-dangling')).toBe('');
  });
});
