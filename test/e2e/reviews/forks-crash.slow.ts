// The service is killed while it answers on a pull request from a fork.
import { afterEach, describe, expect, it } from '@jest/globals';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const SMALL = 'Louder\n';
const LARGE = 'Louder than ever\n'.repeat(3_000);
const COMMENTS = /\/issues\/\d+\/comments$/;

/** What GitHub was asked, and did, when the service died; its answer was not read. */
const MOMENTS = [
  ['before GitHub got the patch', SMALL, 'GET', COMMENTS],
  ['when GitHub took the patch', SMALL, 'POST', COMMENTS],
  ['when GitHub made the commit and no branch had it', LARGE, 'POST', /git\/commits$/],
  ['when GitHub made the branch', LARGE, 'POST', /git\/refs$/],
] as const;

describe('kill -9 during an answer on a pull request from a fork, and a start', () => {
  let scene: Scene | undefined;
  afterEach(() => scene?.close());

  it.each(MOMENTS)(
    '%s, leads to the same end',
    async (_name, content, method, path) => {
      const turns = [
        say(call('write_file', { path: 'LOUD.md', content })),
        { ...say(call('finish', { summary: 'It is louder.' })), delay_ms: 500 },
      ];
      scene = await Scene.open({ ownDatabase: true, scripts: [{ turns }], people: ['ann'] });
      const { repository, github, maintainer } = scene;
      const ann = github.as('ann');
      const fork = await ann.fork(repository);
      await ann.push(fork, { branch: 'main', files: { 'theirs.txt': '1\n' }, message: 'Begin' });
      const head = await scene.gitIn(fork, 'rev-parse', 'main');
      const text = { title: 'Mine', body: '', head: 'ann:main', base: 'main' };
      const pull = await ann.openPull(repository, text);
      maintainer.comment(scene.thread(pull), '@issuewright Make it louder.');
      // The status has its comment by now: the next one is the patch.
      await scene.untilAgentAsked(2);
      await github.faults.hold({ method, path }).applied;
      await scene.kill();
      await scene.start();
      await scene.untilStatus(pull, /Patched.*It is louder/);
      const answers = () => scene?.comments(pull).filter(({ body }) => /a patch for/.test(body));
      await scene.until('the patch', () => (answers() ?? []).length > 0);
      const isLarge = content === LARGE;
      expect(answers()?.[0]?.body).toContain(isLarge ? '/compare/' : '+Louder\n');
      expect(scene.comments(pull)).toHaveLength(2);
      const branch = `issuewright/pull-${pull.number}`;
      expect(await scene.branches()).toEqual(isLarge ? [branch] : []);
      const made = await scene.git('rev-list', '--count', `${head}..${isLarge ? branch : head}`);
      expect(made).toBe(isLarge ? '1' : '0');
      expect(await scene.gitIn(fork, 'rev-parse', 'main')).toBe(head);
    },
    300_000,
  );
});
