// A change of a workflow, from the label to the pull request: an administrator approves it in between.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const WORKFLOW = '.github/workflows/ci.yml';
const finish = say(call('finish', { summary: 'There is CI.' }));
const BRANCH = 'issuewright/issue-1';

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open({
    ownDatabase: true,
    files: { 'README.md': '# Sample\n', '.github/issuewright.yml': 'workflows: ask\n' },
    scripts: [
      {
        match: 'Add CI',
        turns: [
          say(call('write_file', { path: WORKFLOW, content: 'on: push\n' })),
          say(call('write_file', { path: 'NOTES.md', content: 'Notes\n' })),
          finish,
          finish,
          finish,
        ],
      },
    ],
  });
  const { installations } = scene.github;
  installations.grant(1, {
    metadata: 'read',
    contents: 'write',
    issues: 'write',
    pull_requests: 'write',
    workflows: 'write',
  });
});
afterAll(() => scene.close());

it('waits for the 👍 of an administrator, through kill -9, and is then pushed once', async () => {
  const issue = scene.ask('Add CI');
  await scene.untilStatus(issue, /Waiting for an administrator's approval/);
  await scene.kill();
  await scene.start();
  const proposal = await scene.until('the change', () =>
    scene.comments(issue).find(({ body }) => body.includes(':workflows:')),
  );
  expect(proposal.body).toContain('\n+on: push\n');
  expect(await scene.git('ls-tree', '-r', '--name-only', BRANCH)).not.toContain(WORKFLOW);
  const held = scene.github.faults.hold({ method: 'PATCH', path: /git\/refs\/heads/ });
  scene.github.as(SAMPLE.maintainer).react(proposal, '+1');
  await held.applied;
  await scene.kill();
  await scene.start();
  await scene.untilStatus(issue, /ready for review/i);
  expect(await scene.git('show', `${BRANCH}:${WORKFLOW}`)).toBe('on: push');
  const log = await scene.git('log', '--format=%cn', `main..${BRANCH}`);
  expect(log.split('\n')).toEqual(['GitHub', 'GitHub']);
  expect(scene.pulls()).toHaveLength(1);
});
