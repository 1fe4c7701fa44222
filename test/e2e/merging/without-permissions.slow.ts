// Without an optional permission: a sentence says what is missing, and the work continues to the merge.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { OPTIONAL_PERMISSIONS, PERMISSIONS } from '../../../src/github/access/permissions.ts';
import { failsOnTodo } from './ci-script.ts';
import { ExtraRepository } from '../extra-repository.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const write = (content: string) => call('write_file', { path: 'src/greet.js', content });
const finish = (summary: string) => call('finish', { summary });
const reply = (thread: number, text: string) => call('reply', { to: `${thread}`, text });

const script: Script = {
  match: 'Greet',
  turns: [
    say(write('// TODO\n'), finish('Greets.')),
    say(write('export const greet = 1;\n'), reply(1, 'It greets now.'), finish('Greets politely.')),
  ],
};

const UNSEEN = "I can't see the checks of #2. The App lacks the permission";
const { checks: _checks, ...withoutChecks } = OPTIONAL_PERMISSIONS;
const { statuses: _statuses, ...withoutStatuses } = OPTIONAL_PERMISSIONS;
const { actions: _actions, ...withoutActions } = OPTIONAL_PERMISSIONS;

/** What is granted besides what is required, what is said, and whether our check run is there. */
const CASES = [
  ['any optional permission', {}, UNSEEN, false],
  ['checks', withoutChecks, `${UNSEEN} \`checks: read\``, false],
  ['checks: write', { ...withoutChecks, checks: 'read' }, '1 check failed', false],
  ['statuses', withoutStatuses, `${UNSEEN} \`statuses: read\``, true],
  ['actions', withoutActions, 'The App lacks the permission `actions: read`', true],
  [
    'workflows',
    OPTIONAL_PERMISSIONS,
    '`workflows: ask`: The App lacks the permission `workflows: write`',
    true,
  ],
] as const;

describe('without the permission', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ scripts: [script], granted: OPTIONAL_PERMISSIONS });
  });
  afterAll(() => scene.close());

  it.each(CASES)(
    '%s, a sentence says what is missing, and the story continues to the merge',
    async (name, granted, sentence, hasCheckRun) => {
      const installation = 60 + CASES.findIndex(([one]) => one === name);
      const settings = 'fix_ci: ask\nworkflows: ask\ncomment_wait: 0\n';
      const files = { '.github/issuewright.yml': settings };
      const repository = name.replaceAll(/\W+/g, '-');
      const here = await ExtraRepository.open(scene, `no-${repository}`, installation, files);
      scene.github.ci(here.repository).script(failsOnTodo('not ok'));
      scene.github.installations.grant(installation, { ...PERMISSIONS, ...granted });
      const issue = here.ask('Greet');
      await here.untilStatus(issue, /ready for review|checks failed/i);
      const pull = await here.untilPull();
      await scene.until('the sentence', () =>
        (here.status(issue) + here.comments(pull)).includes(sentence),
      );
      const line = { path: 'src/greet.js', line: 1, body: 'Greet, please.' };
      const comment = await scene.maintainer.remark(here.thread(pull), line);
      await scene.until('the reply', () =>
        here.repository.reviewComments.some(
          ({ threadId, author }) => threadId === comment.threadId && author.type === 'Bot',
        ),
      );
      await here.untilStatus(issue, /ready for review/i);
      const own = () => here.repository.checks.runs.some(({ name: run }) => run === 'Issuewright');
      await scene.until('the check run, if it may be written', () => own() === hasCheckRun);
      await scene.maintainer.merge(here.thread(pull));
      await here.untilStatus(issue, /Merged: #2/);
      expect(own()).toBe(hasCheckRun);
    },
    300_000,
  );
});
