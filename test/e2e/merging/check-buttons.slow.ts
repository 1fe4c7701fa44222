// The buttons of the App's own check run, through the shipped service: they do what the commands do, once.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { CheckRun } from '../../../packages/local-github/src/github/checks/state.ts';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue, Repository } from '../../../packages/local-github/src/github/state.ts';
import { ExtraRepository } from '../extra-repository.ts';
import { branchOf, commit, finish, lines, LINES, parentsOf, writeA } from './merging.ts';
import { Scene, type SceneOptions } from '../scene.ts';
import { call, say } from '../turns.ts';

const write = (content: string) => say(call('write_file', { path: 'src/greet.js', content }));
const GOOD = 'export const greet = () => 1;\n';

const FIXED: Script = {
  match: 'Fix by a button',
  turns: [
    write('// TODO\n'),
    finish('Greets.'),
    { ...write(GOOD), when: '# Checks failed on commit' },
    finish('Greets.'),
  ],
};

const SCRIPTS: readonly Script[] = [
  FIXED,
  {
    match: 'Stop by a button',
    turns: [
      write(GOOD),
      commit('Greet'),
      say(call('create_pull_request', { title: 'Greet', body: 'It greets.' })),
      say(call('ask_question', { question: 'Louder?' })),
      { ...finish('Greets.'), when: 'asks to try again' },
    ],
  },
  { match: 'Not for all', turns: [write(GOOD), finish('Greets.')] },
  {
    match: 'Resolve by a button',
    turns: [
      writeA(lines([3, 'ours'])),
      finish('Change line 3'),
      {
        ...say(call('ask_question', { question: 'Which of them?' })),
        when: 'could not merge all of it',
      },
      { ...writeA(lines([3, 'both'])), when: 'asks to merge the base branch' },
      commit('Merge the base branch'),
      finish('Keep both'),
    ],
  },
];

const CI = [
  {
    name: 'CI',
    jobs: [
      {
        name: 'test',
        steps: [
          {
            name: 'Run npm test',
            log: 'not ok 1 - greets by name',
            fails: { path: 'src/greet.js', contains: 'TODO' },
          },
        ],
      },
    ],
  },
];

const OPTIONS: SceneOptions = {
  scripts: SCRIPTS,
  files: LINES,
  people: ['writer'],
  granted: { checks: 'write', statuses: 'read', actions: 'read' },
};

/** Our check run on the branch of the issue that offers the button now, as GitHub shows it: completed. */
const offering = ({ checks }: Repository, issue: Issue, label: string): CheckRun | undefined =>
  checks.runs.find(
    ({ name, status, actions, suiteId }) =>
      name === 'Issuewright' &&
      status === 'completed' &&
      checks.suites.find(({ id }) => id === suiteId)?.headBranch === branchOf(issue) &&
      actions.some((action) => action.label === label),
  );

async function untilOffered(scene: Scene, on: Repository, issue: Issue, label: string) {
  const run = await scene.until(`the button ${label}`, () => offering(on, issue, label));
  return { run, identifier: run.actions.find((one) => one.label === label)?.identifier ?? '' };
}

async function press(scene: Scene, issue: Issue, label: string, login?: string, on?: Repository) {
  const repository = on ?? scene.repository;
  const { run, identifier } = await untilOffered(scene, repository, issue, label);
  const person = login === undefined ? scene.maintainer : scene.github.as(login);
  await person.requestAction(repository, run.id, identifier);
  return run;
}

const commitsOn = async (scene: Scene, issue: Issue): Promise<number> =>
  Number(await scene.git('rev-list', '--count', `main..${branchOf(issue)}`));

const untilFixed = (scene: Scene, issue: Issue) =>
  scene.until('the checks to pass', () =>
    scene.comments(issue).some(({ body }) => body.includes('passed after 1 round of fixes')),
  );

