// What the local GitHub does differently once one of its rules is turned wrong.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { FalsifiableId } from '../src/github/behaviours/rules.ts';
import type { Playground } from './support.ts';
import { asInstallation, mintToken, startPlayground, withToken } from './support.ts';

let playground: Playground;
let count = 0;
beforeAll(async () => {
  playground = await startPlayground({
    permissions: {
      contents: 'write',
      issues: 'write',
      metadata: 'read',
      pull_requests: 'write',
      checks: 'write',
    },
    events: ['issues', 'pull_request', 'pull_request_review', 'pull_request_review_comment'],
  });
});
afterEach(() => playground.github.rules.restore());
afterAll(() => playground.close());

/** A repository of its own, an issue in it, and a pull request that closes it. */
async function scene({ draft = false } = {}) {
  count += 1;
  const { github } = playground;
  const maintainer = github.as('maintainer');
  const repo = `scene-${count}`;
  const repository = await github.createRepository({
    owner: 'example',
    name: repo,
    files: { 'a.txt': 'a\n' },
    collaborators: { maintainer: 'admin', helper: 'write' },
  });
  const issue = maintainer.openIssue(repository, { title: 'An issue' });
  const push = { branch: 'work', files: { 'b.txt': 'b\n' }, message: 'Add b' };
  const sha = await maintainer.push(repository, push);
  const pull = await maintainer.openPull(repository, {
    title: 'Work',
    body: `Closes #${issue.number}`,
    head: 'work',
    base: 'main',
    draft,
  });
  const at = { owner: 'example', repo };
  const thread = { repository, number: pull.number };
  return { github, maintainer, repository, issue, pull, sha, at, thread, rest: api() };
}

const api = () => asInstallation(playground.github).rest;

/** Whether it is denied. */
const isDenied = (work: () => unknown): Promise<boolean> =>
  Promise.resolve()
    .then(work)
    .then(
      () => false,
      () => true,
    );

