// Whom the settings let ask and answer, and for how long a question waits, through the shipped service.
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import { Scene } from '../scene.ts';

const SETTINGS = `who: admin
answers_from: author
question_timeout: { after: 1m, action: pause }
`;

const call = (tool_name: string, args: Record<string, unknown>) => ({
  say: { plan: 'as scripted', tool_calls: [{ tool_name, arguments: args }] },
});
const WHICH = call('ask_question', { questions: [{ question: 'Which?', default: 'The first.' }] });
const FINISH = call('finish', { summary: 'It does.', outcome: 'nothing_to_do' });

const SCRIPTS: Script[] = [
  { match: 'Author answers', turns: [WHICH, { ...FINISH, when: 'stranger[^]*The third\\.' }] },
  { match: 'Nobody answers', turns: [WHICH, { ...FINISH, when: 'maintainer[^]*The fourth\\.' }] },
];

/** Lets the service believe that it was down for longer than a question waits. */
const LATER = path.resolve('test/support/jest/later-clock.js');

describe('settings for permissions to ask and answer', () => {
  let scene: Scene;
  beforeAll(async () => {
    const files = { ...SAMPLE.files, '.github/issuewright.yml': SETTINGS };
    scene = await Scene.open({ ownDatabase: true, scripts: SCRIPTS, files, people: ['writer'] });
    scene.repository.collaborators.set('writer', 'write');
  });
  afterAll(() => scene.close());

  const textOf = (issue: Issue): string =>
    scene
      .comments(issue)
      .map(({ body }) => body)
      .join('\n');

  it('with write access asks in vain, and the author of the issue answers', async () => {
    const body = 'Author answers.';
    const issue = scene.github.as('stranger').openIssue(scene.repository, { title: 'Mine', body });
    scene.github.as('writer').label(scene.thread(issue), SAMPLE.label);
    await scene.until('the rejection', () =>
      /@writer[^]*An administrator has to start me/.test(textOf(issue)),
    );
    expect(scene.agentRequests).toEqual([]);

    scene.maintainer.comment(scene.thread(issue), '/issuewright run');
    await scene.untilStatus(issue, /waiting for \S+ answer/i);
    scene.github.as('writer').comment(scene.thread(issue), 'The second.');
    scene.github.as('stranger').comment(scene.thread(issue), 'The third.');
    await scene.untilStatus(issue, /nothing to change/i);
    expect(JSON.stringify(scene.agentRequests)).not.toContain('The second.');
  });

  it('a question that is not answered in time pauses the work, and an answer resumes it', async () => {
    const issue = scene.ask('Nobody answers', '');
    await scene.untilStatus(issue, /waiting for \S+ answer/i);
    const asked = scene.agentRequests.length;
    await scene.kill();
    await scene.stage.startService({ NODE_OPTIONS: `--import=${LATER}` });
    await scene.untilStatus(issue, /paused: no answer in time/i);
    expect(scene.agentRequests).toHaveLength(asked);
    scene.maintainer.comment(scene.thread(issue), 'The fourth.');
    await scene.untilStatus(issue, /nothing to change/i);
  });
});
