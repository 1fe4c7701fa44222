// Merges that GitHub makes by itself, in its words where it cannot.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewRuleset } from '../src/github/rules/ruleset.ts';
import { nodeId } from '../src/github/state.ts';
import { asInstallation, startPlayground, type Playground } from './support.ts';

let playground: Playground;
let count = 0;
beforeAll(async () => {
  playground = await startPlayground();
});
afterAll(() => playground.close());

const REVIEWED: NewRuleset['rules'] = [
  { type: 'pull_request', parameters: { required_approving_review_count: 1 } },
];
const QUEUED: NewRuleset['rules'] = [...REVIEWED, { type: 'merge_queue' }];

/** A pull request from a fork into a branch with these rules. */
async function scene(rules: NewRuleset['rules'], settings = { allow_auto_merge: true }) {
  count += 1;
  const { github } = playground;
  const repository = await github.createRepository({
    owner: 'example',
    name: `merges-${count}`,
    files: { 'README.md': 'Words\n' },
    collaborators: { maintainer: 'admin' },
  });
  const [maintainer, stranger] = [github.as('maintainer'), github.as('stranger')];
  const include = { ref_name: { include: ['~DEFAULT_BRANCH'] } };
  if (rules !== undefined)
    maintainer.addRuleset(repository, {
      name: 'Rules',
      enforcement: 'active',
      conditions: include,
      rules,
    });
  maintainer.changeMergeSettings(repository, settings);
  const fork = await stranger.fork(repository);
  const push = (file: string) =>
    stranger.push(fork, { branch: 'patch', files: { [file]: 'x\n' }, message: 'Patch' });
  await push('a.txt');
  const pull = await stranger.openPull(repository, {
    title: 'Patch',
    head: 'stranger:patch',
    base: 'main',
  });
  const thread = { repository, number: pull.number };
  const id = nodeId('PR', pull.pull.id);
  const mutate = (name: string, input: Record<string, unknown>) =>
    asInstallation(github).graphql(
      `mutation ($input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) { clientMutationId } }`,
      { input },
    );
  const enable = (more: Record<string, unknown> = {}) =>
    mutate('enablePullRequestAutoMerge', { pullRequestId: id, ...more });
  const approve = () => maintainer.review(thread, { event: 'APPROVE' });
  const merged = () => github.waitFor(() => pull.pull.merged !== undefined, { what: 'the merge' });
  const at = { owner: 'example', repo: repository.name, pull_number: pull.number };
  const shown = async () => (await asInstallation(github).rest.pulls.get(at)).data.auto_merge;
  return { pull, id, mutate, enable, approve, merged, push, shown, maintainer, thread };
}

describe('auto-merge', () => {
  it('merges with its method once the reviews that a rule wants are there', async () => {
    const { enable, approve, merged, shown, pull } = await scene(REVIEWED);
    await enable({ mergeMethod: 'SQUASH' });
    expect(await shown()).toMatchObject({
      merge_method: 'squash',
      enabled_by: { login: 'issuewright[bot]' },
    });
    expect(pull.state).toBe('open');
    await approve();
    await merged();
    expect(pull.pull.merged?.by.login).toBe('issuewright[bot]');
  });

  it('ends when someone without write access pushes, and when it is ended', async () => {
    const { enable, push, shown, mutate, id } = await scene(REVIEWED);
    await enable();
    await push('b.txt');
    expect(await shown()).toBeNull();
    await enable();
    await mutate('disablePullRequestAutoMerge', { pullRequestId: id });
    expect(await shown()).toBeNull();
    await expect(mutate('disablePullRequestAutoMerge', { pullRequestId: id })).rejects.toThrow(
      "Can't disable auto-merge",
    );
  });

  it('is not enabled if there is nothing to wait for, or if it is not allowed', async () => {
    const plain = await scene(undefined);
    await expect(plain.enable()).rejects.toThrow('Protected branch rules not configured');
    const forbidden = await scene(REVIEWED, { allow_auto_merge: false });
    await expect(forbidden.enable()).rejects.toThrow('Auto merge is not allowed');
    const ready = await scene(REVIEWED);
    await expect(ready.enable({ expectedHeadOid: '0'.repeat(40) })).rejects.toThrow(
      'Head branch was modified',
    );
    await ready.approve();
    await expect(ready.enable()).rejects.toThrow('Pull request is in clean status');
  });
});

describe('a merge queue', () => {
  it('takes a pull request whose requirements are met, and merges it', async () => {
    const { mutate, id, approve, merged } = await scene(QUEUED, { allow_auto_merge: false });
    await expect(mutate('enqueuePullRequest', { pullRequestId: id })).rejects.toThrow(
      'approving review is required',
    );
    await approve();
    await mutate('enqueuePullRequest', { pullRequestId: id });
    await merged();
  });

  it('takes no pull request into a branch without one', async () => {
    const { mutate, id } = await scene(REVIEWED);
    await expect(mutate('enqueuePullRequest', { pullRequestId: id })).rejects.toThrow(
      'no merge queue',
    );
  });
});