const RESOLVE = `mutation ($id: ID!) {
  resolveReviewThread(input: { threadId: $id }) { thread { isResolved } }
}`;
const THREADS = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    pullRequest(number: $number) { reviewThreads(first: 1) { nodes { id } } }
  }
}`;

interface Threads {
  readonly repository: {
    readonly pullRequest: { readonly reviewThreads: { readonly nodes: readonly { id: string }[] } };
  };
}

/** Whether GitHub does what the rule says. */
const PROBES = {
  'app-commits-are-signed': async () => {
    const { rest, at, sha } = await scene();
    const { data: parent } = await rest.git.getCommit({ ...at, commit_sha: sha });
    const commit = { ...at, message: 'Again', tree: parent.tree.sha, parents: [sha] };
    return (await rest.git.createCommit(commit)).data.verification.verified;
  },
  'base-deleted': async () => {
    const { maintainer, repository, thread } = await scene();
    const push = { branch: 'upper', files: { 'c.txt': 'c\n' }, message: 'Add c' };
    await maintainer.push(repository, push);
    const upper = { title: 'Upper', head: 'upper', base: 'work' };
    const stacked = await maintainer.openPull(repository, upper);
    await maintainer.merge(thread);
    await maintainer.deleteBranch(repository, 'work');
    return stacked.pull.base === 'main';
  },
  'body-limit': async () => {
    const { rest, at, issue } = await scene();
    const comment = { ...at, issue_number: issue.number, body: 'x'.repeat(65_537) };
    return isDenied(() => rest.issues.createComment(comment));
  },
  'check-run-buttons': async () => {
    const { github, maintainer, repository, rest, at, sha } = await scene();
    const action = { label: 'Stop', description: 'Stop it', identifier: 'stop' };
    const check = { ...at, name: 'Work', head_sha: sha, conclusion: 'success' as const };
    const { data } = await rest.checks.create({ ...check, actions: [action] });
    await maintainer.requestAction(repository, data.id, 'stop');
    await github.webhooksSent();
    return github.deliveries.some(
      (one) => one.repositoryId === repository.id && one.action === 'requested_action',
    );
  },
  'closing-keywords': async () => {
    const { maintainer, issue, thread } = await scene();
    await maintainer.merge(thread);
    return issue.state === 'closed';
  },
  'draft-is-not-merged': async () => {
    const { maintainer, thread } = await scene({ draft: true });
    return isDenied(() => maintainer.merge(thread));
  },
  'labels-ignore-case': async () => {
    const { maintainer, repository, issue } = await scene();
    maintainer.label({ repository, number: issue.number }, 'bug', 'Bug');
    return repository.labels.length === 1;
  },
  'locked-conversation': async () => {
    const { maintainer, repository, rest, at, issue } = await scene();
    maintainer.lock({ repository, number: issue.number });
    const comment = { ...at, issue_number: issue.number, body: 'Hello' };
    return isDenied(() => rest.issues.createComment(comment));
  },
  'mergeable-unknown-at-first': async () => {
    const { rest, at, pull } = await scene();
    const { data } = await rest.pulls.get({ ...at, pull_number: pull.number });
    return data.mergeable === null;
  },
  'own-pull-approval': async () => {
    const { maintainer, thread } = await scene();
    return isDenied(() => maintainer.review(thread, { event: 'APPROVE' }));
  },
  'reaction-once': async () => {
    const { rest, at, issue } = await scene();
    const wanted = { ...at, issue_number: issue.number, content: 'eyes' as const };
    await rest.reactions.createForIssue(wanted);
    return (await rest.reactions.createForIssue(wanted)).status === 200;
  },
  'redelivery-keeps-guid': async () => {
    const { github } = await scene();
    await github.webhooksSent();
    const guid = github.deliveries.at(-1)?.guid ?? '';
    await github.redeliver(guid);
    return github.deliveries.at(-1)?.guid === guid;
  },
  'reopen-of-merged': async () => {
    const { maintainer, thread } = await scene();
    await maintainer.merge(thread);
    return isDenied(() => maintainer.reopen(thread));
  },
  'resolve-thread': async () => {
    const { github, maintainer, at, pull, thread } = await scene();
    await maintainer.remark(thread, { path: 'b.txt', body: 'Why?', line: 1 });
    const found = await asInstallation(github).graphql<Threads>(THREADS, {
      ...at,
      number: pull.number,
    });
    const [first] = found.repository.pullRequest.reviewThreads.nodes;
    const permissions = { contents: 'read', pull_requests: 'write' } as const;
    const client = withToken(github, await mintToken(github, { permissions }));
    return isDenied(() => client.graphql(RESOLVE, { id: first?.id }));
  },
  'review-events': async () => {
    const { github, repository, thread } = await scene();
    const comments = [{ path: 'b.txt', body: 'Why?', line: 1 }];
    await github.as('helper').review(thread, { event: 'COMMENT', body: 'Hm.', comments });
    await github.webhooksSent();
    const kind = 'pull_request_review_comment';
    return github.deliveries.some(
      (one) => one.repositoryId === repository.id && one.event === kind,
    );
  },
  'workflow-files': async () => {
    const { rest, at } = await scene();
    const content = Buffer.from('on: push\n').toString('base64');
    const file = { path: '.github/workflows/ci.yml', message: 'Add CI', content, branch: 'work' };
    return isDenied(() => rest.repos.createOrUpdateFileContents({ ...at, ...file }));
  },
} satisfies Partial<Record<FalsifiableId, () => Promise<boolean>>>;

describe('a rule of the local GitHub', () => {
  it.each(Object.entries(PROBES))('holds unless it is falsified: %s', async (id, probe) => {
    await expect(probe()).resolves.toBe(true);
    playground.github.rules.falsify(id as keyof typeof PROBES);
    await expect(probe()).resolves.toBe(false);
  });
});
