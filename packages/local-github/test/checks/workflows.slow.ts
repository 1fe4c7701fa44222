// Simulated GitHub Actions.
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import type { Playground } from '../support.ts';
import { asInstallation, mintToken, startPlayground, withToken } from '../support.ts';

const at = { owner: 'example', repo: 'words' };
const PERMISSIONS = {
  contents: 'write',
  metadata: 'read',
  pull_requests: 'write',
  checks: 'read',
  actions: 'write',
} as const;

let playground: Playground;
let branch = '';
let pushes = 0;
beforeAll(async () => {
  playground = await startPlayground({
    permissions: PERMISSIONS,
    events: ['check_run', 'check_suite', 'workflow_run'],
  });
});
afterAll(() => playground.close());
beforeEach(() => {
  pushes += 1;
  branch = `branch-${pushes}`;
});
afterEach(() => ci().script());

const repository = () => playground.github.repository('example', 'words');
const client = () => asInstallation(playground.github, '/api/v3');
const actions = () => client().rest.actions;
const ci = () => playground.github.ci(repository());
const push = (files: Record<string, string> = { count: `${pushes}\n` }) =>
  playground.github
    .as('maintainer')
    .push(repository(), { branch, files, message: 'Count\n\nMore' });

const BUILD = { name: 'build', steps: [{ name: 'Run npm ci', log: 'added 3 packages' }] };
const TEST = {
  name: 'test',
  steps: [
    { name: 'Run npm ci' },
    { name: 'Run npm test', log: 'not ok 1\nnot ok 2', fails: true, error: 'Two tests failed.' },
    { name: 'Upload' },
  ],
};
const failing = [{ name: 'CI', jobs: [BUILD, TEST] }];
const passing = [{ name: 'CI', jobs: [BUILD, { name: 'test' }] }];

const runsOf = async (sha: string) =>
  (await actions().listWorkflowRunsForRepo({ ...at, head_sha: sha })).data.workflow_runs;
const jobsOf = async (id: number | bigint, filter: 'all' | 'latest' = 'latest') =>
  (await actions().listJobsForWorkflowRun({ ...at, run_id: Number(id), filter })).data.jobs;
const checksOf = async (sha: string) =>
  (await client().rest.checks.listForRef({ ...at, ref: sha })).data.check_runs;

/** A push with a run that failed. */
async function failed() {
  ci().script(failing, passing);
  const sha = await push();
  const [run] = await runsOf(sha);
  const id = Number(run?.id);
  const job = (await jobsOf(id)).find(({ name }) => name === 'test');
  return { sha, id, job: Number(job?.id) };
}

