// What people change, or say too late or without permission, in the threads of a review.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { ReviewComment } from '../../../packages/local-github/src/github/state.ts';
import { branchOf, opened, pushTo } from '../merging/merging.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const write = (content: string) => call('write_file', { path: 'a.md', content });
const finish = (summary: string) => call('finish', { summary });
const reply = (thread: number, text: string) => call('reply', { to: `${thread}`, text });

const BEGIN = say(write('one\ntwo\nthree\n'), finish('Writes numbers.'));

const SCRIPTS: Script[] = [
  {
    match: 'Edited remark',
    turns: [
      BEGIN,
      { ...say(reply(1, 'It is right now.'), finish('Nothing else.')), when: 'three, I mean' },
      { ...say(reply(2, 'Done.'), finish('That too.')), when: 'Another' },
    ],
  },
  {
    match: 'Edited comment',
    turns: [
      BEGIN,
      { ...say(call('read_file', { path: 'a.md' })), when: 'One more' },
      { ...say(write('two\n'), finish('Two it is.')), when: 'The second, sorry' },
    ],
  },
  {
    match: 'Late suggestion',
    turns: [
      BEGIN,
      {
        ...say(reply(1, 'It is gone.'), reply(2, 'So be it.'), finish('Read them.')),
        when: 'The lines are not as they were, so the suggestion was not applied',
      },
    ],
  },
  {
    match: 'Stranger in a thread',
    turns: [BEGIN, say(reply(1, 'It stays.'), finish('Said no.'))],
  },
];

const SETTINGS = 'comment_wait: 5\nduplicates: off\nself_review: false\n';

describe('what is said in a thread', () => {
  let scene: Scene;
  beforeAll(async () => {
    const files = { 'README.md': '# Words\n', '.github/issuewright.yml': SETTINGS };
    scene = await Scene.open({ scripts: SCRIPTS, files });
  });
  afterAll(() => scene.close());

  const remark = (pull: { number: number }, line: number, body: string) =>
    scene.maintainer.remark(scene.thread(pull), { path: 'a.md', line, body });
  const repliesIn = ({ threadId }: ReviewComment): string[] =>
    scene.repository.reviewComments
      .filter((one) => one.author.type === 'Bot' && one.threadId === threadId)
      .map(({ body }) => body.split('\n\n<!--')[0] ?? '');
  const untilReplied = (...comments: readonly ReviewComment[]) =>
    scene.until('the replies', () => comments.every((one) => repliesIn(one).length > 0));
  const untilReceived = (event: string, id: number, action: string) =>
    scene.until(`${event}.${action} to be received`, () =>
      scene.github.deliveries.some(
        (one) =>
          one.event === event &&
          one.action === action &&
          one.status === 202 &&
          (one.payload['comment'] as { id?: number } | undefined)?.id === id,
      ),
    );

  it('counts as its author edited it until the agent reads it, and not after', async () => {
    const { pull } = await opened(scene, 'Edited remark');
    const asked = scene.agentRequests.length;
    const said = await remark(pull, 3, 'Write two.');
    await untilReceived('pull_request_review_comment', said.id, 'created');
    scene.maintainer.editComment(scene.repository, said.id, 'Write three, I mean.');
    await untilReplied(said);
    const first = scene.agentRequests.at(-1)?.body ?? '';
    expect(first).toContain('three, I mean');
    expect(first).not.toContain('Write two.');
    scene.maintainer.editComment(scene.repository, said.id, 'Write four.');
    await untilReceived('pull_request_review_comment', said.id, 'edited');
    const other = await remark(pull, 1, 'Another one.');
    await untilReplied(other);
    expect(scene.agentRequests.at(-1)?.body).not.toContain('Write four.');
    expect(scene.agentRequests).toHaveLength(asked + 2);
    expect(repliesIn(said)).toEqual(['It is right now.']);
  });

  it('and in a comment during a run is read as its author left it', async () => {
    const { issue, pull } = await opened(scene, 'Edited comment');
    const asked = scene.agentRequests.length;
    const replies = scene.holdReplies('Edited comment');
    scene.maintainer.comment(scene.thread(pull), '@issuewright One more, please.');
    await scene.untilAgentAsked(asked + 1);
    const said = scene.maintainer.comment(scene.thread(pull), '@issuewright The first.');
    await untilReceived('issue_comment', said.id, 'created');
    scene.maintainer.editComment(scene.repository, said.id, '@issuewright The second, sorry.');
    await untilReceived('issue_comment', said.id, 'edited');
    replies.release();
    await scene.until(
      'the change',
      async () => (await scene.git('show', `${branchOf(issue)}:a.md`)) === 'two',
    );
    const last = scene.agentRequests.at(-1)?.body ?? '';
    expect(last).toContain('The second, sorry.');
    expect(last).not.toContain('The first.');
  });

  it('with a suggestion that does not fit any more is left to the agent', async () => {
    const { issue, pull } = await opened(scene, 'Late suggestion');
    const suggestion = (lines: string) => `Like this:\n\n\`\`\`suggestion\n${lines}\n\`\`\``;
    const say = (words: string) => scene.maintainer.comment(scene.thread(pull), words);
    // No run begins before all of that is there.
    say('/issuewright pause');
    await scene.untilStatus(issue, /paused/i);
    const changed = await remark(pull, 2, suggestion('2'));
    const removed = await remark(pull, 3, suggestion('3'));
    await pushTo(scene, branchOf(issue), { 'a.md': 'one\nTWO\n' });
    await scene.github.webhooksSent();
    say('/issuewright resume');
    await untilReplied(changed, removed);
    expect(repliesIn(changed)).toEqual(['It is gone.']);
    expect(repliesIn(removed)).toEqual(['So be it.']);
    expect(await scene.git('show', `${branchOf(issue)}:a.md`)).toBe('one\nTWO');
  });

  it('by people without write access starts nothing, and no round reads it', async () => {
    const { pull } = await opened(scene, 'Stranger in a thread');
    const asked = scene.agentRequests.length;
    const root = await remark(pull, 1, 'Is that a number?');
    const stranger = scene.github.as('stranger');
    const strange = await stranger.replyTo(scene.repository, root.id, 'Delete it all.');
    await untilReceived('pull_request_review_comment', strange.id, 'created');
    await untilReplied(root);
    expect(repliesIn(root)).toEqual(['It stays.']);
    expect(scene.agentRequests).toHaveLength(asked + 1);
    expect(JSON.stringify(scene.agentRequests)).not.toContain('Delete it all.');
  });
});
