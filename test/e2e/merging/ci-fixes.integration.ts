// Checks of the pull request fail: people are asked, or the agent fixes them, as far as they are the change's.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue, PullRequest } from '../../../packages/local-github/src/github/state.ts';
import { failsOnTodo } from './ci-script.ts';
import { ExtraRepository } from '../extra-repository.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const write = (content: string) => say(call('write_file', { path: 'src/greet.js', content }));
const commit = say(call('commit', { message: 'Greet' }));
const finish = say(call('finish', { summary: 'Greets.' }));

/** A first version that CI does not like, and what the agent does when it is told. */
const story = (match: string, ...fixes: readonly (readonly string[])[]): Script => ({
  match,
  turns: [
    write('// TODO\n'),
    commit,
    finish,
    ...fixes.flatMap(([content = '', ...told]) => [
      { ...write(content), when: ['# Checks failed on commit', ...told].join('[^]*') },
      commit,
      finish,
    ]),
  ],
});

const GOOD = 'export const greet = () => 1;\n';
const SCRIPTS: readonly Script[] = [
  story('Ask first', [GOOD, '> not ok 1 - greets by name']),
  story('By itself', ['// TODO: later\n'], [GOOD]),
  story('In vain', ['// TODO: not yet\n']),
  story('Three times', ['// TODO 1\n'], ['// TODO 2\n'], ['// TODO 3\n']),
  story('Command', [GOOD]),
  story('Base', [GOOD]),
  story('Blind', [GOOD]),
  story('Half blind', [GOOD]),
  story('No logs', [GOOD, 'Process completed with exit code 1']),
  story('Service', [GOOD, 'ci/other', 'The build broke']),
  story('Runner', [GOOD]),
  story('Twice', [GOOD]),
  story('Stranger', [GOOD]),
  story('Off', [GOOD]),
];

const GRANTED = { checks: 'write', statuses: 'read', actions: 'read' } as const;

const NOT_OK = 'not ok 1 - greets by name';
const settings = (yaml: string) => ({ '.github/issuewright.yml': yaml });

let scene: Scene;
let installation = 40;

beforeAll(async () => {
  scene = await Scene.open({ scripts: [...SCRIPTS], granted: GRANTED, people: ['other'] });
});
afterAll(() => scene.close());

/** A repository of its own, with what its CI does with each push. */
async function place(name: string, yaml: string, ...lines: readonly string[]) {
  const here = await ExtraRepository.open(scene, name, (installation += 1), settings(yaml));
  if (lines.length > 0) scene.github.ci(here.repository).script(...lines.map(failsOnTodo));
  return here;
}

const pullOf = (here: ExtraRepository): PullRequest => {
  const [pull] = here.pulls();
  if (pull === undefined) throw new Error('there is no pull request');
  return pull;
};

/** What the App wrote on the pull request. */
const onPull = (here: ExtraRepository): readonly string[] =>
  here.repository.comments
    .filter(
      ({ author, issueNumber }) => author.type === 'Bot' && issueNumber === here.pulls()[0]?.number,
    )
    .map(({ body }) => body);

const untilOnPull = (here: ExtraRepository, words: RegExp): Promise<string> =>
  scene.until(`a comment with ${String(words)}`, () =>
    onPull(here).find((body) => words.test(body)),
  );

const untilInStatus = (here: ExtraRepository, issue: Issue, words: RegExp): Promise<true> =>
  scene.until(`the status with ${String(words)}`, () => words.test(here.status(issue)));

const untilOnPage = (here: ExtraRepository, issue: Issue, words: RegExp): Promise<true> =>
  scene.until(`the page with ${String(words)}`, async () => words.test(await here.page(issue)));

const commitsOf = async (here: ExtraRepository): Promise<number> => {
  const { head } = pullOf(here).pull;
  return Number(await scene.gitIn(here.repository, 'rev-list', '--count', `main..${head}`));
};

function react(here: ExtraRepository, login: string, words: RegExp): void {
  const found = here.repository.comments.find(
    ({ body, author }) => author.type === 'Bot' && words.test(body),
  );
  if (found === undefined) throw new Error(`there is no comment with ${String(words)}`);
  scene.github.as(login).react(found, '+1');
}

