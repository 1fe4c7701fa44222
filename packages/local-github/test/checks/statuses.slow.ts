import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Playground } from '../support.ts';
import { asInstallation, startPlayground, withToken } from '../support.ts';
import { sendWrongRequests } from '../../../../test/support/github-schemas/wrong-requests.ts';

sendWrongRequests();

const at = { owner: 'example', repo: 'words' };
const STATES = {
  success: 'success',
  pending: 'pending',
  failure: 'failure',
  error: 'error',
} as const;

let playground: Playground;
let sha = '';
let pushes = 0;
beforeAll(async () => {
  playground = await startPlayground({
    permissions: { contents: 'write', metadata: 'read', pull_requests: 'write', statuses: 'write' },
    events: ['status'],
  });
});
afterAll(() => playground.close());
beforeEach(async () => {
  pushes += 1;
  const files = { count: `${pushes}\n` };
  const branch = `branch-${pushes}`;
  sha = await maintainer().push(repository(), { branch, files, message: 'Count' });
});

const repository = () => playground.github.repository('example', 'words');
const maintainer = () => playground.github.as('maintainer');
const client = () => asInstallation(playground.github, '/api/v3');
const set = (more: { state?: keyof typeof STATES; context?: string; description?: string }) =>
  client().rest.repos.createCommitStatus({ ...at, sha, state: 'success', ...more });
const combined = async () =>
  (await client().rest.repos.getCombinedStatusForRef({ ...at, ref: `branch-${pushes}` })).data;

describe('statuses of a commit', () => {
  it.each([
    [[], 'pending'],
    [['success', 'pending'], 'pending'],
    [['success', 'error', 'pending'], 'failure'],
    [['failure'], 'failure'],
    [['success', 'success'], 'success'],
  ] as const)('that are %j are together %s', async (states, expected) => {
    for (const [index, state] of states.entries()) await set({ state, context: `ci/${index}` });
    expect(await combined()).toMatchObject({
      state: expected,
      sha,
      total_count: states.length,
      repository: { full_name: 'example/words' },
    });
  });

  it('count by the newest of each context, without case, and are all listed, newest first', async () => {
    await set({ state: 'pending', context: 'ci/test' });
    await set({ context: 'CI/Test', description: 'Passed' });
    await set({ state: 'failure' });
    const { statuses } = await combined();
    expect(statuses).toMatchObject([
      { context: 'default', state: 'failure' },
      { context: 'CI/Test', state: 'success', description: 'Passed' },
    ]);
    const { data } = await client().rest.repos.listCommitStatusesForRef({ ...at, ref: sha });
    expect(data.map(({ state }) => state)).toEqual(['failure', 'success', 'pending']);
    expect(data[0]).toMatchObject({ creator: { login: 'issuewright[bot]' }, target_url: null });
  });

  it('are told to the App, with the branches of the commit', async () => {
    const status = {
      state: 'failure',
      context: 'ci/other',
      target_url: 'https://ci.test/7',
    } as const;
    await playground.github.ci(repository()).setStatus(sha, status);
    const told = await playground.github.waitFor(
      () => playground.received.find(({ text }) => text.includes('ci/other')),
      { what: 'the event' },
    );
    expect(told).toMatchObject({
      event: 'status',
      payload: {
        ...status,
        sha,
        name: 'example/words',
        branches: [{ name: `branch-${pushes}`, commit: { sha } }],
        sender: { login: 'some-ci[bot]' },
      },
    });
  });

  it('decide whether a pull request can be merged cleanly', async () => {
    const wanted = { title: 'Count', head: `branch-${pushes}`, base: 'main' };
    const { number } = await maintainer().openPull(repository(), wanted);
    const state = async () =>
      (await client().rest.pulls.get({ ...at, pull_number: number })).data.mergeable_state;
    expect(await state()).toBe('unknown'); // at the first look
    expect(await state()).toBe('clean');
    await set({ state: 'failure' });
    expect(await state()).toBe('unstable');
    await set({});
    expect(await state()).toBe('clean');
  });
});

describe('a status', () => {
  it.each([
    ['description', 141, 'description is too long (maximum is 140 characters)'],
    ['context', 256, 'context is too long (maximum is 255 characters)'],
  ])('is rejected if its %s has %i characters', async (field, length, message) => {
    await expect(set({ [field]: 'x'.repeat(length) })).rejects.toMatchObject({
      status: 422,
      response: { data: { errors: [{ message }] } },
    });
  });

  it('needs a commit, a known state, and someone who may write', async () => {
    const ofNothing = { ...at, sha: '0'.repeat(40), state: 'success' } as const;
    await expect(client().rest.repos.createCommitStatus(ofNothing)).rejects.toThrow(
      `No commit found for SHA: ${ofNothing.sha}`,
    );
    await expect(
      client().request(`POST /repos/example/words/statuses/${sha}`, { state: 'good' }),
    ).rejects.toMatchObject({ status: 422 });
    const by = (login: string) =>
      withToken(playground.github, `user_${login}`).rest.repos.createCommitStatus({
        ...at,
        sha,
        state: 'success',
      });
    await expect(by('helper')).rejects.toMatchObject({ status: 403 });
    expect((await by('maintainer')).status).toBe(201);
  });
});

it('are not told to an App that may not read them', async () => {
  playground.github.installations.grant(1, { contents: 'write', metadata: 'read' });
  const before = playground.github.deliveries.length;
  await playground.github.ci(repository()).setStatus(sha, { state: 'success' });
  playground.github.installations.acceptPermissions(1);
  const told = await playground.github.waitFor(() => playground.github.deliveries[before], {
    what: 'the next event',
  });
  expect(told.event).toBe('installation');
});
