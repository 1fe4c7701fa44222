// The base branch is merged where the tests can run: what is pushed passes them.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../playground/model/script.ts';
import { branchOf, commit, finish, opened, parentsOf, pushTo, untilMerged } from './merging.ts';
import { Scene } from './scene.ts';
import { call, say } from './turns.ts';

const sum = (name: string) =>
  `export const ${name} = (numbers) => numbers.reduce((a, b) => a + b, 0);\n`;

const testOf = (name: string, numbers: string, result: number) =>
  `import test from 'node:test';
import assert from 'node:assert';
import { ${name} } from '../sum.js';

test('${numbers}', () => assert.equal(${name}([${numbers}]), ${result}));
`;

const FILES = {
  'README.md': '# Sum\n',
  '.github/issuewright.yml': 'test: node --test\n',
  'package.json': '{"name": "sum", "type": "module"}\n',
  'sum.js': sum('sum'),
  'test/sum.test.js': testOf('sum', '1, 2', 3),
};

/** What the base branch gets: git can merge it, and a test that still has the old name fails. */
const RENAMED = { 'sum.js': sum('total'), 'test/sum.test.js': testOf('total', '1, 2', 3) };

const writeTest = (content: string) =>
  say(call('write_file', { path: 'test/three.test.js', content }));

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
];

describe('a merge of the base branch where commands are allowed', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({
      scripts: SCRIPTS,
      files: FILES,
      environment: { ALLOW_DANGEROUS_TOOLS: 'true', SANDBOX: 'unsafe' },
    });
  }, 60_000);
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
  }, 60_000);

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
    await scene.untilStatus(issue, /ready for review/i);
    expect(scene.agentRequests).toHaveLength(asked + 4);
  }, 60_000);
});