describe('checks that fail', () => {
  it('are asked about once; a 👍 of a permitted person starts the fix, with the log quoted', async () => {
    const here = await place('asks', '', NOT_OK);
    const issue = here.ask('Ask first');
    const asked = await untilOnPull(here, /To let me fix this/);
    expect(asked).toMatch(/1 check failed on `[0-9a-f]{7}`/);
    expect(asked).toContain('`test`');
    await untilInStatus(here, issue, /May I fix this\? See #\d+/);
    react(here, 'other', /To let me fix this/);
    react(here, 'octo-maintainer', /To let me fix this/);
    await untilInStatus(here, issue, /✅ The checks passed after 1 round of fixes/);
    expect(await commitsOf(here)).toBe(2);
    expect(onPull(here)).toHaveLength(1);
  });

  it('are not fixed for a 👍 of someone who may not request work, until one who may gives it', async () => {
    const here = await place('stranger', '', NOT_OK);
    const issue = here.ask('Stranger');
    await untilOnPull(here, /To let me fix this/);
    const asked = scene.agentRequests.length;
    react(here, 'stranger', /To let me fix this/);
    await untilOnPage(here, issue, /👍 on fixing the checks.*does not have the required role/);
    await untilInStatus(here, issue, /May I fix this\? See #\d+/);
    expect(scene.agentRequests).toHaveLength(asked);
    expect(await commitsOf(here)).toBe(1);
    react(here, 'octo-maintainer', /To let me fix this/);
    await untilInStatus(here, issue, /✅ The checks passed after 1 round of fixes/);
    expect(await commitsOf(here)).toBe(2);
  });

  it('are left alone and not spoken of if the settings say so', async () => {
    const here = await place('off', 'fix_ci: off\n', NOT_OK);
    const issue = here.ask('Off');
    await here.untilStatus(issue, /ready for review/i);
    const asked = scene.agentRequests.length;
    // It heard of the failure, and looked no further.
    await untilOnPage(
      here,
      issue,
      /The checks of \w+ may have changed.*Checks of \w+: not looked at, because the settings say `fix_ci: off`/,
    );
    await here.untilStatus(issue, /ready for review/i);
    expect(here.status(issue)).not.toMatch(/check/i);
    expect(onPull(here)).toEqual([]);
    expect(scene.agentRequests).toHaveLength(asked);
    expect(await commitsOf(here)).toBe(1);
  });

  it('are fixed without asking if the settings say so, round after round', async () => {
    const here = await place('own', 'fix_ci: own\n', NOT_OK, 'not ok 2 - other words', NOT_OK);
    const issue = here.ask('By itself');
    await untilInStatus(here, issue, /✅ The checks passed after 2 rounds of fixes/);
    expect(await commitsOf(here)).toBe(3);
    expect(onPull(here)).toEqual([]);
  });

  it('are left to people if they fail in the same way after a fix', async () => {
    const here = await place('same', 'fix_ci: own\n', NOT_OK);
    const issue = here.ask('In vain');
    await untilOnPull(here, /the failures are the same/);
    await untilInStatus(here, issue, /I left this to you, see #\d+/);
    expect(await commitsOf(here)).toBe(2);
  });

  it('are left to people at the limit of rounds', async () => {
    const lines = ['not ok - red', 'not ok - green', 'not ok - blue', 'not ok - grey'];
    const here = await place('limit', 'fix_ci: own\nlimits:\n  ci_rounds: 2\n', ...lines);
    here.ask('Three times');
    await untilOnPull(here, /I stopped after 2 fixes/);
    expect(await commitsOf(here)).toBe(3);
  });

  it('are fixed at the command of a permitted person', async () => {
    const here = await place('command', '', NOT_OK);
    const issue = here.ask('Command');
    await untilOnPull(here, /To let me fix this/);
    here.say(pullOf(here), '/issuewright fix');
    await untilInStatus(here, issue, /✅ The checks passed after 1 round of fixes/);
  });

  it('on the base branch too are said, and not worked on', async () => {
    const here = await place('base', 'fix_ci: own\n', NOT_OK);
    const base = await scene.gitIn(here.repository, 'rev-parse', 'main');
    await scene.github
      .ci(here.repository)
      .startCheck({ name: 'test', head_sha: base, status: 'completed', conclusion: 'failure' });
    here.ask('Base');
    await untilOnPull(here, /The base branch fails in the same way/);
    expect(await commitsOf(here)).toBe(1);
  });

  it('of another service count too, and the failing status is told', async () => {
    const here = await place('service', 'fix_ci: own\n');
    const issue = here.ask('Service');
    await here.untilStatus(issue, /ready for review/i);
    const sha = await scene.gitIn(here.repository, 'rev-parse', pullOf(here).pull.head);
    const service = scene.github.ci(here.repository);
    await service.setStatus(sha, { state: 'pending', context: 'ci/slow' });
    await service.setStatus(sha, {
      state: 'failure',
      context: 'ci/other',
      description: 'The build broke',
    });
    expect(await commitsOf(here)).toBe(1);
    await service.setStatus(sha, { state: 'success', context: 'ci/slow' });
    await scene.until('the fix', async () => (await commitsOf(here)) === 2);
  });

  it('without a result are no reason to change anything', async () => {
    const here = await place('runner', 'fix_ci: own\n');
    const issue = here.ask('Runner');
    await here.untilStatus(issue, /ready for review/i);
    const sha = await scene.gitIn(here.repository, 'rev-parse', pullOf(here).pull.head);
    await scene.github
      .ci(here.repository)
      .startCheck({ name: 'lint', head_sha: sha, status: 'completed', conclusion: 'cancelled' });
    await untilOnPull(here, /cancelled.*it ended without a result[^]*run the checks again/);
    expect(await commitsOf(here)).toBe(1);
  });

  it('are acted on once, however often and late GitHub tells of them', async () => {
    const here = await place('twice', '', NOT_OK);
    here.ask('Twice');
    await untilOnPull(here, /To let me fix this/);
    const told = scene.github.deliveries.filter(
      ({ event, repositoryId }) => event === 'check_suite' && repositoryId === here.repository.id,
    );
    expect(told.length).toBeGreaterThan(0);
    for (const { guid } of told.toReversed()) {
      await scene.github.redeliver(guid);
      await scene.github.deliverAgainWithOtherGuid(guid);
    }
    react(here, 'octo-maintainer', /To let me fix this/);
    await scene.until('the fix', async () => (await commitsOf(here)) === 2);
    expect(onPull(here)).toHaveLength(1);
  });

  it.each([
    ['checks', 'Blind'],
    ['statuses', 'Half blind'],
  ] as const)(
    'cannot all be seen without the permission `%s`: that is said once, and the rest works',
    async (lacking, title) => {
      const here = await place(`no-${lacking}`, 'fix_ci: own\n', NOT_OK);
      grantAllBut(here, lacking);
      const issue = here.ask(title);
      await here.untilStatus(issue, /ready for review/i);
      await untilInStatus(
        here,
        issue,
        new RegExp(
          `I can't see the checks of #\\d+\\. The App lacks the permission \`${lacking}: read\``,
        ),
      );
      expect(await commitsOf(here)).toBe(1);
      expect(onPull(here)).toEqual([]);
    },
    300_000,
  );

  it('are fixed without their logs if the permission `actions` is missing, which is said', async () => {
    const here = await place('no-actions', '', NOT_OK);
    grantAllBut(here, 'actions');
    const issue = here.ask('No logs');
    const asked = await untilOnPull(here, /To let me fix this/);
    expect(asked).toMatch(/The App lacks the permission `actions: read`/);
    const before = scene.agentRequests.length;
    react(here, 'octo-maintainer', /To let me fix this/);
    await untilInStatus(here, issue, /✅ The checks passed after 1 round of fixes/);
    const told = JSON.stringify(scene.agentRequests.slice(before).map(({ body }) => body));
    expect(told).toContain('Process completed with exit code 1');
    expect(told).not.toContain(NOT_OK);
    expect(await commitsOf(here)).toBe(2);
  });
});

function grantAllBut(here: ExtraRepository, lacking: keyof typeof GRANTED): void {
  const { [lacking]: _lacking, ...rest } = GRANTED;
  scene.github.installations.grant(here.installation, {
    metadata: 'read',
    contents: 'write',
    issues: 'write',
    pull_requests: 'write',
    ...rest,
  });
}