describe('a button', () => {
  let scene: Scene;
  let there: ExtraRepository;
  beforeAll(async () => {
    scene = await Scene.open(OPTIONS);
    const files = { '.github/issuewright.yml': 'who: maintain\n' };
    there = await ExtraRepository.open(scene, 'strict', 40, files);
  });
  afterAll(() => scene.close());

  /** The check run is written after the status. */
  const untilNotOffered = (issue: Issue, label: string) =>
    scene.until(`no button ${label}`, () => !offering(scene.repository, issue, label));

  it('*Fix checks* starts the fix, once for each use, however often GitHub tells of it', async () => {
    scene.github.ci(scene.repository).script(CI);
    const issue = scene.ask(FIXED.match, '');
    await press(scene, issue, 'Fix checks');
    await scene.until('the delivery', () => pressesOf(scene).length === 1);
    for (const { guid } of pressesOf(scene)) {
      await scene.github.redeliver(guid);
      await scene.github.deliverAgainWithOtherGuid(guid);
    }
    await untilFixed(scene, issue);
    await scene.untilStatus(issue, /ready for review/i);
    expect(await commitsOn(scene, issue)).toBe(2);
    await untilNotOffered(issue, 'Fix checks');
  });

  it('*Stop* stops what waits, and GitHub’s *Re-run* continues it', async () => {
    const issue = scene.ask('Stop by a button', '');
    await scene.untilStatus(issue, /waiting for \S+ answer/i);
    const run = await press(scene, issue, 'Stop');
    await scene.untilStatus(issue, /stopped/i);
    await scene.until('the end of the check', () => run.conclusion === 'cancelled');
    expect(run.actions).toEqual([]);
    await scene.maintainer.rerunCheck(scene.repository, run.id);
    await scene.untilStatus(issue, /ready for review/i);
    await scene.until('the end of the check', () => run.conclusion === 'success');
    const suite = scene.repository.checks.suites.find(({ id }) => id === run.suiteId);
    expect(suite?.isReset).toBe(false);
  });

  it('*Resolve conflicts* merges the base branch again after the agent could not decide', async () => {
    const issue = scene.ask('Resolve by a button', '');
    await scene.untilStatus(issue, /ready for review/i);
    const branch = branchOf(issue);
    const files = { 'a.txt': lines([3, 'theirs']) };
    await scene.maintainer.push(scene.repository, { branch: 'main', message: 'Move', files });
    await scene.untilStatus(issue, /waiting for \S+ answer/i);
    await press(scene, issue, 'Resolve conflicts');
    await scene.until('the merge', async () => (await parentsOf(scene, branch)).length === 2);
    await scene.untilStatus(issue, /ready for review/i);
    expect(await scene.git('show', `${branch}:a.txt`)).toBe(lines([3, 'both']).trim());
    await untilNotOffered(issue, 'Resolve conflicts');
  });

  it('used by someone without the role changes nothing, and a comment says so', async () => {
    const issue = there.ask('Not for all');
    await there.untilStatus(issue, /ready for review/i);
    there.repository.collaborators.set('writer', 'write');
    await press(scene, issue, 'Stop', 'writer', there.repository);
    const [pull] = there.pulls();
    const said = await scene.until('the comment', () =>
      there.repository.comments.find(({ body }) => body.includes('has to press that button')),
    );
    expect(said.issueNumber).toBe(pull?.number);
    expect(said.body).toMatch(
      /^@writer Thanks, but someone with the role \*maintain\* or \*admin\*/,
    );
    await there.untilStatus(issue, /ready for review/i);
    const { run, identifier } = await untilOffered(scene, there.repository, issue, 'Stop');
    await expect(
      scene.github.as('stranger').requestAction(there.repository, run.id, identifier),
    ).rejects.toThrow(/needs the role write/);
  });
});

const pressesOf = (scene: Scene) =>
  scene.github.deliveries.filter(
    ({ action, status }) => action === 'requested_action' && status !== undefined,
  );

describe('a service that is killed', () => {
  let scene: Scene | undefined;
  afterEach(() => scene?.close());

  it.each<[string, (on: Scene, issue: Issue) => Promise<unknown>]>([
    [
      'after it has heard of a button',
      async (on, issue) => {
        await press(on, issue, 'Fix checks');
        await on.until('the delivery', () => pressesOf(on).length === 1);
      },
    ],
    [
      'while it writes the check run after it',
      async (on, issue) => {
        await untilOffered(on, on.repository, issue, 'Fix checks');
        const hold = on.github.faults.hold({ method: 'PATCH', path: /\/check-runs\/\d+$/ });
        await press(on, issue, 'Fix checks');
        await on.until('the delivery', () => pressesOf(on).length === 1);
        await hold.applied;
      },
    ],
  ])(
    '%s does what it asks for when it is back, once',
    async (_name, moment) => {
      scene = await Scene.open({ ...OPTIONS, ownDatabase: true });
      const here = scene;
      here.github.ci(here.repository).script(CI);
      const issue = here.ask(FIXED.match, '');
      await moment(here, issue);
      await here.kill();
      await here.start();
      await untilFixed(here, issue);
      await here.untilStatus(issue, /ready for review/i);
      expect(await commitsOn(here, issue)).toBe(2);
      const runs = here.repository.checks.runs.filter(({ name }) => name === 'Issuewright');
      await here.until('all check runs to end', () =>
        runs.every(({ status }) => status === 'completed'),
      );
      expect(new Set(runs.map(({ suiteId }) => suiteId)).size).toBe(runs.length);
    },
    300_000,
  );
});
