// The App's own check run on the head of its pull request, through the shipped service.
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { PERMISSIONS } from '../../../src/github/access/permissions.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import { Scene, type SceneOptions } from '../scene.ts';
import { call, say } from '../turns.ts';

const TITLE = 'Greet by name';
const SECRET = `ghp_${'a1B2'.repeat(9)}`;
const write = (content: string) => say(call('write_file', { path: 'greet.js', content }));
const FINISH = say(call('finish', { summary: 'Greets by name.' }));
/** The pull request is opened, and it goes on. */
const PULL = say(call('create_pull_request', { title: TITLE, body: 'By name.' }));
const SCRIPT: Script = {
  match: TITLE,
  turns: [
    write('export const greet = 1;\n'),
    say(call('commit', { message: TITLE })),
    PULL,
    { ...FINISH, delay_ms: 1500 },
    write('export const greet = 2;\n'),
    FINISH,
  ],
  reviews: [`- greet.js:1: it has ${SECRET}`, `- greet.js:1: the name is not used, ${SECRET}`],
};

let scene: Scene | undefined;
afterEach(() => scene?.close());

async function open(options: SceneOptions = {}): Promise<Scene> {
  scene = await Scene.open({ scripts: [SCRIPT], ...options });
  return scene;
}

const GRANTED = { granted: { checks: 'write' } } as const;

const runsOf = ({ repository: { checks } }: Scene) =>
  checks.runs.map((run) => ({
    ...run,
    head: checks.suites.find(({ id }) => id === run.suiteId)?.headSha,
  }));

/**
 * One for the head, which says how it ended, with what was found. A commit before it has one only if the work after it
 * took so long, and that says that there is a newer one.
 */
async function expectOneOnHead(from: Scene): Promise<void> {
  const made = await from.until('the check run of the head', async () => {
    const [branch] = await from.branches();
    if (branch === undefined) return undefined;
    const head = await from.git('rev-parse', branch);
    const runs = runsOf(from).toSorted((one) => (one.head === head ? -1 : 1));
    const isDone =
      runs[0]?.output.title?.startsWith('Ready for review: #2') === true &&
      runs.slice(1).every(({ status }) => status === 'completed');
    return isDone ? { head, runs } : undefined;
  });
  const {
    head,
    runs: [last, ...others],
  } = made;
  expect(others.map(({ output }) => output.title)).toEqual(others.map(() => 'Superseded'));
  const heads = new Set([head, ...others.map((one) => one.head)]);
  expect(heads.size).toBe(others.length + 1);
  expect(last).toMatchObject({
    head,
    name: 'Issuewright',
    conclusion: 'success',
    status: 'completed',
  });
  expect(last?.annotations).toMatchObject([
    { path: 'greet.js', start_line: 1, annotation_level: 'warning' },
  ]);
  expect(JSON.stringify(last)).not.toContain(SECRET);
  expect(last?.output.summary).toContain('the name is not used');
}

describe('with `checks: write`', () => {
  it('the head has one check run, with what the review before people’s found', async () => {
    const here = await open(GRANTED);
    here.ask(TITLE, '');
    await expectOneOnHead(here);
  });

  it('there is one if the service is killed when GitHub has made the check run', async () => {
    const here = await open({ ...GRANTED, ownDatabase: true });
    const hold = here.github.faults.hold({ method: 'POST', path: /\/check-runs$/ });
    here.ask(TITLE, '');
    await hold.applied;
    await here.kill();
    await here.start();
    await expectOneOnHead(here);
  }, 300_000);

  it('there is one if the service is killed when GitHub has changed it', async () => {
    const here = await open({ ...GRANTED, ownDatabase: true });
    const issue = here.ask(TITLE, '');
    await expectOneOnHead(here);
    const hold = here.github.faults.hold({ method: 'PATCH', path: /\/check-runs\/\d+$/ });
    here.maintainer.comment(here.thread(issue), '/issuewright stop');
    await hold.applied;
    await here.kill();
    await here.start();
    await here.untilStatus(issue, /Stopped/);
    const ofHead = () => runsOf(here).filter(({ output }) => output.title !== 'Superseded');
    await here.until('the check run to say so', () =>
      ofHead().every(({ conclusion }) => conclusion === 'cancelled'),
    );
    expect(ofHead()).toHaveLength(1);
  }, 300_000);
});

it('is there as soon as an owner accepts the permission, for a pull request that waits', async () => {
  const here = await open({ granted: { checks: 'write', statuses: 'read', actions: 'read' } });
  here.github.installations.grant(1, PERMISSIONS);
  const issue = here.ask(TITLE, '');
  await here.untilStatus(issue, /ready for review/i);
  await here.until('what cannot be read to be said', () =>
    here.comments(issue).some(({ body }) => body.includes('lacks the permission')),
  );
  expect(here.repository.checks.runs).toEqual([]);
  here.github.installations.acceptPermissions(1);
  await here.until('the check run', () =>
    runsOf(here).some(({ conclusion }) => conclusion === 'success'),
  );
  await here.until('nothing to be missing', () =>
    here.comments(issue).every(({ body }) => !body.includes('lacks the permission')),
  );
});

it('without the permission nothing is written, and all else works', async () => {
  const here = await open();
  const issue = here.ask(TITLE, '');
  await here.untilStatus(issue, /ready for review/i);
  expect(here.repository.checks.runs).toEqual([]);
  const asked = here.github.requests.filter(({ path }) => path.includes('check-runs'));
  expect(asked).toEqual([]);
  expect(here.repository.fullName).toBe(`${SAMPLE.owner}/${SAMPLE.name}`);
});
