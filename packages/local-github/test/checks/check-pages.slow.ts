// The checks of a pull request in the browser, and what people do with them there.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Playground } from '../support.ts';
import { asInstallation, startPlayground } from '../support.ts';

const at = { owner: 'example', repo: 'words' };
let playground: Playground;
let sha = '';
beforeAll(async () => {
  playground = await startPlayground({
    permissions: {
      contents: 'write',
      metadata: 'read',
      pull_requests: 'write',
      checks: 'write',
    },
  });
  const maintainer = playground.github.as('maintainer');
  const steps = [{ name: 'Run npm test', log: '<b>not ok</b>', fails: true }];
  ci().script([{ name: 'CI', jobs: [{ name: 'test', steps }] }], [{ name: 'CI', jobs: [PASSING] }]);
  const files = { two: '2\n' };
  sha = await maintainer.push(repository(), { branch: 'two', files, message: 'Two' });
  await maintainer.openPull(repository(), { title: 'Two', head: 'two', base: 'main' });
});
afterAll(() => playground.close());

const PASSING = { name: 'test' };
const repository = () => playground.github.repository('example', 'words');
const ci = () => playground.github.ci(repository());
const session = async (more: object) => {
  const { checks } = asInstallation(playground.github).rest;
  return (await checks.create({ ...at, name: 'Session', head_sha: sha, ...more })).data;
};

async function read(address: string): Promise<string> {
  const url = new URL(address, playground.github.url);
  return (await fetch(url)).text();
}

/** What is outside of tags. */
const textOf = (page: string): string =>
  page.replaceAll(/<[^>]*>|\s+/g, ' ').replaceAll(/ +/g, ' ');

async function post(path: string, form: Record<string, string>) {
  const { url } = playground.github;
  const body = new URLSearchParams({ as: 'maintainer', ...form });
  const headers = { origin: url };
  const answer = await fetch(url + path, { method: 'POST', redirect: 'manual', headers, body });
  return [answer.status, answer.headers.get('location')];
}

async function untilTold(action: string) {
  return playground.github.waitFor(
    () => playground.received.find(({ payload }) => payload['action'] === action),
    { what: action },
  );
}

describe('the page of a pull request', () => {
  it('shows the name, the App and the state of each check and status', async () => {
    await session({ status: 'in_progress', output: { title: 'Step <3>', summary: 'S' } });
    await ci().setStatus(sha, {
      state: 'error',
      context: 'ci/<x>',
      target_url: 'https://ci.test/',
    });
    const page = await read('/example/words/pull/1');
    for (const row of [
      'test GitHub Actions Failed',
      'Session Issuewright · Step &lt;3&gt; In progress',
      'ci/&lt;x&gt; Details of ci/&lt;x&gt; Error',
    ])
      expect(textOf(page)).toContain(row);
    expect(page).toContain('href="https://ci.test/"');
  });
});

describe('the page of a check', () => {
  it('shows its texts as Markdown without scripts, its annotations, and no button while it runs', async () => {
    const { html_url: url } = await session({
      output: {
        title: 'Two <b>',
        summary: '**bold** <script>alert(1)</script>',
        text: '[x](javascript:alert(2))',
        annotations: [
          {
            path: 'src/<index>.js',
            start_line: 3,
            end_line: 4,
            annotation_level: 'failure',
            title: 'Title <1>',
            message: 'Message <2>',
            raw_details: 'Raw <3>',
          },
        ],
      },
    });
    const page = await read(url ?? '');
    expect(page).toContain('<h2>Two &lt;b&gt;</h2>');
    expect(page).toContain('<strong>bold</strong>');
    expect(page).not.toMatch(/alert\(/);
    for (const text of [
      'src/&lt;index&gt;.js:3-4',
      'Title &lt;1&gt;',
      'Message &lt;2&gt;',
      'Raw &lt;3&gt;',
    ])
      expect(page).toContain(text);
    expect(page).not.toContain('Re-run');
  });

  it('sends the button that someone used to the App', async () => {
    const actions = [{ label: 'Stop <it>', description: 'Stop the work', identifier: 'stop' }];
    const running = await session({ status: 'in_progress', actions });
    expect(await read(running.html_url ?? '')).not.toContain('Stop &lt;it&gt;');
    const { id, html_url: url } = await session({ conclusion: 'neutral', actions });
    expect(await read(url ?? '')).toMatch(/value="stop">Stop &lt;it&gt;<\/button>/);
    const form = `/ui/example/words/checks/${id}/action`;
    expect(await post(form, { identifier: 'stop' })).toEqual([303, `/example/words/runs/${id}`]);
    expect((await untilTold('requested_action')).payload).toMatchObject({
      check_run: { id },
      requested_action: { identifier: 'stop' },
      sender: { login: 'maintainer' },
    });
    expect((await post(form, { identifier: 'stop', as: 'helper' }))[0]).toBe(403);
    expect((await post(form, { identifier: 'other' }))[0]).toBe(404);
  });

  it('asks the App to run its check again', async () => {
    const { id } = await session({ conclusion: 'failure' });
    await post(`/ui/example/words/checks/${id}/rerun`, {});
    expect((await untilTold('rerequested')).payload).toMatchObject({ check_run: { id } });
  });

  it('shows the steps and the log of a job, and runs it again', async () => {
    const [job] = ci().jobs(sha);
    const page = await read(`/example/words/actions/runs/${job?.runId}`);
    expect(page).toMatch(/Run npm test<\/span>[^]*Failed/);
    expect(page).toContain('&lt;b&gt;not ok&lt;/b&gt;');
    expect(page).toContain('##[error]Process completed with exit code 1.');
    await post(`/ui/example/words/checks/${job?.id}/rerun`, {});
    expect(ci().jobs(sha)).toMatchObject([{ attempt: 2 }]);
    expect(await read('/example/words/pull/1')).toContain('Successful</b>');
  });
});

it('faults and new names work for the routes of checks, as for others', async () => {
  const { github } = playground;
  github.faults.failNext({ method: 'POST', path: /\/check-runs$/, status: 502 });
  await expect(session({})).rejects.toMatchObject({ status: 502 });
  const before = repository().checks.runs.length;
  const hold = github.faults.hold({ method: 'POST', path: /\/check-runs$/ });
  const asked = session({}).catch(() => 'lost');
  await hold.applied;
  hold.drop();
  expect(await asked).toBe('lost');
  expect(repository().checks.runs).toHaveLength(before + 1);
  github.as('maintainer').rename(repository(), 'renamed');
  const url = `${github.url}/api/v3/repos/example/words/commits/${sha}/check-runs`;
  const headers = { authorization: 'Bearer user_maintainer' };
  const moved = await fetch(url, { headers, redirect: 'manual' });
  expect(moved.status).toBe(301);
  expect(await (await fetch(url, { headers })).json()).toMatchObject({
    total_count: expect.any(Number),
  });
});
