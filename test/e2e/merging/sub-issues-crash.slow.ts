// A labelled issue with sub-issues, from the label to the last merge: the service is killed on the way, and started again.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue, PullRequest } from '../../../packages/local-github/src/github/state.ts';
import { JournalGate } from '../../faults/journal-gate.ts';
import { inspect, readSessions } from '../../faults/invariants.ts';
import { World } from '../../faults/world.ts';
import { branchOf, finish } from './merging.ts';
import { call, say } from '../turns.ts';

const NAMES = ['Ann', 'Ben', 'Cem'];

/** The text of each names nobody else: the titles of the others are background of each. */
const scriptOf = (name: string): Script => ({
  match: `Say hello to ${name}`,
  turns: [
    say(call('write_file', { path: `${name}.md`, content: `Hello, ${name}\n` })),
    finish(`Greets ${name}.`),
  ],
});

let world: World | undefined;
afterEach(() => world?.close());

/** Resolves when the moment is there. */
type Moment = (on: World) => Promise<() => Promise<unknown>>;

/** The start of a sub-issue is durable, and the journal of its parent does not name it. */
const startedUnknown =
  (number: number): Moment =>
  async (on) => {
    const condition = `new.type = 'sub_issues_read' and new.body like '%"started":${number}%'`;
    const gate = await JournalGate.close(on, condition);
    return async () => {
      await gate.reached(new AbortController().signal);
      await on.kill();
      await gate.open();
    };
  };

/** GitHub did what the request asks, and its answer is not read. */
const answerUnread =
  (method: string, path: RegExp): Moment =>
  async (on) => {
    const { applied } = on.stage.github.faults.hold({ method, path });
    return async () => {
      await applied;
      await on.kill();
    };
  };

const MOMENTS: readonly (readonly [string, Moment, Moment])[] = [
  [
    'once the first two were started and their parent did not know',
    startedUnknown(2),
    startedUnknown(3),
  ],
  [
    'when GitHub opened the first pull request, and when it listed the sub-issues after the merge',
    answerUnread('POST', /\/pulls$/),
    answerUnread('GET', /\/issues\/1\/sub_issues$/),
  ],
];

/** An issue with three sub-issues. */
async function openParent(settings: Readonly<Record<string, string>> = {}) {
  const on = await World.open({
    files: { 'README.md': '# Hello\n', ...settings },
    scripts: NAMES.map(scriptOf),
  });
  world = on;
  const { maintainer, repository } = on;
  const parent = maintainer.openIssue(repository, { title: 'Greet everyone', body: '' });
  const children = NAMES.map((name) =>
    maintainer.openIssue(repository, {
      title: `The greeting of ${name}`,
      body: `Say hello to ${name}.`,
    }),
  );
  const at = ({ number }: Issue) => on.thread(number);
  maintainer.addSubIssues(at(parent), ...children.map(at));
  return { on, parent, children, label: () => maintainer.label(at(parent), 'issuewright') };
}

const pullOf = (on: World, issue: Issue) =>
  on.until('the pull request', async () =>
    on.pulls().find(({ pull }) => pull.head === branchOf(issue)),
  );

/** Once the last of them is merged. */
async function expectEachOnce(on: World, parent: Issue, children: readonly Issue[]): Promise<void> {
  await on.untilStatus(parent.number, /3 of 3 done/);
  const { reactions } = parent;
  await on.until('the label has its 🚀', async () =>
    reactions.some(({ content }) => content === 'rocket'),
  );
  expect(on.pulls().map(({ pull }) => pull.head)).toEqual(children.map(branchOf));
  const sessions = await readSessions(on);
  const starts = sessions.map(({ issue, entries }) => [
    issue,
    entries.filter(({ type }) => type === 'run_started').length,
    entries.filter((one) => one.type === 'received' && one.intent.kind === 'start').length,
  ]);
  expect(starts.toSorted(([one = 0], [other = 0]) => one - other)).toEqual([
    [parent.number, 0, 1],
    ...children.map(({ number }) => [number, 1, 1]),
  ]);
  const issues = [parent, ...children].map(({ number }) => number);
  await on.until(
    'nothing is left to do',
    async () => (await inspect(on, { issues, expected: null, isMuted: false })).length === 0,
  );
}

describe('kill -9 at two points of the work on sub-issues', () => {
  it.each(MOMENTS)(
    '%s: each is started once and has one pull request, and the parent is done',
    async (_name, first, second) => {
      const { on, parent, children, label } = await openParent();
      const untilKilled = await first(on);
      label();
      await untilKilled();
      await on.start();
      for (const [index, child] of children.entries()) {
        await on.untilStatus(child.number, /ready for review/i);
        const { number } = await pullOf(on, child);
        const untilKilledAgain = index === 0 ? await second(on) : undefined;
        await on.maintainer.merge(on.thread(number));
        await untilKilledAgain?.();
        if (untilKilledAgain !== undefined) await on.start();
      }
      await expectEachOnce(on, parent, children);
    },
    600_000,
  );

  it('once the second was started on top of the first and their parent did not know, and when GitHub opened its pull request: the same', async () => {
    const { on, parent, children, label } = await openParent({
      '.github/issuewright.yml': 'sub_issues: on_top\n',
    });
    const untilKilled = await startedUnknown(3)(on);
    label();
    await untilKilled();
    const untilKilledAgain = await answerUnread('POST', /\/pulls$/)(on);
    await on.start();
    await untilKilledAgain();
    await on.start();
    const pulls: PullRequest[] = [];
    for (const child of children) {
      await on.untilStatus(child.number, /ready for review/i);
      pulls.push(await pullOf(on, child));
    }
    const [one = '', two = ''] = children.map(branchOf);
    expect(pulls.map(({ pull }) => pull.base)).toEqual(['main', one, two]);
    for (const { number, pull } of pulls) {
      await on.until('it goes to main', async () => pull.base === 'main');
      await on.maintainer.merge(on.thread(number));
    }
    await expectEachOnce(on, parent, children);
  }, 600_000);
});
