// A pull request in a merge queue: it waits there, and people are told if its checks fail in the queue.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExtraRepository } from '../extra-repository.ts';
import { Scene } from '../scene.ts';
import {
  branchOf,
  cleanMerge,
  lines,
  LINES,
  parentsOf,
  pushTo,
  opened,
  untilMerged,
} from './merging.ts';
import { failsOnTodo } from './ci-script.ts';

const TOLD =
  /@octo-maintainer Checks failed in the merge queue, so GitHub removed this pull request/;
const GRANTED = { checks: 'write', statuses: 'read', actions: 'read' } as const;

describe('a pull request that GitHub takes out of a merge queue', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ scripts: [cleanMerge], files: LINES, granted: GRANTED });
  });
  afterAll(() => scene.close());

  it('because checks failed there is said to be so, once, and can be merged with its base', async () => {
    const { issue, pull } = await opened(scene, 'Clean merge');
    const asked = scene.agentRequests.length;
    const queue = scene.github.ci(scene.repository);
    queue.enqueue(pull.number);
    await pushTo(scene, 'main', { 'b.txt': lines([1, 'theirs']) });
    queue.dequeue(pull.number, 'MANUAL');
    queue.enqueue(pull.number);
    queue.dequeue(pull.number, 'CI_FAILURE');
    await scene.github.webhooksSent();
    const told = () => scene.comments(pull).filter(({ body }) => TOLD.test(body));
    await scene.until('the comment', () => told().length > 0);
    const left = scene.github.deliveries.filter(({ action }) => action === 'dequeued');
    for (const { guid } of left) await scene.github.deliverAgainWithOtherGuid(guid);
    await scene.untilStatus(issue, /ready for review/i);
    expect(await parentsOf(scene, branchOf(issue))).toHaveLength(1);
    expect(scene.agentRequests).toHaveLength(asked);

    scene.maintainer.comment(scene.thread(pull), '/issuewright resolve');
    await untilMerged(scene, branchOf(issue));
    await scene.untilStatus(issue, /ready for review/i);
    expect(told()).toHaveLength(1);
    expect(scene.agentRequests).toHaveLength(asked);
  });

  it('is not spoken of if the settings say `fix_ci: off`', async () => {
    const files = { ...LINES, '.github/issuewright.yml': 'fix_ci: off\n' };
    const here = await ExtraRepository.open(scene, 'off', 70, files);
    const queue = scene.github.ci(here.repository);
    queue.script(failsOnTodo());
    const issue = here.ask('Clean merge');
    await here.untilStatus(issue, /ready for review/i);
    const pull = await here.untilPull();
    await scene.until('the checks to be heard of', async () =>
      (await here.page(issue)).includes('not looked at, because the settings say'),
    );
    queue.enqueue(pull.number);
    queue.dequeue(pull.number, 'CI_FAILURE');
    await scene.until('the end of the wait', async () =>
      (await here.page(issue)).includes('left the merge queue'),
    );
    here.say(pull, '/issuewright status');
    await scene.until('the reaction', () =>
      here.repository.comments.some(({ reactions }) => reactions.length > 0),
    );
    expect(here.comments(pull)).toBe('');
  });
});
