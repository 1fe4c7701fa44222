// The base branch is merged where the tests can run: they decide whether the merge is pushed.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { branchOf, commit, finish, opened, parentsOf, pushTo, untilMerged } from './merging.ts';
import { Scene } from '../scene.ts';
import { BEFORE, COMMANDS, FILES, RENAMED, testOf, writeTest } from './summing.ts';
import { call, say } from '../turns.ts';

const NOT_PUSHED = 'Nothing was committed[^]*only pushed if all tests pass';

const SCRIPTS: Script[] = [
  {
    match: 'Say more',
    turns: [say(call('write_file', { path: 'README.md', content: '# Sums\n' })), finish('Said')],
  },
  {
    match: 'Test three',
    turns: [
      writeTest(testOf('sum', '1, 2, 3', 6)),
      finish('Tested'),
      {
        ...writeTest(testOf('total', '1, 2, 3', 6)),
        when: 'without conflicts[^]*the tests fail with it[^]*1 failed, 1 passed',
      },
      say(call('run_tests')),
      { ...commit('Merge main, and follow its new name'), when: '0 failed, 2 passed' },
      finish('Follows the new name'),
    ],
  },
  {
    match: 'Keep a failure',
    turns: [writeTest(testOf('sum', '1, 2, 3', 7)), finish('Fails, as it should')],
  },
  {
    match: 'Leave it to people',
    turns: [
      writeTest(testOf('sum', '1, 2, 3', 6)),
      finish('Tested'),
      { ...commit('Merge main'), when: 'the tests fail with it' },
      { ...finish('Merged'), when: `${NOT_PUSHED}[^]*The tests fail with it` },
      {
        ...say(call('finish', { summary: 'Who uses the old name?', outcome: 'cannot' })),
        when: NOT_PUSHED,
      },
    ],
  },
];

describe('a merge of the base branch where commands are allowed', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({
      scripts: SCRIPTS,
      files: FILES,
      environment: COMMANDS,
    });
  });
  afterAll(() => scene.close());

  const sides = async (branch: string): Promise<readonly string[]> => [
    await scene.git('rev-parse', branch),
    await scene.git('rev-parse', 'main'),
  ];
  const fileOf = (branch: string, path: string) => scene.git('show', `${branch}:${path}`);

  it('is pushed when the tests pass, and its message says so', async () => {
    const { issue } = await opened(scene, 'Say more');
    const branch = branchOf(issue);
    const asked = scene.agentRequests.length;
    await pushTo(scene, 'main', { 'NOTES.md': 'Numbers only.\n' });
    const parents = await sides(branch);
    scene.maintainer.comment(scene.thread(issue), '/issuewright resolve');
    await untilMerged(scene, branch);
    expect(await parentsOf(scene, branch)).toEqual(parents);
    expect(await scene.git('log', '-1', '--format=%B', branch)).toMatch(
      /^Merge branch 'main' into issuewright\/issue-\d+\n\nThe tests passed: node --test\n/,
    );
    expect(await fileOf(branch, 'README.md')).toBe('# Sums');
    expect(await fileOf(branch, 'NOTES.md')).toBe('Numbers only.');
    await scene.untilStatus(issue, /ready for review/i);
    expect(scene.agentRequests).toHaveLength(asked);
  });

  it('that fails the tests is pushed only after the agent made them pass', async () => {
    const { issue } = await opened(scene, 'Test three');
    const branch = branchOf(issue);
    const asked = scene.agentRequests.length;
    await pushTo(scene, 'main', RENAMED);
    const parents = await sides(branch);
    scene.maintainer.comment(scene.thread(issue), '/issuewright resolve');
    await untilMerged(scene, branch);
    // Nothing was pushed before the commit that has the agent's edit.
    expect(await parentsOf(scene, branch)).toEqual(parents);
    expect(await fileOf(branch, 'test/three.test.js')).toContain('total([1, 2, 3])');
    expect(await fileOf(branch, 'sum.js')).toContain('const total');
    // On a fast machine the status still says what it said before the merge.
    await scene.untilAgentAsked(asked + 4);
    await scene.untilStatus(issue, /ready for review/i);
    expect(scene.agentRequests).toHaveLength(asked + 4);
  });

  it('is pushed if the tests fail as they did before it, and its message says so', async () => {
    const { issue } = await opened(scene, 'Keep a failure');
    const branch = branchOf(issue);
    const asked = scene.agentRequests.length;
    await pushTo(scene, 'main', { 'MORE.md': 'More numbers.\n' });
    const parents = await sides(branch);
    scene.maintainer.comment(scene.thread(issue), '/issuewright resolve');
    await untilMerged(scene, branch);
    expect(await parentsOf(scene, branch)).toEqual(parents);
    expect(await scene.git('log', '-1', '--format=%B', branch)).toMatch(
      /\n\nThe tests fail as they did before the merge: node --test\n/,
    );
    await scene.untilStatus(issue, /ready for review/i);
    expect(scene.agentRequests).toHaveLength(asked);
  });

  it('is left to people if the agent cannot make the tests pass, and begins again when the base moved', async () => {
    await pushTo(scene, 'main', BEFORE);
    const { issue, pull } = await opened(scene, 'Leave it to people');
    const branch = branchOf(issue);
    const head = await scene.git('rev-parse', branch);
    await pushTo(scene, 'main', RENAMED);
    scene.maintainer.comment(scene.thread(issue), '/issuewright resolve');
    const told = await scene.until('the comment', () =>
      scene.comments(issue).find(({ body }) => body.includes("haven't pushed the merge of")),
    );
    expect(told.body).toMatch(
      /Who uses the old name\?[^]*Output of the tests[^]*1 failed, 1 passed/,
    );
    await scene.untilStatus(issue, new RegExp(`Not finished: #${pull.number}`));
    expect(await scene.git('rev-parse', branch)).toBe(head);
    const asked = scene.agentRequests.length;
    await pushTo(scene, 'main', BEFORE);
    const parents = await sides(branch);
    scene.maintainer.comment(scene.thread(issue), '/issuewright resolve');
    await untilMerged(scene, branch);
    expect(await parentsOf(scene, branch)).toEqual(parents);
    expect(scene.agentRequests).toHaveLength(asked);
  });
});
