// People stop and ask again, close by mistake, speak late: through the shipped service.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Comment, Issue } from '../../../packages/local-github/src/github/state.ts';
import { Scene } from '../scene.ts';

const call = (tool_name: string, args: Record<string, unknown>) => ({
  say: { plan: 'as scripted', tool_calls: [{ tool_name, arguments: args }] },
});
const WRITE = call('write_file', { path: 'HALF.md', content: 'Half of it' });
const WHICH = call('ask_question', { questions: [{ question: 'Which?', default: 'The first.' }] });
const FINISH = call('finish', { summary: 'It does.', outcome: 'nothing_to_do' });

const SCRIPTS: Script[] = [
  // The second is asked for twice: a stop cuts it off the first time.
  { match: 'Stop and go', turns: [WRITE, FINISH] },
  { match: 'Begin again', turns: [FINISH] },
  { match: 'Closed by mistake', turns: [WHICH, { ...FINISH, when: 'The green one' }] },
  {
    match: 'Last word',
    turns: [FINISH, { ...FINISH, when: 'Zebra' }],
  },
];

describe('stopping and asking again', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ scripts: SCRIPTS });
  });
  afterAll(() => scene.close());

  const says = (issue: Issue, words: string): Comment =>
    scene.maintainer.comment(scene.thread(issue), words);
  const requests = () => scene.agentRequests.length;

  it('stops the work and asks at once for other work: it is begun', async () => {
    const before = requests();
    const replies = scene.holdReplies('Stop and go', 1);
    const issue = scene.ask('Stop and go', '');
    await scene.untilAgentAsked(before + 2);
    says(issue, '/issuewright stop');
    await scene.untilStatus(issue, /stopped/i);
    // The status says so once the stop is admitted; a reply of the model would still count until then.
    await scene.service.untilLogged(new RegExp(`"issue":${issue.number},.*"stopped".*"run ended"`));
    replies.release();
    says(issue, '@issuewright Use tabs instead.');
    await scene.untilStatus(issue, /ready for review|nothing to change/i);
    expect(requests()).toBe(before + 3);
    expect(JSON.stringify(scene.agentRequests.at(-1))).toContain('Use tabs instead.');
  });

  it('asks for a new conversation during a run: that run ends, and another begins at once', async () => {
    const before = requests();
    const replies = scene.holdReplies('Begin again');
    const issue = scene.ask('Begin again', '');
    await scene.untilAgentAsked(before + 1);
    says(issue, '/issuewright new: Use tabs instead.');
    await scene.untilAgentAsked(before + 2);
    replies.release();
    await scene.untilStatus(issue, /ready for review|nothing to change/i);
    expect(requests()).toBe(before + 2);
    const { messages } = JSON.parse(String(scene.agentRequests.at(-1)?.body));
    expect(messages).toHaveLength(2);
    expect(JSON.stringify(messages)).toContain('Use tabs instead.');
  });

  it('closes an issue with an open question and reopens it: the question is open again', async () => {
    const issue = scene.ask('Closed by mistake', '');
    await scene.untilStatus(issue, /waiting for \S+ answer/i);
    await scene.maintainer.close(scene.thread(issue));
    await scene.untilStatus(issue, /stopped/i);
    await scene.maintainer.reopen(scene.thread(issue));
    await scene.untilStatus(issue, /waiting for \S+ answer/i);
    says(issue, 'The green one.');
    await scene.untilStatus(issue, /nothing to change/i);
  });

  it('says something while the last reply is under way: the model hears it', async () => {
    const before = requests();
    const replies = scene.holdReplies('Last word');
    const issue = scene.ask('Last word', '');
    await scene.untilAgentAsked(before + 1);
    const comment = says(issue, 'Call it Zebra.');
    await scene.until('the 👀', () => comment.reactions.some(({ content }) => content === 'eyes'));
    replies.release();
    await scene.untilAgentAsked(before + 2);
    await scene.untilStatus(issue, /nothing to change/i);
    expect(requests()).toBe(before + 2);
  });
});