describe('a push', () => {
  it('runs the workflows that were ordered, whose jobs are checks of github-actions', async () => {
    ci().script(failing);
    const sha = await push();
    const [run] = await runsOf(sha);
    expect(run).toMatchObject({
      name: 'CI',
      status: 'completed',
      conclusion: 'failure',
      head_sha: sha,
      head_branch: branch,
      run_attempt: 1,
      event: 'push',
      display_title: 'Count',
      actor: { login: 'maintainer' },
    });
    const jobs = await jobsOf(run!.id);
    expect(jobs).toMatchObject([
      { name: 'build', conclusion: 'success', run_id: run!.id },
      { name: 'test', conclusion: 'failure', workflow_name: 'CI', head_sha: sha },
    ]);
    expect(jobs[1]?.steps?.map(({ name, conclusion }) => [name, conclusion])).toEqual([
      ['Set up job', 'success'],
      ['Run npm ci', 'success'],
      ['Run npm test', 'failure'],
      ['Upload', 'skipped'],
      ['Complete job', 'success'],
    ]);
    const checks = await checksOf(sha);
    expect(checks).toMatchObject([
      { id: jobs[1]?.id, name: 'test', conclusion: 'failure', app: { slug: 'github-actions' } },
      { id: jobs[0]?.id, name: 'build', conclusion: 'success', app: { id: 15_368 } },
    ]);
    const where = { ...at, check_run_id: Number(jobs[1]?.id) };
    const { data: annotations } = await client().rest.checks.listAnnotations(where);
    expect(annotations).toMatchObject([
      { path: '.github', annotation_level: 'failure', message: 'Two tests failed.' },
    ]);
  });

  it('is told to the App from the request to the end', async () => {
    ci().script([{ name: 'CI', jobs: [TEST] }]);
    const sha = await push();
    const told = () => playground.received.filter(({ text }) => text.includes(sha));
    await playground.github.waitFor(() => told().length === 6, { what: 'six events' });
    const words = told().map(({ event, payload }) => `${event}.${String(payload['action'])}`);
    expect(words).toEqual([
      'workflow_run.requested',
      'check_run.created',
      'workflow_run.in_progress',
      'check_run.completed',
      'check_suite.completed',
      'workflow_run.completed',
    ]);
    const states = told().map(({ event, payload }) => payload[event]);
    expect(states).toMatchObject([
      { status: 'queued', conclusion: null },
      { status: 'queued', conclusion: null },
      { status: 'in_progress', conclusion: null },
      { status: 'completed', conclusion: 'failure' },
      { status: 'completed', conclusion: 'failure' },
      { status: 'completed', conclusion: 'failure' },
    ]);
  });

  it('does what a file of its commit says, which may depend on other files', async () => {
    const fails = { path: 'src/index.js', contains: 'TODO' };
    const script = [{ name: 'CI', jobs: [{ name: 'test', steps: [{ name: 'Find', fails }] }] }];
    const file = { '.github/local-ci.json': JSON.stringify(script) };
    const first = await push({ ...file, 'src/index.js': '// TODO\n' });
    const second = await push({ 'src/index.js': '// done\n' });
    expect((await runsOf(first))[0]).toMatchObject({ conclusion: 'failure' });
    expect((await runsOf(second))[0]).toMatchObject({ conclusion: 'success' });
  });

  it.each(['{', '[{"name":"CI"}]'])('fails with a file that nobody can read: %s', async (text) => {
    const sha = await push({ '.github/local-ci.json': text });
    expect((await checksOf(sha))[0]).toMatchObject({
      name: '.github/local-ci.json',
      conclusion: 'failure',
    });
  });

  it('without a script runs nothing', async () => {
    expect(await runsOf(await push())).toEqual([]);
  });
});

describe('a job that waits', () => {
  it('keeps its run in progress until it is finished, in the way that the test says', async () => {
    ci().script([
      { name: 'CI', jobs: [BUILD, { ...TEST, waits: true }] },
      { name: 'Lint', jobs: [{ name: 'lint' }] },
    ]);
    const sha = await push();
    const conclusions = async () =>
      (await runsOf(sha)).map(({ name, status, conclusion }) => [name, status, conclusion]);
    expect(await conclusions()).toEqual([
      ['Lint', 'completed', 'success'],
      ['CI', 'in_progress', null],
    ]);
    const waiting = ci()
      .jobs(sha)
      .find(({ script }) => script.name === 'test');
    const where = { ...at, job_id: waiting!.id };
    expect((await actions().getJobForWorkflowRun(where)).data).toMatchObject({
      status: 'in_progress',
      completed_at: null,
    });
    await expect(actions().downloadJobLogsForWorkflowRun(where)).rejects.toMatchObject({
      status: 404,
    });
    await ci().finishJob(waiting!.id, [{ name: 'Run npm test' }]);
    expect((await conclusions())[1]).toEqual(['CI', 'completed', 'success']);
    await expect(ci().finishJob(waiting!.id)).rejects.toThrow('the job test is completed');
  });
});

