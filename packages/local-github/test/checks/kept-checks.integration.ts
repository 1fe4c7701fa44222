// Checks, statuses and workflow runs stay in the world file.
import path from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { readFile, writeFile } from 'node:fs/promises';
import { startLocalGitHub, type LocalGitHub } from '../../src/index.ts';
import { PRIVATE_KEY } from '../../../../test/support/private-key.ts';
import { temporaryDirectory } from '../../../../test/support/temporary-directory.ts';
import { asInstallation, SECRET } from '../support.ts';

const BUILD = { name: 'build' };
const NOTE = {
  path: 'one',
  start_line: 1,
  end_line: 1,
  annotation_level: 'notice' as const,
  message: 'Hm',
};

const at = { owner: 'example', repo: 'words' };
const folder = temporaryDirectory();
const worldFile = path.join(folder, 'world.json');
let github: LocalGitHub;
afterAll(() => github.close());

const start = () =>
  startLocalGitHub({
    directory: path.join(folder, 'repositories'),
    worldFile,
    app: {
      id: 4242,
      slug: 'issuewright',
      name: 'Issuewright',
      privateKeyPem: PRIVATE_KEY,
      webhookSecret: SECRET,
      permissions: { contents: 'write', checks: 'write', statuses: 'read', actions: 'write' },
    },
    users: [{ login: 'maintainer' }],
  });

/** All that the API says of the commit, without the port, which is another one after a restart. */
async function everything(sha: string): Promise<string> {
  const { checks, repos, actions } = asInstallation(github).rest;
  const { data: runs } = await checks.listForRef({ ...at, ref: sha, filter: 'all' });
  const { data: jobs } = await actions.listWorkflowRunsForRepo({ ...at, head_sha: sha });
  const [run] = jobs.workflow_runs;
  const answers = await Promise.all([
    checks.listSuitesForRef({ ...at, ref: sha }),
    checks.listAnnotations({ ...at, check_run_id: Number(runs.check_runs[0]?.id) }),
    repos.listCommitStatusesForRef({ ...at, ref: sha }),
    actions.listJobsForWorkflowRun({ ...at, run_id: Number(run?.id) }),
  ]);
  const all = [runs, jobs, ...answers.map(({ data }) => data)];
  return JSON.stringify(all).replaceAll(github.url, 'URL');
}

it('are the same after a restart, and the next outcome too', async () => {
  github = await start();
  const repository = await github.createRepository({
    owner: 'example',
    name: 'words',
    files: { 'README.md': '# Words\n' },
    collaborators: { maintainer: 'admin' },
  });
  const test = { name: 'test', steps: [{ name: 'Run npm test', log: 'no', fails: true }] };
  github.ci(repository).script([{ name: 'CI', jobs: [test] }], [{ name: 'CI', jobs: [BUILD] }]);
  const files = { one: '1' };
  const sha = await github.as('maintainer').push(repository, { branch: 'a', files, message: 'A' });
  await github.ci(repository).setStatus(sha, { state: 'pending', description: 'Wait' });
  const run = await asInstallation(github).rest.checks.create({
    ...at,
    name: 'Session',
    head_sha: sha,
    actions: [{ label: 'Stop', description: 'Stop it', identifier: 'stop' }],
    output: { title: 'T', summary: 'S', annotations: [NOTE] },
  });
  const before = await everything(sha);
  await github.close();

  github = await start();
  expect(await everything(sha)).toBe(before);
  const kept = github.repository('example', 'words');
  expect(kept.checks.runs.find(({ id }) => id === run.data.id)?.actions).toHaveLength(1);
  const more = { files: { two: '2' }, message: 'B', branch: 'b' };
  const next = await github.as('maintainer').push(kept, more);
  expect(github.ci(kept).jobs(next)).toMatchObject([{ script: { name: 'build' } }]);
});

it('are none in a file of an earlier version', async () => {
  await github.close();
  const world: { repositories: object[] } = JSON.parse(await readFile(worldFile, 'utf8'));
  for (const one of world.repositories) Reflect.deleteProperty(one, 'checks');
  await writeFile(worldFile, JSON.stringify(world));
  github = await start();
  expect(github.repository('example', 'words').checks).toMatchObject({ suites: [], outcomes: [] });
});
