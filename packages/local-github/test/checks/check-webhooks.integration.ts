// The events of checks, statuses and workflows.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Playground } from '../support.ts';
import { asInstallation, startPlayground } from '../support.ts';
import { missingFields } from '../webhook-examples.ts';

const at = { owner: 'example', repo: 'words' };
let playground: Playground;
beforeAll(async () => {
  playground = await startPlayground({
    permissions: {
      contents: 'write',
      metadata: 'read',
      pull_requests: 'write',
      checks: 'write',
      statuses: 'read',
      actions: 'read',
    },
    events: ['status', 'workflow_run'],
  });
  await tellTheStory();
});
afterAll(() => playground.close());

/** Every event of the story, in its order. */
const STORY = [
  'check_suite.requested',
  'workflow_run.requested',
  'check_run.created',
  'workflow_run.in_progress',
  'check_run.completed',
  'check_suite.completed',
  'workflow_run.completed',
  'status.',
  'check_run.created',
  'check_run.completed',
  'check_suite.completed',
  'check_run.requested_action',
  'check_run.rerequested',
  'check_suite.rerequested',
];

async function tellTheStory(): Promise<void> {
  const { github } = playground;
  const repository = github.repository('example', 'words');
  const maintainer = github.as('maintainer');
  const { checks } = asInstallation(github).rest;
  const commit = async (text: string) =>
    maintainer.push(repository, { branch: 'two', files: { two: text }, message: 'Two' });
  github.installations.grant(1, { contents: 'write', metadata: 'read' });
  await commit('1');
  await maintainer.openPull(repository, { title: 'Two', head: 'two', base: 'main' });
  github.installations.acceptPermissions(1);
  github.ci(repository).script([{ name: 'CI', jobs: [{ name: 'test' }] }]);
  const sha = await commit('2');
  await github.ci(repository).setStatus(sha, { state: 'pending' });
  const actions = [{ label: 'Stop', description: 'Stop it', identifier: 'stop' }];
  const output = { title: 'Done', summary: 'All of it' };
  const { data: run } = await checks.create({
    ...at,
    name: 'Session',
    head_sha: sha,
    conclusion: 'success',
    actions,
    output,
  });
  await maintainer.requestAction(repository, Number(run.id), 'stop');
  await maintainer.rerunCheck(repository, Number(run.id));
  await checks.rerequestSuite({ ...at, check_suite_id: Number(run.check_suite?.id) });
  await github.waitFor(() => playground.received.length === STORY.length + 1, {
    what: 'all events',
  });
}

const deliveries = () =>
  playground.github.deliveries.filter(({ event }) => event !== 'installation');

describe('the events of checks', () => {
  it('come in their order', () => {
    expect(deliveries().map(({ event, action }) => `${event}.${action ?? ''}`)).toEqual(STORY);
  });

  it.each([...new Set(STORY)])('%s carries all that the examples of GitHub carry', (name) => {
    const [event, action] = name.split('.');
    const ours = deliveries().filter((one) => one.event === event && (one.action ?? '') === action);
    expect(ours.length).toBeGreaterThan(0);
    for (const one of ours) expect(missingFields(one)).toEqual([]);
  });

  it('name the pull request', () => {
    const [suite] = deliveries();
    expect(suite?.payload).toMatchObject({
      check_suite: { pull_requests: [{ number: 1, base: { ref: 'main' } }], head_branch: 'two' },
      installation: { id: 1 },
    });
  });
});
