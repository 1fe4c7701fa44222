// The service is killed while it publishes work whose base branch has got another workflow file meanwhile.
import { afterEach, describe, expect, it } from '@jest/globals';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const CI = '.github/workflows/ci.yml';
const BRANCH = 'issuewright/issue-1';

/** What GitHub was asked, and did, when the service died; its answer was not read. */
const MOMENTS = [
  ['when GitHub had denied the branch', 'POST', /git\/refs$/, 1],
  ['when GitHub had made the branch', 'POST', /git\/refs$/, 2],
  ['when nobody knew of the commit but GitHub', 'POST', /\/pulls$/, 1],
] as const;

describe('kill -9 while work catches up with the base branch, and a start', () => {
  let scene: Scene | undefined;
  afterEach(() => scene?.close());

  it.each(MOMENTS)(
    '%s, leads to one commit on top of it',
    async (_name, method, path, nth) => {
      scene = await Scene.open({
        ownDatabase: true,
        files: { 'README.md': '# Sample\n', [CI]: 'version: 1\n' },
        scripts: [
          {
            match: 'Write notes',
            turns: [
              say(call('write_file', { path: 'NOTES.md', content: 'Notes\n' })),
              say(call('finish', { summary: 'There are notes.' })),
            ],
          },
        ],
      });
      const { github, maintainer, repository } = scene;
      const replies = scene.holdReplies('Write notes', 1);
      const issue = scene.ask('Write notes');
      await scene.untilAgentAsked(2);
      const files = { [CI]: 'version: 2\n', 'README.md': '# Sample, moved on\n' };
      await maintainer.push(repository, { branch: 'main', files, message: 'Update CI' });
      const holds = Array.from({ length: nth }, () => github.faults.hold({ method, path }));
      replies.release();
      for (const hold of holds.slice(0, -1)) {
        await hold.applied;
        hold.release();
      }
      await holds.at(-1)?.applied;
      await scene.kill();
      await scene.start();
      await scene.untilStatus(issue, /ready for review/i);
      expect(await scene.git('rev-parse', `${BRANCH}^`)).toBe(await scene.git('rev-parse', 'main'));
      expect(await scene.git('diff', '--name-only', 'main', BRANCH)).toBe('NOTES.md');
      expect(scene.pulls()).toHaveLength(1);
      expect(scene.agentRequests).toHaveLength(2);
    },
    300_000,
  );
});
