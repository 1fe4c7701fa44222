// The service is killed around a fix of failed checks, and started again: one fix, one comment.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { failsOnTodo } from './ci-script.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const write = (content: string) => ({
  ...say(call('write_file', { path: 'src/greet.js', content })),
  delay_ms: 100,
});
const commit = { ...say(call('commit', { message: 'Greet' })), delay_ms: 100 };
const finish = say(call('finish', { summary: 'Greets.' }));

const SCRIPT: Script = {
  match: 'Greet',
  turns: [
    write('// TODO\n'),
    commit,
    finish,
    { ...write('export const greet = () => 1;\n'), when: '# Checks failed on commit' },
    commit,
    finish,
  ],
};

describe('kill -9 of the service, and a start', () => {
  let scene: Scene | undefined;
  afterEach(() => scene?.close());

  it.each<[string, (scene: Scene, ask: () => unknown) => Promise<unknown>]>([
    ['after the failure was journaled', async (_scene, ask) => ask()],
    [
      'in the middle of the fix',
      async (on, ask) => {
        await ask();
        on.maintainer.react(await asking(on), '+1');
        await on.untilAgentAsked(5);
      },
    ],
  ])(
    '%s, leads to one fix and one comment',
    async (_name, moment) => {
      scene = await Scene.open({
        ownDatabase: true,
        scripts: [SCRIPT],
        granted: { checks: 'read', statuses: 'read', actions: 'read' },
      });
      const here = scene;
      here.github.ci(here.repository).script(failsOnTodo());
      const issue = here.ask('Greet', 'By name.');
      await moment(here, () => asking(here));
      await here.kill();
      await here.start();
      const asked = await asking(here);
      if (!asked.reactions.some(({ content }) => content === '+1'))
        here.maintainer.react(asked, '+1');
      await here.until('the checks to pass', () =>
        here.comments(issue).some(({ body }) => body.includes('passed after 1 round of fixes')),
      );
      const [pull] = here.pulls();
      const count = await here.git('rev-list', '--count', `main..${pull?.pull.head ?? ''}`);
      expect(count).toBe('2');
      expect(here.repository.comments.filter(isAsking)).toHaveLength(1);
    },
    300_000,
  );
});

const isAsking = ({ body }: { readonly body: string }): boolean =>
  body.includes('To let me fix this');

const asking = (scene: Scene) =>
  scene.until('the comment that asks', () => scene.repository.comments.find(isAsking));
