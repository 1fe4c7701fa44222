// Plans that people agree to, and questions, through the shipped service. More: unanswered.slow.ts
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import type { Comment, Issue } from '../../../packages/local-github/src/github/state.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const FILE = '.github/issuewright.yml';
const PLAN = 'issuewright:plan';
const QUESTION = 'issuewright:question';

const plan = (...titles: string[]) =>
  say(call('update_plan', { items: titles.map((title, at) => ({ id: String(at), title })) }));
const write = (path: string) => say(call('write_file', { path, content: 'New.\n' }));
const FINISH = say(call('finish', { summary: 'There it is.' }));

const SCRIPTS: Script[] = [
  {
    match: 'Plan it',
    turns: [
      write('EARLY.md'),
      { ...plan('Write WRONG.md'), when: 'the plan is not approved yet' },
      { ...plan('Write RIGHT.md', 'Say so'), when: 'name it RIGHT' },
      { ...write('RIGHT.md'), when: 'approved your plan' },
      FINISH,
    ],
  },
  {
    match: 'Ask two',
    turns: [
      say(
        call('ask_question', {
          questions: [
            { question: 'Which colour?', default: 'Green.' },
            { question: 'Which size?', default: 'Small.' },
          ],
        }),
      ),
      { ...write('PART.md'), when: '> 2\\. Large[^]*1\\. Which colour[^]*Default: Green\\.' },
      FINISH,
    ],
  },
];

const labels = ({ labels: all }: Issue): readonly string[] => all.map(({ name }) => name);

describe('a person in the middle', () => {
  let scene: Scene;
  beforeAll(async () => {
    const files = { ...SAMPLE.files, [FILE]: 'question_timeout: 1m\n' };
    scene = await Scene.open({ ownDatabase: true, scripts: SCRIPTS, files });
  });
  afterAll(() => scene.closeReplayed());

  const open = (title: string, ...names: string[]): Issue =>
    scene.maintainer.openIssue(scene.repository, { title, body: '', labels: names });
  const textOf = (issue: Issue): string =>
    scene
      .comments(issue)
      .map(({ body }) => body)
      .join('\n');
  const plans = (issue: Issue): Comment[] =>
    scene.comments(issue).filter(({ body }) => body.includes(':plan:'));
  const branchOf = ({ number }: Issue): string => `issuewright/issue-${number}`;

  it('sees the plan, has it changed, and agrees to it with 👍', async () => {
    const issue = open('Plan it', SAMPLE.label, PLAN);
    await scene.until('the plan', () => plans(issue).length === 1);
    await scene.untilStatus(issue, /waiting for approval/i);
    expect(textOf(issue)).toContain(`@${SAMPLE.maintainer} Here is my plan.`);
    expect(await scene.branches()).toEqual([]);
    scene.maintainer.comment(scene.thread(issue), 'ok but name it RIGHT.md');
    const [, second] = await scene.until('the other plan', () => {
      const all = plans(issue);
      return all.length === 2 ? all : undefined;
    });
    if (second === undefined) throw new Error('no second plan');
    scene.github.as('stranger').react(second, '+1');
    scene.maintainer.react(second, '+1');
    await scene.untilStatus(issue, /ready for review/i);
    expect(await scene.git('ls-tree', '--name-only', branchOf(issue))).toContain('RIGHT.md');
    expect(textOf(issue)).toContain(`Plan approved by ${SAMPLE.maintainer}:`);
  });

  it('answers one of two questions, and the default holds for the other', async () => {
    const issue = open('Ask two', SAMPLE.label);
    await scene.untilStatus(issue, /waiting for \S+ answer/i);
    await scene.until('the label', () => labels(issue).includes(QUESTION));
    scene.maintainer.comment(scene.thread(issue), '2. Large');
    await scene.untilStatus(issue, /ready for review/i);
    await scene.until('the label to go', () => !labels(issue).includes(QUESTION));
    expect(await scene.git('ls-tree', '--name-only', branchOf(issue))).toContain('PART.md');
  });
});
