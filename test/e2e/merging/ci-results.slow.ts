// More of checks that fail: results of other services, results that are none, told twice, and permissions that are missing.
import { describe, expect, it } from '@jest/globals';
import {
  NOT_OK,
  scene,
  place,
  pullOf,
  onPull,
  untilOnPull,
  untilInStatus,
  commitsOf,
  react,
  grantAllBut,
} from './ci-fixes-scene.ts';

describe('checks that fail in other ways', () => {
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
