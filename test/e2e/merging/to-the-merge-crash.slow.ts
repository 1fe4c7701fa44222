// The service is killed on the way from the change to the merge, and started again: nothing is lost, and nothing is said twice.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue, PullRequest } from '../../../packages/local-github/src/github/state.ts';
import { branchOf, finish, opened } from './merging.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const LINES = { 'a.md': 'one\ntwo\nthree\n' };
const write = (content: string) => say(call('write_file', { path: 'b.md', content }));

let scene: Scene | undefined;
afterEach(() => scene?.close());

type Held = readonly [moment: string, method: string, path: RegExp];

const open = async (script: Script): Promise<Scene> => {
  const files = { ...LINES, '.github/issuewright.yml': 'duplicates: off\n' };
  scene = await Scene.open({ ownDatabase: true, scripts: [script], files });
  return scene;
};

/**
 * Kills the service once GitHub has done what the request asks; its answer is not read. `isMeant`: the request may be an
 * earlier one, whose answer was still to come.
 */
async function killedAt(
  on: Scene,
  [, method, path]: Held,
  begin: () => unknown,
  isMeant: () => boolean = () => true,
): Promise<void> {
  let held = on.github.faults.hold({ method, path });
  await begin();
  for (await held.applied; !isMeant(); await held.applied) {
    const earlier = held;
    held = on.github.faults.hold({ method, path });
    earlier.release();
  }
  await on.kill();
  await on.start();
}

const pullOf = async (on: Scene, issue: Issue): Promise<PullRequest> => {
  await on.untilStatus(issue, /ready for review/i);
  return on.until('the pull request', () => on.pulls()[0]);
};

describe('kill -9 around the review of a change before people’s', () => {
  const script: Script = {
    match: 'Greet',
    turns: [write('Hello\n'), finish('Greets.'), write('Hello, Ann\n'), finish('Greets by name.')],
    reviews: ['- b.md:1: nobody is named', '- b.md:1: it is only one name'],
  };

  it.each<Held>([
    ['when the pull request that was held back was opened', 'POST', /\/pulls$/],
    ['when the reviewed change was marked ready', 'POST', /\/graphql$/],
  ])(
    '%s: the agent gets the findings once, and people those that are left',
    async (...moment) => {
      const on = await open(script);
      let issue: Issue | undefined;
      await killedAt(on, moment, () => {
        issue = on.ask('Greet', 'By name.');
      });
      const pull = await pullOf(on, issue!);
      await on.until('the findings that are left', () =>
        pull.body?.includes('it is only one name'),
      );
      expect(pull.body).not.toContain('nobody is named');
      expect(await on.git('show', `${branchOf(issue!)}:b.md`)).toBe('Hello, Ann');
      expect(on.pulls()).toHaveLength(1);
      const last = on.agentRequests.at(-1)?.body ?? '';
      expect(last.split('Not submitted yet')).toHaveLength(2);
    },
    300_000,
  );
});

describe('kill -9 around the text of a pull request', () => {
  const script: Script = {
    match: 'Greet',
    turns: [write('Hello\n'), finish('Greets.')],
  };

  it('when it was opened: it has its text once', async () => {
    const on = await open(script);
    let issue: Issue | undefined;
    const moment: Held = ['', 'POST', /\/pulls$/];
    await killedAt(on, moment, () => {
      issue = on.ask('Greet', 'By name.');
    });
    const pull = await pullOf(on, issue!);
    await on.until('its text', () => pull.body?.includes('## Checked by Issuewright'));
    expect(on.pulls()).toHaveLength(1);
    expect(pull.body?.split('## Checked by Issuewright')).toHaveLength(2);
  });

  it('when it was edited: the words of people stay', async () => {
    const on = await open(script);
    const { pull } = await opened(on, 'Greet', 'By name.');
    await on.maintainer.change(on.thread(pull), { body: `Before.\n\n${pull.body}\n\nAfter.` });
    await killedAt(on, ['', 'PATCH', /\/pulls\/\d+$/], () => on.maintainer.merge(on.thread(pull)));
    await on.until('the new text', () => pull.body?.includes('**Merged**'));
    expect(pull.body).toMatch(/^Before\.\n[^]*\nAfter\.$/);
    expect(pull.body?.split('## Checked by Issuewright')).toHaveLength(2);
  });
});

describe('kill -9 around a suggestion', () => {
  const script: Script = {
    match: 'Greet',
    turns: [write('Hello\n'), finish('Greets.'), { ...finish('As you say.'), delay_ms: 1_000 }],
  };
  const COMMENT = 'Try this:\n\n```suggestion\nHello, Ann\n```';

  it.each([
    ['when it was applied and the agent works', 'working'],
    ['when it was pushed', 'pushed'],
  ])(
    '%s: it is applied once, and answered once',
    async (_moment, when) => {
      const on = await open(script);
      const { issue, pull } = await opened(on, 'Greet', 'By name.');
      const branch = branchOf(issue);
      const before = await on.git('rev-parse', branch);
      const asked = on.agentRequests.length;
      const { applied } = on.github.faults.hold({ method: 'PATCH', path: /\/git\/refs\// });
      await on.maintainer.review(on.thread(pull), {
        event: 'REQUEST_CHANGES',
        body: 'See.',
        comments: [{ path: 'b.md', line: 1, body: COMMENT }],
      });
      await (when === 'pushed' ? applied : on.untilAgentAsked(asked + 1));
      await on.kill();
      await on.start();
      const replies = () =>
        on.repository.reviewComments.filter(({ author }) => author.type === 'Bot');
      await on.until('the reply', () => replies().length > 0);
      await on.untilStatus(issue, /ready for review/i);
      await on.stop();
      expect(replies().map(({ body }) => body.split('\n')[0])).toEqual([
        expect.stringMatching(/^Applied in [0-9a-f]{7}\.$/),
      ]);
      expect(await on.git('rev-parse', `${branch}~1`)).toBe(before);
      expect(await on.git('show', `${branch}:b.md`)).toBe('Hello, Ann');
    },
    300_000,
  );
});

describe('kill -9 around the last words of a session', () => {
  const script: Script = { match: 'Greet', turns: [write('Hello\n'), finish('Greets.')] };
  const WORTH = { comment: /🎉 Merged: #\d/g, body: /Merged[^\n]*zero touch/g };

  it.each([
    ['when the status comment says it', 'comment', /\/issues\/comments\/\d+$/],
    ['when the pull request says it', 'body', /\/pulls\/\d+$/],
  ] as const)(
    '%s: both say it, once',
    async (name, where, path) => {
      const moment: Held = [name, 'PATCH', path];
      const on = await open(script);
      const { issue, pull } = await opened(on, 'Greet', 'By name.');
      const [status] = on.comments(issue);
      const shown = { comment: () => status?.body ?? '', body: () => pull.body ?? '' };
      const times = (one: keyof typeof WORTH): number =>
        shown[one]().match(WORTH[one])?.length ?? 0;
      await killedAt(
        on,
        moment,
        () => on.maintainer.merge(on.thread(pull)),
        () => times(where) > 0,
      );
      await on.until('the words in both', () => times('comment') > 0 && times('body') > 0);
      await on.stop();
      expect([times('comment'), times('body')]).toEqual([1, 1]);
      expect(on.comments(issue)).toHaveLength(1);
    },
    300_000,
  );
});
