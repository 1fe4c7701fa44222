// The merge of a base branch, made and signed by GitHub.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  branchOf,
  cleanMerge,
  lines,
  LINES,
  opened,
  parentsOf,
  pushTo,
  untilMerged,
} from './merging.ts';
import { Scene } from '../scene.ts';

describe('a merge in the mode `verified`', () => {
  let scene: Scene;
  beforeAll(async () => {
    const files = { ...LINES, '.github/issuewright.yml': 'commits:\n  publish: verified\n' };
    scene = await Scene.open({ scripts: [cleanMerge], files });
  });
  afterAll(() => scene.close());

  it('has two parents, the signature of GitHub, and the tree that git makes of them', async () => {
    const { issue } = await opened(scene, 'Clean merge');
    const branch = branchOf(issue);
    const ours = await scene.git('rev-parse', branch);
    const changed = { 'a.txt': lines([9, 'theirs']), 'b.txt': null, 'new/c.txt': 'c\n' };
    const theirs = await pushTo(scene, 'main', changed);
    scene.maintainer.comment(scene.thread(issue), '/issuewright resolve');
    await untilMerged(scene, branch);
    expect(await parentsOf(scene, branch)).toEqual([ours, theirs]);
    const tree = await scene.git('merge-tree', '--write-tree', ours, theirs);
    expect(await scene.git('rev-parse', `${branch}^{tree}`)).toBe(tree);
    expect(await scene.git('log', '-1', '--format=%cn', branch)).toBe('GitHub');
    const head = await scene.git('rev-parse', branch);
    const page = await fetch(`${scene.github.url}/${scene.repository.fullName}/commit/${head}`);
    expect(await page.text()).toContain('Verified');
    expect(await scene.git('fsck', '--strict', '--no-dangling')).toBe('');
    expect(scene.github.requests.filter(({ path }) => /git-receive-pack/.test(path))).toEqual([]);
  });
});
