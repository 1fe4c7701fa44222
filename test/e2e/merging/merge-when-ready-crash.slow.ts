// From a label to a merge that GitHub makes by itself: the service is killed before and after it switches that on, and when it said so.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { Scene } from '../scene.ts';
import { branchOf, finish, opened } from './merging.ts';
import { call, say } from '../turns.ts';

const script: Script = {
  match: 'Greet',
  turns: [say(call('write_file', { path: 'b.md', content: 'Hello\n' })), finish('Greets.')],
};
const FILES = {
  'a.md': 'one\n',
  '.github/issuewright.yml': 'duplicates: off\nmerge_when_ready: squash\n',
};
const ON = /Auto-merge is on: GitHub merges/;

let scene: Scene | undefined;
afterEach(() => scene?.close());

describe('kill -9 around the switch of auto-merge', () => {
  it.each<[moment: string, method: string, path: RegExp, isOn: boolean]>([
    ['when GitHub was asked what the repository allows', 'GET', /\/rules\/branches\//, false],
    ['when GitHub had switched it on', 'POST', /\/graphql$/, true],
    ['when GitHub had taken the answer', 'POST', /\/issues\/\d+\/comments$/, true],
  ])(
    '%s: it is on once, said once, and GitHub merges after the review',
    async (_moment, method, path, isOn) => {
      const on = await Scene.open({ ownDatabase: true, scripts: [script], files: FILES });
      scene = on;
      const { issue, pull } = await opened(on, 'Greet', 'By name.');
      on.maintainer.addRuleset(on.repository, {
        name: 'Reviews',
        enforcement: 'active',
        conditions: { ref_name: { include: ['~DEFAULT_BRANCH'] } },
        rules: [{ type: 'pull_request', parameters: { required_approving_review_count: 1 } }],
      });
      on.maintainer.changeMergeSettings(on.repository, { allow_auto_merge: true });
      const { applied } = on.github.faults.hold({ method, path });
      on.maintainer.comment(on.thread(pull), '/issuewright merge when ready');
      await applied;
      await on.kill();
      expect(pull.pull.autoMerge?.method).toBe(isOn ? 'squash' : undefined);
      await on.start();
      const said = () => on.comments(pull).filter(({ body }) => ON.test(body));
      await on.until('the answer', () => said().length > 0);
      expect(pull.pull.autoMerge?.method).toBe('squash');
      await on.maintainer.review(on.thread(pull), { event: 'APPROVE' });
      await on.until('the merge', () => pull.pull.merged !== undefined);
      await on.untilStatus(issue, /merged/i);
      await on.github.webhooksSent();
      const times = on.github.deliveries.filter(({ action }) => action === 'auto_merge_enabled');
      expect(times).toHaveLength(1);
      expect(said()).toHaveLength(1);
      expect(await on.git('show', 'main:b.md')).toBe('Hello');
      expect(await on.git('log', '--format=%P', '-1', 'main')).not.toContain(' ');
      expect(branchOf(issue)).toBe(pull.pull.head);
    },
    300_000,
  );
});
