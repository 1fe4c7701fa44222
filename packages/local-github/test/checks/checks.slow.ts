// Check runs and suites of the App under development, and those of others.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Playground } from '../support.ts';
import { asInstallation, mintToken, startPlayground, withToken } from '../support.ts';
import { sendWrongRequests } from '../../../../test/support/github-schemas/wrong-requests.ts';

sendWrongRequests();

const at = { owner: 'example', repo: 'words' };
const CHECKS = {
  contents: 'write',
  issues: 'write',
  metadata: 'read',
  pull_requests: 'write',
  checks: 'write',
} as const;

let playground: Playground;
let sha = '';
let pushes = 0;
beforeAll(async () => {
  playground = await startPlayground({ permissions: CHECKS });
});
afterAll(() => playground.close());
beforeEach(async () => {
  pushes += 1;
  sha = await push(`branch-${pushes}`);
});

const repository = () => playground.github.repository('example', 'words');
const maintainer = () => playground.github.as('maintainer');
const client = () => asInstallation(playground.github, '/api/v3');
const ci = () => playground.github.ci(repository());
const push = (branch: string) =>
  maintainer().push(repository(), { branch, files: { count: `${pushes}\n` }, message: 'Count' });

/** What the App was told about the commit, in order, once it was told so much. */
async function told(count: number): Promise<string[]> {
  const names = () =>
    playground.received
      .filter(({ event, text }) => event !== 'push' && text.includes(sha))
      .map(({ event, payload }) => `${event}.${String(payload['action'])}`);
  await playground.github.waitFor(() => names().length >= count, { what: `${count} events` });
  return names();
}

const checkRun = async (more: object = {}) =>
  (await client().rest.checks.create({ ...at, name: 'Session', head_sha: sha, ...more })).data;
const suites = async (ref = sha) =>
  (await client().rest.checks.listSuitesForRef({ ...at, ref })).data.check_suites;
const annotation = (line: number) => ({
  path: 'a b/count',
  start_line: line,
  end_line: line,
  annotation_level: 'warning' as const,
  message: `Number ${line}`,
});

const LONGER_THAN_20 = /Only 20 characters are allowed; 21 were supplied/;

