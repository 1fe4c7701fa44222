// The checks of a commit are read whole, or not at all.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import {
  api,
  APP_ID,
  INSTALLATION,
  knowsItself,
  mintsTokens,
  REPO,
  repository,
} from '../support.ts';

const SHA = 'a'.repeat(40);
const ACTIONS = { id: 15_368, slug: 'github-actions', name: 'GitHub Actions' };

const run = (id: number, changes: object = {}) => ({
  id,
  name: `job ${id}`,
  status: 'completed',
  conclusion: 'success',
  html_url: `https://github.com/example/words/runs/${id}`,
  output: { title: null, summary: null },
  check_suite: { id: 1 },
  app: ACTIONS,
  ...changes,
});

const suite = (changes: object = {}) => ({
  id: 1,
  status: 'completed',
  conclusion: 'success',
  latest_check_runs_count: 1,
  app: ACTIONS,
  ...changes,
});

interface Answers {
  readonly runs?: readonly (readonly object[])[];
  readonly total?: number;
  readonly suites?: readonly object[];
  readonly statuses?: readonly object[];
}

function answers({ runs = [[]], total, suites = [], statuses = [] }: Answers): void {
  for (const [at, page] of runs.entries())
    api()
      .get(`${REPO}/commits/${SHA}/check-runs`)
      .query({ per_page: 100, filter: 'all', page: at + 1 })
      .reply(200, { total_count: total ?? runs.flat().length, check_runs: page });
  api()
    .get(`${REPO}/commits/${SHA}/check-suites`)
    .query(true)
    .reply(200, { total_count: suites.length, check_suites: suites });
  api()
    .get(`${REPO}/commits/${SHA}/status`)
    .query(true)
    .reply(200, { state: 'pending', total_count: statuses.length, statuses });
}

beforeEach(() => {
  mintsTokens();
  knowsItself();
  api()
    .get(`/app/installations/${INSTALLATION}`)
    .reply(200, {
      permissions: { metadata: 'read', checks: 'read', statuses: 'read' },
      html_url: 'https://github.com/settings/installations/9',
    });
});
afterEach(() => nock.cleanAll());

const read = () => repository().checks.of(SHA);

describe('the checks of a commit', () => {
  it('are read from all pages', async () => {
    const first = Array.from({ length: 100 }, (_, at) => run(at + 1));
    answers({ runs: [first, [run(101, { conclusion: 'failure' })]], total: 101 });
    const found = await read();
    expect(found).toHaveLength(101);
    expect(found?.at(-1)).toMatchObject({ name: 'job 101', state: 'failed', isJob: true });
  });

  it('are not read at all if there are too many', async () => {
    const page = Array.from({ length: 100 }, (_, at) => run(at + 1));
    answers({ runs: [page], total: 1001 });
    await expect(read()).resolves.toBeUndefined();
  });

  it('are the newest of each name, which may have passed on the same commit before', async () => {
    const again = { name: 'test', conclusion: 'failure' };
    answers({ runs: [[run(2, again), run(1, { name: 'test' }), run(3, { name: 'lint' })]] });
    await expect(read()).resolves.toMatchObject([
      { name: 'test', id: 2, state: 'failed', passedBefore: true },
      { name: 'lint', state: 'passed' },
    ]);
  });

  it('are not our own', async () => {
    const app = { id: APP_ID, slug: 'issuewright', name: 'Issuewright' };
    answers({ runs: [[run(1, { app })]], suites: [suite({ app, status: 'queued' })] });
    await expect(read()).resolves.toEqual([]);
  });

  it('wait for suites of Actions, and not for those of Apps that never report', async () => {
    const idle = { status: 'queued', latest_check_runs_count: 0 };
    const other = { id: 5, slug: 'other', name: 'Other' };
    answers({ suites: [suite({ ...idle, app: other }), suite(idle)] });
    await expect(read()).resolves.toMatchObject([{ name: 'GitHub Actions', state: 'unsettled' }]);
  });

  it.each([
    [{ status: 'in_progress', conclusion: null }, 'unsettled'],
    [{ conclusion: 'action_required' }, 'unsettled'],
    [{ conclusion: 'neutral' }, 'passed'],
    [{ conclusion: 'timed_out' }, 'failed'],
    [{ conclusion: 'cancelled' }, 'broken'],
    [{ conclusion: 'something new' }, 'broken'],
  ])('with %j are %s', async (changes, state) => {
    answers({ runs: [[run(1, changes)]] });
    await expect(read()).resolves.toMatchObject([{ state }]);
  });

  it('have the statuses of services among them, without the addresses that those give', async () => {
    const target_url = 'https://elsewhere.example/';
    answers({
      statuses: [
        { context: 'ci/a', state: 'failure', description: 'Broke', target_url },
        { context: 'ci/b', state: 'pending', description: null, target_url },
      ],
    });
    const found = await read();
    expect(found).toMatchObject([
      { source: 'status', name: 'ci/a', state: 'failed', summary: 'Broke', url: null },
      { name: 'ci/b', state: 'unsettled' },
    ]);
  });
});