describe('the log of a job', () => {
  const logAddress = async (job: number) => {
    const token = await mintToken(playground.github);
    const path = `/api/v3/repos/example/words/actions/jobs/${job}/logs`;
    const headers = { authorization: `token ${token}` };
    const answer = await fetch(playground.github.url + path, { headers, redirect: 'manual' });
    return { status: answer.status, address: answer.headers.get('location') ?? '', headers };
  };

  it('is the text that octokit gets, with a time on each line and a group for each step', async () => {
    const { job } = await failed();
    const { data } = await actions().downloadJobLogsForWorkflowRun({ ...at, job_id: job });
    const lines = String(data)
      .replaceAll(/^\S+Z /gm, '')
      .split('\n');
    expect(String(data)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z ##\[group\]Set up job\n/);
    expect(lines.slice(lines.indexOf('##[group]Run npm test'))).toEqual([
      '##[group]Run npm test',
      '##[endgroup]',
      'not ok 1',
      'not ok 2',
      '##[error]Two tests failed.',
      '##[group]Complete job',
      '##[endgroup]',
      '',
    ]);
  });

  it('is at an address on another origin, which takes no credentials, for a minute', async () => {
    const { status, address, headers } = await logAddress((await failed()).job);
    expect(status).toBe(302);
    expect(new URL(address).origin).not.toBe(playground.github.url);
    expect((await fetch(address)).status).toBe(200);
    expect((await fetch(address, { headers })).status).toBe(403);
    expect((await fetch(address.replace(/.$/, (end) => (end === '0' ? '1' : '0')))).status).toBe(
      403,
    );
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 61_000);
    const late = await fetch(address);
    clock.mockRestore();
    expect(late.status).toBe(403);
  });
});

describe('a run that failed', () => {
  it('runs its failed jobs again, with the next script, in another attempt', async () => {
    const { sha, id, job } = await failed();
    await actions().reRunWorkflowFailedJobs({ ...at, run_id: id });
    expect((await runsOf(sha))[0]).toMatchObject({
      id,
      run_attempt: 2,
      conclusion: 'success',
      triggering_actor: { login: 'issuewright[bot]' },
    });
    const latest = await jobsOf(id);
    expect(latest.map(({ name, run_attempt: attempt }) => [name, attempt])).toEqual([
      ['build', 1],
      ['test', 2],
    ]);
    expect((await jobsOf(id, 'all')).map((one) => one.id)).toContain(job);
    expect((await checksOf(sha)).map(({ conclusion }) => conclusion)).toEqual([
      'success',
      'success',
    ]);
    await expect(actions().reRunWorkflowFailedJobs({ ...at, run_id: id })).rejects.toMatchObject({
      status: 403,
    });
  });

  it('runs one job again, or all of them, and not while it runs', async () => {
    const { id, job } = await failed();
    await actions().reRunJobForWorkflowRun({ ...at, job_id: job });
    await actions().reRunWorkflow({ ...at, run_id: id });
    expect(await jobsOf(id, 'all')).toHaveLength(5);
    ci().script([{ name: 'CI', jobs: [{ ...TEST, waits: true }] }]);
    await actions().reRunWorkflow({ ...at, run_id: id });
    await expect(actions().reRunWorkflow({ ...at, run_id: id })).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('This workflow is already running'),
    });
  });

  it('runs again when a person asks for it, on the page or by its check or suite', async () => {
    const { sha, job } = await failed();
    const attempts = async () =>
      (await runsOf(sha)).map(({ run_attempt: attempt, status }) => [attempt, status]);
    await playground.github.as('maintainer').rerunCheck(repository(), job);
    expect(await attempts()).toEqual([[2, 'completed']]);
    const { checks } = withToken(playground.github, 'user_maintainer').rest;
    await checks.rerequestRun({ ...at, check_run_id: job });
    const [run] = await runsOf(sha);
    await checks.rerequestSuite({ ...at, check_suite_id: Number(run?.check_suite_id) });
    expect(await attempts()).toEqual([[4, 'completed']]);
  });

  it('runs once if two ask at the same time', async () => {
    const { id } = await failed();
    const again = () => actions().reRunWorkflow({ ...at, run_id: id });
    const outcomes = await Promise.allSettled([again(), again()]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});

it('is denied without its permission: to read and to run', async () => {
  const { github } = playground;
  const { id } = await failed();
  const reader = withToken(github, await mintToken(github, { permissions: { actions: 'read' } }));
  const other = withToken(github, await mintToken(github, { permissions: { checks: 'read' } }));
  const where = { ...at, run_id: id };
  expect((await reader.rest.actions.getWorkflowRun(where)).status).toBe(200);
  for (const refused of [
    reader.rest.actions.reRunWorkflowFailedJobs(where),
    other.rest.actions.getWorkflowRun(where),
  ])
    await expect(refused).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('Resource not accessible by integration'),
    });
});
