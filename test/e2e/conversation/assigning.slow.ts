// Assigning an issue starts work, as the label does, through the shipped service.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import { DEFAULT_LABEL } from '../../../src/session/settings/index.ts';
import { until } from '../../contract/store-world.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const MACHINE = 'Our-Machine';
const TRIAGER = 'triager';
const OURSELVES = 'issuewright[bot]';

const DONE = say(call('finish', { summary: 'Seen.', outcome: 'nothing_to_do' }));
const QUESTION = say(call('ask_question', { questions: [{ question: 'Which?' }] }));
const SCRIPTS: readonly Script[] = [
  { match: 'Ask me', turns: [QUESTION] },
  { turns: [DONE, DONE] },
];

describe('an issue', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({
      scripts: SCRIPTS,
      people: [MACHINE, TRIAGER],
      environment: { ASSIGNEE_LOGIN: MACHINE.toLowerCase() },
    });
    scene.repository.collaborators.set(MACHINE, 'read');
    scene.repository.collaborators.set(TRIAGER, 'triage');
    scene.github.appOwner.change({ isAssignable: true });
  });
  afterAll(() => scene.close());

  const open = (title: string, labels: readonly string[] = []): Issue =>
    scene.maintainer.openIssue(scene.repository, { title, body: '', labels });
  const ours = (issue: Issue) =>
    scene.comments(issue).filter(({ author }) => author.login === OURSELVES);
  const untilAnswered = async () => {
    await scene.github.webhooksSent();
    expect(scene.github.deliveries.filter(({ status }) => status !== 202)).toEqual([]);
  };

  it('that is assigned to the account that stands for the App is worked on', async () => {
    const issue = open('Look at this');
    scene.maintainer.assign(scene.thread(issue), MACHINE);
    await scene.untilStatus(issue, /nothing to change/i);
    expect(issue.reactions.map(({ content }) => content)).toContain('eyes');
    const before = scene.agentRequests.length;
    scene.maintainer.unassign(scene.thread(issue), MACHINE);
    await untilAnswered();
    // GitHub's times are whole seconds: what is done twice within one counts once.
    const second = Math.floor(Date.now() / 1_000);
    await until('the next second', () => Math.floor(Date.now() / 1_000) > second);
    scene.maintainer.assign(scene.thread(issue), MACHINE);
    await scene.untilAgentAsked(before + 1);
  });

  it('that is assigned to the App itself is worked on, where GitHub allows that', async () => {
    const before = scene.agentRequests.length;
    const issue = open('Yours');
    scene.maintainer.assign(scene.thread(issue), OURSELVES);
    await scene.untilStatus(issue, /nothing to change/i);
    expect(scene.agentRequests).toHaveLength(before + 1);
  });

  it('that is assigned and labelled at once is worked on once', async () => {
    const before = scene.agentRequests.length;
    const issue = open('Twice the same', [DEFAULT_LABEL]);
    scene.maintainer.assign(scene.thread(issue), MACHINE);
    await scene.untilStatus(issue, /nothing to change/i);
    await untilAnswered();
    expect(scene.agentRequests).toHaveLength(before + 1);
  });

  it('whose assignment is taken back stops', async () => {
    const issue = open('Ask me');
    scene.maintainer.assign(scene.thread(issue), MACHINE);
    await scene.untilStatus(issue, /waiting for \S+ answer/i);
    scene.maintainer.unassign(scene.thread(issue), MACHINE);
    const status = await scene.untilStatus(issue, /unassigned Our-Machine/);
    expect(status.body).toContain('Stopped');
  });

  it('that is assigned to somebody else, or by somebody who may not ask, is left alone', async () => {
    const before = scene.agentRequests.length;
    const theirs = open('For a person');
    scene.maintainer.assign(scene.thread(theirs), SAMPLE.maintainer);
    const denied = open('By a triager');
    scene.github.as(TRIAGER).assign(scene.thread(denied), MACHINE);
    await scene.until('an answer to the triager', () => ours(denied).length > 0);
    expect(ours(denied)[0]?.body).toContain('unassign Our-Machine and assign it again');
    expect(ours(theirs)).toEqual([]);
    expect(scene.agentRequests).toHaveLength(before);
  });
});
