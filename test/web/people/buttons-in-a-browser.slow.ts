// Someone with write access carries a session of the shipped service from its page: approve, answer, pause, stop, retry.
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import { Scene } from '../../e2e/scene.ts';
import { call, say } from '../../e2e/turns.ts';
import { describeInBrowser, Phone } from './phone.ts';

const write = (path: string) => say(call('write_file', { path, content: 'New.\n' }));
const FINISH = say(call('finish', { summary: 'There it is.' }));

const SCRIPTS: Script[] = [
  {
    match: 'Plan it',
    turns: [
      say(call('update_plan', { items: [{ id: '1', title: 'Write RIGHT.md' }] })),
      { ...write('RIGHT.md'), when: 'approved your plan' },
      FINISH,
    ],
  },
  {
    match: 'Ask it',
    turns: [
      say(call('ask_question', { questions: [{ question: 'Which colour?', default: 'Green.' }] })),
      { ...write('COLOUR.md'), when: 'Blue, like the sea' },
      FINISH,
    ],
  },
  { match: 'Take long', turns: [{ ...write('SLOW.md'), delay_ms: 600_000 }, FINISH] },
];

describeInBrowser('the buttons of a session', () => {
  let scene: Scene;
  let phone: Phone;

  beforeAll(async () => {
    scene = await Scene.open({ hasSignIn: true, scripts: SCRIPTS });
    phone = await Phone.start(scene);
  });
  afterAll(async () => {
    await phone?.close();
    await scene?.close();
  });
  beforeEach(() => phone.forget());

  const said = ({ number }: Issue): string[] =>
    scene.repository.comments
      .filter(
        ({ issueNumber, author }) => issueNumber === number && author.login === SAMPLE.maintainer,
      )
      .map(({ body }) => body);

  /** The page of an issue's session, in a state, for someone who has signed in. */
  async function open(issue: Issue, state: string): Promise<void> {
    const path = await scene.until(`a session that is ${state}`, async () => {
      const list = await scene.stage.readPage(`/sessions?q=${encodeURIComponent(issue.title)}`);
      return list.includes(state) ? /href="(\/sessions\/[\w-]+)"/.exec(list)?.[1] : undefined;
    });
    await phone.open(path);
    await phone.signIn(SAMPLE.maintainer);
  }
  const badge = (words: string) => phone.page.locator('#head .badge', { hasText: words }).waitFor();

  it('approve a plan', async () => {
    const issue = scene.maintainer.openIssue(scene.repository, {
      title: 'Plan it',
      body: '',
      labels: [SAMPLE.label, 'issuewright:plan'],
    });
    await open(issue, 'Waiting for approval');
    await phone.look('approve');
    await phone.press('Approve the plan');
    await badge('Ready for review');
    // It outlives the updates of the page.
    expect(await phone.page.getByText('Your comment is on GitHub').isVisible()).toBe(true);
    expect(said(issue)).toEqual(['/issuewright approve']);
    expect(phone.faults).toEqual([]);
  });

  it('answer a question, without losing what is being written when the page updates itself', async () => {
    const issue = scene.ask('Ask it', '');
    await open(issue, 'Waiting for an answer');
    await phone.look('answer');
    await phone.page.getByLabel('Your answer').fill('Blue, like');
    scene.github.as('stranger').comment(scene.thread(issue), 'I like red.');
    await phone.page.getByText('I like red.').first().waitFor();
    await phone.page.getByLabel('Your answer').press('End');
    await phone.page.keyboard.type(' the sea');
    await phone.press('Answer');
    await badge('Ready for review');
    expect(said(issue)).toEqual(['Blue, like the sea']);
  });

  it('pause, resume, stop and retry the work, and change with it while the page is open', async () => {
    const issue = scene.ask('Take long', '');
    await open(issue, 'Working');
    await phone.press('Pause');
    await badge('Paused');
    await phone.press('Resume');
    await badge('Working');
    await phone.press('Stop');
    await badge('Stopped');
    await phone.look('stopped');
    await phone.press('Retry');
    await badge('Working');
    const commands = ['pause', 'resume', 'stop', 'retry'].map((one) => `/issuewright ${one}`);
    expect(said(issue)).toEqual(commands);
    await phone.press('Stop');
    await badge('Stopped');
  });
});
