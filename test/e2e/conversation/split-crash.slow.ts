// `/issuewright split`, from the comment to the open sub-issues: the service is killed while it opens them, and started again.
import { afterEach, describe, expect, it } from '@jest/globals';
import { inspect, readSessions } from '../../faults/invariants.ts';
import { World } from '../../faults/world.ts';
import { call, say } from '../turns.ts';

const TITLES = ['Read names', 'Greet by name'];
const SCRIPT = {
  match: 'Greet everyone',
  turns: [
    say(call('read_file', { path: 'README.md' })),
    say(
      call('propose_sub_issues', {
        sub_issues: TITLES.map((title) => ({ title, text: `${title}, with a test.` })),
      }),
    ),
  ],
};

let world: World | undefined;
afterEach(() => world?.close());

describe('kill -9 while approved sub-issues are opened', () => {
  it.each<[moment: string, path: RegExp]>([
    ['when GitHub opened the first and its answer was not read', /\/issues$/],
    ['when GitHub added the first to its parent and its answer was not read', /\/sub_issues$/],
  ])(
    '%s: each is opened once, in its order',
    async (_moment, path) => {
      world = await World.open({ files: { 'README.md': '# Hello\n' }, scripts: [SCRIPT] });
      const on = world;
      const { maintainer, repository } = on;
      const parent = maintainer.openIssue(repository, { title: 'Greet everyone', body: '' });
      maintainer.comment(on.thread(parent.number), '/issuewright split');
      await on.untilStatus(parent.number, /Waiting for approval/);
      const { applied } = on.stage.github.faults.hold({ method: 'POST', path });
      maintainer.comment(on.thread(parent.number), 'approve');
      await applied;
      await on.kill();
      await on.start();
      await on.untilStatus(parent.number, /Sub-issues opened/);
      const children = repository.issues.filter(({ number }) => number > parent.number);
      expect(children.map(({ title }) => title)).toEqual(TITLES);
      expect(parent.subIssues).toEqual(children.map(({ id }) => id));
      const [session, ...others] = await readSessions(on);
      expect(others).toEqual([]);
      expect(session?.entries.filter(({ type }) => type === 'run_started')).toHaveLength(1);
      await on.until('nothing is left to do', async () => {
        const wanted = { issues: [parent.number], expected: null, isMuted: false };
        return (await inspect(on, wanted)).length === 0;
      });
    },
    600_000,
  );
});
