// A run ends at a limit with work that is not committed: it is saved on the branch, and is no commit of its own at the end.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { branchOf, pushTo } from '../merging/merging.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const write = call('write_file', { path: 'HALF.md', content: 'Half of it' });
const rest = call('write_file', { path: 'REST.md', content: 'The rest' });
const finish = call('finish', { summary: 'All of it is there.', outcome: 'done' });

const titles = ['Save and go on', 'Save twice', 'Save beside a person', 'Save and crash'];
const SCRIPTS: Script[] = titles.map((match) => ({
  match,
  turns:
    match === 'Save twice' ? [say(write), say(rest), say(finish)] : [say(write), say(rest, finish)],
}));
const SAVED = 'Save unfinished work';
const WHOLE = 'All of it is there.';

describe.each([
  ['pushed', 'push', []],
  ['made through the API', 'verified', []],
  ['pushed, and may not be taken from a branch', 'push', [{ type: 'non_fast_forward' }]],
  [
    'made through the API, and may not be taken from a branch',
    'verified',
    [{ type: 'non_fast_forward' }],
  ],
] as const)('saved work, if commits are %s', (_how, publish, rules) => {
  const kept = rules.length === 0 ? [] : [SAVED];
  let scene: Scene;
  beforeAll(async () => {
    const settings = `commits: { publish: ${publish} }\nlimits: { turns: 1 }\nself_review: false\n`;
    scene = await Scene.open({
      scripts: SCRIPTS,
      files: { 'README.md': '# Sample\n', '.github/issuewright.yml': settings },
      ownDatabase: true,
    });
    if (rules.length > 0)
      scene.maintainer.addRuleset(scene.repository, {
        name: 'Never rewritten',
        enforcement: 'active',
        conditions: { ref_name: { include: ['refs/heads/issuewright/**'], exclude: [] } },
        rules: [...rules],
      });
  });
  afterAll(() => scene.close());

  const subjects = async (issue: Issue): Promise<readonly string[]> => {
    const log = await scene.git('log', '--reverse', '--format=%s', `main..${branchOf(issue)}`);
    return log.split('\n');
  };
  const untilSaved = async (issue: Issue, times = 1): Promise<void> => {
    const words = new RegExp(`:(outcome|reply):${times}\\b`);
    await scene.until('the run has ended', () =>
      scene.repository.comments.some(
        (one) => one.issueNumber === issue.number && words.test(one.body),
      ),
    );
    expect((await subjects(issue)).at(-1)).toBe(SAVED);
  };
  const retry = (issue: Issue) =>
    scene.maintainer.comment(scene.thread(issue), '/issuewright retry');
  const filesOf = (issue: Issue) =>
    scene.git('diff', '--name-only', `main...${branchOf(issue)}`).then((all) => all.split('\n'));

  it('becomes part of the next commit', async () => {
    const issue = scene.ask('Save and go on', '');
    await untilSaved(issue);
    retry(issue);
    await scene.untilStatus(issue, /ready for review/i);
    expect(await subjects(issue)).toEqual([...kept, WHOLE]);
    expect(await filesOf(issue)).toEqual(['HALF.md', 'REST.md']);
    const last = await scene.git('show', '--format=', '--name-only', branchOf(issue));
    expect(last.split('\n')).toEqual(rules.length === 0 ? ['HALF.md', 'REST.md'] : ['REST.md']);
  });

  it('takes the place of work that was saved before', async () => {
    const issue = scene.ask('Save twice', '');
    await untilSaved(issue);
    retry(issue);
    await untilSaved(issue, 2);
    expect(await subjects(issue)).toEqual([...kept, SAVED]);
    retry(issue);
    await scene.untilStatus(issue, /ready for review/i);
    expect(await filesOf(issue)).toEqual(['HALF.md', 'REST.md']);
  });

  it('stays below what a person pushed on top of it', async () => {
    const issue = scene.ask('Save beside a person', '');
    await untilSaved(issue);
    await pushTo(scene, branchOf(issue), { 'THEIRS.md': 'Theirs' });
    retry(issue);
    await scene.untilStatus(issue, /ready for review/i);
    expect(await subjects(issue)).toEqual([SAVED, 'Move the branch', WHOLE]);
    expect(await filesOf(issue)).toEqual(['HALF.md', 'REST.md', 'THEIRS.md']);
  });

  it('is gone once also if the service dies while it is replaced', async () => {
    const issue = scene.ask('Save and crash', '');
    await untilSaved(issue);
    const onTop = { method: 'PATCH', path: /\/git\/refs\// };
    const replaced = {
      method: 'POST',
      path: publish === 'push' ? /\/git-receive-pack$/ : /\/graphql$/,
    };
    const isOnTop = publish === 'verified' && rules.length > 0;
    const held = scene.github.faults.hold(isOnTop ? onTop : replaced);
    retry(issue);
    await held.applied;
    await scene.kill();
    held.drop();
    await scene.start();
    await scene.untilStatus(issue, /ready for review/i);
    expect(await subjects(issue)).toEqual([...kept, WHOLE]);
    expect(await filesOf(issue)).toEqual(['HALF.md', 'REST.md']);
  });
});