describe('a check run', () => {
  it('is created in the suite that the push made, updated, and completed', async () => {
    const { number } = await maintainer().openPull(repository(), {
      title: 'Count',
      head: `branch-${pushes}`,
      base: 'main',
    });
    expect(await suites()).toMatchObject([
      { status: 'queued', conclusion: null, head_branch: `branch-${pushes}`, after: sha },
    ]);
    const run = await checkRun({ external_id: 'session-7' });
    expect(run).toMatchObject({
      status: 'queued',
      conclusion: null,
      completed_at: null,
      external_id: 'session-7',
      app: { slug: 'issuewright' },
      pull_requests: [{ number, head: { sha }, base: { ref: 'main' } }],
      html_url: `${playground.github.url}/example/words/runs/${run.id}`,
      output: { title: null, summary: null, annotations_count: 0 },
    });
    const where = { ...at, check_run_id: Number(run.id) };
    const output = { title: 'Working', summary: 'First **step**' };
    await client().rest.checks.update({ ...where, status: 'in_progress', output });
    expect(await suites()).toMatchObject([{ status: 'in_progress', latest_check_runs_count: 1 }]);
    await client().rest.checks.update({ ...where, output: { summary: 'Second step' } });
    await client().rest.checks.update({ ...where, conclusion: 'neutral' });
    await client().rest.checks.update({ ...where, details_url: 'https://example.test/7' });
    const { data } = await client().rest.checks.get(where);
    expect(data).toMatchObject({
      status: 'completed',
      conclusion: 'neutral',
      details_url: 'https://example.test/7',
      output: { title: 'Working', summary: 'Second step' },
    });
    expect(data.completed_at).toMatch(/Z$/);
    expect(await suites()).toMatchObject([{ status: 'completed', conclusion: 'neutral' }]);
    await checkRun({ name: 'Another' });
    expect(await told(6)).toEqual([
      'check_suite.requested',
      'pull_request.opened',
      'check_run.created',
      'check_run.completed',
      'check_suite.completed',
      'check_run.created',
    ]);
  });

  it('collects its annotations, fifty in a request', async () => {
    const fifty = Array.from({ length: 50 }, (_, index) => annotation(index + 1));
    const output = { title: 'T', summary: 'S', annotations: fifty };
    const run = await checkRun({ output });
    const where = { ...at, check_run_id: Number(run.id) };
    const more = { ...output, annotations: [{ ...annotation(51), title: 'Last' }] };
    const { data } = await client().rest.checks.update({ ...where, output: more });
    expect(data.output.annotations_count).toBe(51);
    const all = await client().paginate(client().rest.checks.listAnnotations, where);
    expect(all.map(({ start_line: line }) => line)).toEqual(
      Array.from({ length: 51 }, (_, index) => index + 1),
    );
    expect(all[50]).toMatchObject({
      title: 'Last',
      raw_details: null,
      blob_href: `${playground.github.url}/example/words/blob/${sha}/a%20b/count`,
    });
    await expect(
      checkRun({ output: { ...output, annotations: [...fifty, annotation(51)] } }),
    ).rejects.toMatchObject({
      status: 422,
      response: {
        data: {
          message: 'Invalid request.\n\nNo more than 50 items are allowed; 51 were supplied.',
        },
      },
    });
  });

  const action = { label: 'Stop', description: 'Stop the work', identifier: 'stop' };
  it.each([
    ['a long label', { actions: [{ ...action, label: 'x'.repeat(21) }] }, LONGER_THAN_20],
    ['a long description', { actions: [{ ...action, description: 'x'.repeat(41) }] }, /Only 40/],
    ['a long identifier', { actions: [{ ...action, identifier: 'x'.repeat(21) }] }, LONGER_THAN_20],
    ['four buttons', { actions: [action, action, action, action] }, /No more than 3 items/],
    ['half a button', { actions: [{ label: 'Stop' }] }, /"description" wasn't supplied/],
    ['a long summary', { output: { title: 'T', summary: 'x'.repeat(65_536) } }, /Only 65535/],
    ['no title', { output: { summary: 'S' } }, /"title" wasn't supplied/],
    ['an end without a conclusion', { status: 'completed' }, /"conclusion" wasn't supplied/],
    ['what only GitHub concludes', { conclusion: 'stale' }, /For 'properties\/conclusion'/],
    ['an address that runs a script', { details_url: 'javascript:x' }, /'properties\/details_url'/],
    ['an unknown commit', { head_sha: '0'.repeat(40) }, /No commit found for SHA: 0/],
  ])('is refused with %s', async (_what, more, message) => {
    const before = repository().checks.runs.length;
    const refused = await checkRun(more).catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 422, message: expect.stringMatching(message) });
    expect(repository().checks.runs).toHaveLength(before);
  });

  it('is found by its commit, name, status and App, the newest of each name unless all are asked for', async () => {
    const first = await checkRun({ conclusion: 'failure' });
    const second = await checkRun({ conclusion: 'success' });
    await checkRun({ name: 'Other' });
    const foreign = await ci().startCheck({ name: 'Session', head_sha: sha });
    const list = async (query: object) => {
      const wanted = { ...at, ref: `branch-${pushes}`, ...query };
      const { data } = await client().rest.checks.listForRef(wanted);
      expect(data.total_count).toBe(data.check_runs.length);
      return data.check_runs.map(({ id }) => Number(id)).toSorted((one, other) => one - other);
    };
    const own = 4242;
    const mine = { check_name: 'Session', app_id: own };
    expect(await list(mine)).toEqual([second.id]);
    expect(await list({ ...mine, filter: 'all' })).toEqual([first.id, second.id]);
    expect(await list({ check_name: 'Session' })).toEqual([second.id, foreign.id]);
    expect(await list({ status: 'completed' })).toEqual([second.id]);
    const { data } = await client().rest.checks.listForRef({ ...at, ref: sha, per_page: 1 });
    expect([data.total_count, data.check_runs.length]).toEqual([3, 1]);
    expect(await suites()).toMatchObject([
      { app: { id: own }, status: 'in_progress' },
      { app: { slug: 'some-ci' }, status: 'queued' },
    ]);
  });

  it('starts again when the App says so, and completes again', async () => {
    const { id } = await checkRun({ conclusion: 'failure' });
    const where = { ...at, check_run_id: Number(id) };
    const { data } = await client().rest.checks.update({ ...where, status: 'in_progress' });
    expect(data).toMatchObject({ status: 'in_progress', conclusion: null, completed_at: null });
    await client().rest.checks.update({ ...where, conclusion: 'success' });
    expect((await suites())[0]).toMatchObject({ conclusion: 'success' });
  });
});

describe('a suite', () => {
  it.each([
    [['success', 'neutral', 'timed_out'], 'timed_out'],
    [['cancelled', 'timed_out', 'failure', 'success'], 'failure'],
    [['skipped', 'success'], 'success'],
    [['skipped'], 'skipped'],
  ])('of runs that ended in %j ended in %s', async (conclusions, expected) => {
    for (const conclusion of conclusions) await checkRun({ name: conclusion, conclusion });
    expect((await suites())[0]).toMatchObject({ status: 'completed', conclusion: expected });
  });

  it('is queued again when it or one of its runs is requested again', async () => {
    const run = await checkRun({ conclusion: 'failure' });
    await client().rest.checks.rerequestRun({ ...at, check_run_id: Number(run.id) });
    expect((await suites())[0]).toMatchObject({ status: 'queued', conclusion: null });
    await checkRun({ conclusion: 'success' });
    const [suite] = await suites();
    expect(suite).toMatchObject({ status: 'completed', conclusion: 'success' });
    const where = { ...at, check_suite_id: Number(suite?.id) };
    await client().rest.checks.rerequestSuite(where);
    expect((await client().rest.checks.getSuite(where)).data.status).toBe('queued');
    expect(await told(9)).toEqual([
      'check_suite.requested',
      'check_run.created',
      'check_run.completed',
      'check_suite.completed',
      'check_run.rerequested',
      'check_run.created',
      'check_run.completed',
      'check_suite.completed',
      'check_suite.rerequested',
    ]);
  });

  it('is made once for a commit on two branches, and for a merge', async () => {
    const { number } = await maintainer().openPull(repository(), {
      title: 'Count',
      head: `branch-${pushes}`,
      base: 'main',
    });
    await client().rest.git.createRef({ ...at, ref: `refs/heads/same-${pushes}`, sha });
    const merged = await maintainer().merge({ repository: repository(), number });
    expect(await suites(merged)).toMatchObject([{ head_branch: 'main', head_sha: merged }]);
    expect(await suites()).toHaveLength(1);
  });
});

describe('a button', () => {
  const actions = [{ label: 'Stop', description: 'Stop the work', identifier: 'stop' }];

  it('tells the App of the check which one it was, and who used it', async () => {
    const run = await checkRun({ actions });
    await maintainer().requestAction(repository(), Number(run.id), 'stop');
    await told(3);
    expect(playground.received.at(-1)?.payload).toMatchObject({
      requested_action: { identifier: 'stop' },
      check_run: { id: run.id, name: 'Session' },
      sender: { login: 'maintainer' },
    });
  });

  it('needs write access, and has to be there', async () => {
    const { id } = await checkRun({ actions });
    const use = (who: string, identifier: string) =>
      playground.github.as(who).requestAction(repository(), Number(id), identifier);
    await expect(use('helper', 'stop')).rejects.toMatchObject({ status: 403 });
    await expect(use('maintainer', 'go')).rejects.toMatchObject({ status: 404 });
  });
});

describe('the check of another App', () => {
  it('is told to the App, which can read it and nothing else', async () => {
    const actions = [{ label: 'Fix', description: 'Fix it', identifier: 'fix' }];
    const run = await ci().startCheck({ name: 'Lint', head_sha: sha, actions });
    await ci().changeCheck(run.id, { conclusion: 'failure' });
    const where = { ...at, check_run_id: run.id };
    expect((await client().rest.checks.get(where)).data).toMatchObject({
      conclusion: 'failure',
      app: { slug: 'some-ci' },
    });
    await expect(client().rest.checks.update({ ...where, name: 'Mine' })).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining('can only be modified by the GitHub App that created it'),
    });
    await expect(client().rest.checks.rerequestRun(where)).rejects.toMatchObject({ status: 403 });
    await maintainer().requestAction(repository(), run.id, 'fix');
    await maintainer().rerunCheck(repository(), run.id);
    await checkRun();
    expect(await told(5)).toEqual([
      'check_suite.requested',
      'check_run.created',
      'check_run.completed',
      'check_suite.completed',
      'check_run.created',
    ]);
  });
});

describe('checks', () => {
  const denied = (message: string) => ({ status: 403, message: expect.stringContaining(message) });
  const readingWith = async (permissions: Record<string, 'read' | 'write'>) =>
    withToken(playground.github, await mintToken(playground.github, { permissions })).rest.checks;

  it('are denied without their permission', async () => {
    const reader = await readingWith({ checks: 'read' });
    const other = await readingWith({ issues: 'read' });
    expect((await reader.listForRef({ ...at, ref: sha })).status).toBe(200);
    await expect(reader.create({ ...at, name: 'No', head_sha: sha })).rejects.toMatchObject(
      denied('Resource not accessible by integration'),
    );
    await expect(other.listForRef({ ...at, ref: sha })).rejects.toMatchObject({
      ...denied('Resource not accessible by integration'),
      response: { headers: { 'x-accepted-github-permissions': 'checks=read' } },
    });
  });

  it('are made by Apps, not by people', async () => {
    const { checks } = withToken(playground.github, 'user_maintainer').rest;
    await expect(checks.create({ ...at, name: 'No', head_sha: sha })).rejects.toMatchObject(
      denied('You must authenticate via a GitHub App'),
    );
  });
});
