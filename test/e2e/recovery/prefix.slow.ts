// What a provider's cache holds of a session: each request begins with the whole one before it, tools first, in every run.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { branchOf, CONFLICTS, lines, LINES, pushTo } from '../merging/merging.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const write = (...changed: [number, string][]) =>
  call('write_file', { path: 'a.txt', content: lines(...changed) });

const SCRIPT: Script = {
  match: 'Many runs',
  turns: [
    say(call('read_file', { path: 'a.txt' })),
    say(call('list_directory', { path: '.' })),
    say(call('ask_question', { questions: [{ question: 'Which line?', default: 'line 3' }] })),
    say(write([3, 'ours']), call('finish', { summary: 'Change line 3' })),
    say(
      write([3, 'reviewed']),
      call('reply', { to: '1', text: 'It is.' }),
      call('finish', { summary: 'As reviewed' }),
    ),
    { ...say(write([3, 'both'])), when: CONFLICTS },
    say(call('finish', { summary: 'Keep both' })),
    { ...say(write([3, 'both'], [5, 'more'])), when: 'The workspace is now a fresh clone' },
    say(call('finish', { summary: 'Change line 5 too' })),
  ],
};

interface Body {
  readonly tools: readonly unknown[];
  readonly messages: readonly unknown[];
}

/** In the order in which a cache reads it, without the end of the list of messages. */
function readByCache(body: string): string {
  const { tools, messages } = JSON.parse(body) as Body;
  return `${JSON.stringify(tools)}${JSON.stringify(messages).slice(0, -1)}`;
}

let scene: Scene;
beforeAll(async () => {
  scene = await Scene.open({ scripts: [SCRIPT], files: LINES });
});
afterAll(() => scene.closeReplayed());

it('every request of a session begins with the one before it, over a restart, an answer, a review, a conflict and a push', async () => {
  const replies = scene.holdReplies('Many runs', 1);
  const issue = scene.ask('Many runs', '');
  await scene.untilAgentAsked(2);
  await scene.kill();
  replies.release();
  await scene.start();
  await scene.untilSaid(issue, /Which line\?/);
  scene.maintainer.comment(scene.thread(issue), 'Line 3.');
  await scene.untilStatus(issue, /ready for review/i);
  const pull = scene.pulls().find((one) => one.pull.head === branchOf(issue));
  if (pull === undefined) throw new Error('no pull request was opened');
  const finished = (summary: string) =>
    scene.until(summary, async () =>
      (await scene.git('log', '--format=%s', branchOf(issue))).includes(summary),
    );
  await scene.maintainer.review(scene.thread(pull), {
    event: 'REQUEST_CHANGES',
    body: 'Nearly.',
    comments: [{ path: 'a.txt', line: 4, body: 'Is this reviewed?' }],
  });
  await finished('As reviewed');
  await scene.untilStatus(issue, /ready for review/i);
  await pushTo(scene, 'main', { 'a.txt': lines([3, 'theirs']) });
  await finished('Keep both');
  await scene.untilStatus(issue, /ready for review/i);
  await pushTo(scene, branchOf(issue), { 'people.txt': 'theirs' });
  scene.maintainer.comment(scene.thread(pull), '@issuewright change line 5 too');
  await finished('Change line 5 too');
  const requests = scene.agentRequests.map(({ body }) => readByCache(body));
  // The request that the process died with is made again.
  expect(requests).toHaveLength(SCRIPT.turns.length + 1);
  const breaks = requests.slice(1).filter((request, at) => !request.startsWith(requests[at] ?? ''));
  expect(breaks).toEqual([]);
});
