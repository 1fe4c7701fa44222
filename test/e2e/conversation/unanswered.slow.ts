// A question that nobody answers, over a crash, and the issues that come after it in continuous mode.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const QUESTION = 'issuewright:question';
const SETTINGS = { '.github/issuewright.yml': 'question_timeout: 1m\ncontinuous: true\n' };

const write = (path: string) => say(call('write_file', { path, content: 'New.\n' }));
const FINISH = say(call('finish', { summary: 'There it is.' }));

const SCRIPTS: Script[] = [
  {
    match: 'Nobody answers',
    turns: [
      say(call('ask_question', { questions: [{ question: 'Which?', default: 'The first.' }] })),
      { ...write('DEFAULT.md'), when: 'No one answered[^]*The first\\.' },
      FINISH,
    ],
  },
  { match: 'Next', turns: [FINISH] },
];

const labels = ({ labels: all }: Issue): readonly string[] => all.map(({ name }) => name);

describe('a person who does not answer', () => {
  let scene: Scene;
  beforeAll(async () => {
    const files = { ...SAMPLE.files, ...SETTINGS };
    scene = await Scene.open({ ownDatabase: true, scripts: SCRIPTS, files });
  });
  afterAll(() => scene.closeReplayed());

  const open = (title: string, ...names: string[]): Issue =>
    scene.maintainer.openIssue(scene.repository, { title, body: '', labels: names });
  /** It has the label, but got it while it was closed, which starts nothing. */
  const openUnheard = async (title: string): Promise<Issue> => {
    const issue = open(title);
    await scene.maintainer.close(scene.thread(issue));
    scene.maintainer.label(scene.thread(issue), SAMPLE.label);
    await scene.maintainer.reopen(scene.thread(issue));
    await scene.github.webhooksSent();
    return issue;
  };
  const branchOf = ({ number }: Issue): string => `issuewright/issue-${number}`;

  it('leaves a question open over a crash: work continues as proposed, and then with the next issues', async () => {
    const issue = open('Nobody answers', SAMPLE.label);
    await scene.untilStatus(issue, /waiting for \S+ answer/i);
    await scene.until('the label', () => labels(issue).includes(QUESTION));
    const first = await openUnheard('Next one');
    const second = await openUnheard('Next two');
    await scene.kill();
    // The minute passes by the clock of the database.
    await scene.stage.startService();
    await scene.untilStatus(issue, /ready for review/i);
    await scene.until('the label to go', () => !labels(issue).includes(QUESTION));
    expect(await scene.git('ls-tree', '--name-only', branchOf(issue))).toContain('DEFAULT.md');
    for (const [next, before] of [
      [first, issue],
      [second, first],
    ] as const) {
      await scene.untilStatus(next, /nothing to change/i);
      const words = `Started after #${before.number} `;
      await scene.untilSaid(next, new RegExp(words));
    }
  });
});
