// An issue and a pull request of the local GitHub, and tokens with chosen permissions.
import { nodeId as node } from '../../packages/local-github/src/github/state.ts';
import type { Permissions } from '../../src/github/access/permissions.ts';
import { openLocalApp } from './local-app.ts';

type Level = 'read' | 'write';
type On = 'issue' | 'pull request';

export interface PermissionWorld {
  /** Whether a token with these permissions alone lacks one for the request. */
  isDenied(request: string, on: On, permissions: Permissions): Promise<boolean>;
  /** All permissions but this one, or with the level below it. */
  without(name: string, level: string): Permissions;
  close(): Promise<void>;
}

const INSTALLATION = 1;
const EVERYTHING = {
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  checks: 'write',
  metadata: 'read',
} as const;

export async function openPermissionWorld(): Promise<PermissionWorld> {
  const opened = await openLocalApp('maintainer');
  const { local } = opened;
  const maintainer = local.as('maintainer');
  const repository = await local.createRepository({
    owner: 'example',
    name: 'words',
    files: { 'README.md': '# Words\n' },
    collaborators: { maintainer: 'admin' },
  });
  const thread = ({ number }: { readonly number: number }) => ({ repository, number });
  const issue = maintainer.openIssue(repository, { title: 'Words', body: '' });
  await maintainer.push(repository, {
    branch: 'more',
    files: { 'a.txt': 'a\n' },
    message: 'Add a',
  });
  const pull = await maintainer.openPull(repository, { title: 'More', head: 'more', base: 'main' });
  const remark = await maintainer.remark(thread(pull), { path: 'a.txt', line: 1, body: 'Longer.' });
  const review = await maintainer.review(thread(pull), { event: 'COMMENT', body: 'Words.' });
  const comments = {
    issue: maintainer.comment(thread(issue), 'On the issue.'),
    'pull request': maintainer.comment(thread(pull), 'On the pull request.'),
  };
  const send = async (path: string, method: string, body: object, permissions: Permissions) => {
    const token = local.installations.token(INSTALLATION, permissions as Record<string, Level>);
    const headers = {
      authorization: `token ${token}`,
      'content-type': 'application/json',
      'user-agent': 'test',
    };
    const text = method === 'DELETE' ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${local.url}/api${path}`, { method, headers, ...text });
    return { status: answer.status, text: await answer.text() };
  };
  const sha = (await repository.git.head('more')) ?? '';
  const run = await send(
    '/v3/repos/example/words/check-runs',
    'POST',
    { name: 'Words', head_sha: sha },
    EVERYTHING,
  );
  const { id: checkRun } = JSON.parse(run.text) as { readonly id: number };

  const addressOf = (route: string, on: On): string => {
    const isOnLines = route.includes('/pulls/');
    const values: Readonly<Record<string, string | number>> = {
      owner: 'example',
      repo: 'words',
      issue_number: on === 'issue' ? issue.number : pull.number,
      pull_number: pull.number,
      comment_id: isOnLines ? remark.id : comments[on].id,
      check_run_id: checkRun,
      reaction_id: 999_999,
      name: 'none',
      ref: 'heads/none',
    };
    return `/v3${route.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(values[name]))}`;
  };
  const documentOf = (request: string): string => {
    const [, type = '', field = ''] = /^(mutation|query) (?:\w+\.)?(\w+)$/.exec(request) ?? [];
    const at = 'owner: "example", name: "words"';
    if (type === 'mutation')
      return (
        MUTATIONS[field]?.(
          node('PR', pull.pull.id),
          node('PRRT', remark.threadId),
          node('PRR', review.id),
          node('R', repository.id),
        ) ?? ''
      );
    if (field === 'repository') return `{ repository(${at}) { name } }`;
    if (field === 'node') return `{ node(id: "${node('PRR', review.id)}") { id } }`;
    return `{ repository(${at}) { ${FIELDS[field]} } }`;
  };
  return {
    close: () => opened.close(),
    without: (name, level) => ({
      ...EVERYTHING,
      [name]: level === 'write' ? 'read' : undefined,
    }),
    isDenied: async (request, on, permissions) => {
      const given = Object.fromEntries(
        Object.entries(permissions).filter(([, level]) => level !== undefined),
      );
      const [method = '', route = ''] = request.split(' ');
      const isRest = route.startsWith('/');
      const { status, text } = isRest
        ? await send(addressOf(route, on), method, {}, given)
        : await send('/graphql', 'POST', { query: documentOf(request) }, given);
      return /not accessible by integration/.test(text) && (status === 403 || !isRest);
    },
  };
}

type Document = (pull: string, thread: string, review: string, repository: string) => string;
const onPull =
  (name: string): Document =>
  (pull) =>
    `mutation { ${name}(input: { pullRequestId: "${pull}" }) { clientMutationId } }`;
const MUTATIONS: Readonly<Record<string, Document>> = {
  enablePullRequestAutoMerge: onPull('enablePullRequestAutoMerge'),
  disablePullRequestAutoMerge: onPull('disablePullRequestAutoMerge'),
  enqueuePullRequest: onPull('enqueuePullRequest'),
  dequeuePullRequest: (pull) =>
    `mutation { dequeuePullRequest(input: { id: "${pull}" }) { clientMutationId } }`,
  convertPullRequestToDraft: (pull) =>
    `mutation { convertPullRequestToDraft(input: { pullRequestId: "${pull}" }) { clientMutationId } }`,
  markPullRequestReadyForReview: (pull) =>
    `mutation { markPullRequestReadyForReview(input: { pullRequestId: "${pull}" }) { clientMutationId } }`,
  resolveReviewThread: (_pull, thread) =>
    `mutation { resolveReviewThread(input: { threadId: "${thread}" }) { clientMutationId } }`,
  addReaction: (_pull, _thread, review) =>
    `mutation { addReaction(input: { subjectId: "${review}", content: EYES }) { clientMutationId } }`,
  removeReaction: (_pull, _thread, review) =>
    `mutation { removeReaction(input: { subjectId: "${review}", content: EYES }) { clientMutationId } }`,
  updateRefs: (_pull, _thread, _review, repository) =>
    `mutation { updateRefs(input: { repositoryId: "${repository}", refUpdates: [] }) { clientMutationId } }`,
};

const FIELDS: Readonly<Record<string, string>> = {
  issue: 'issue(number: 1) { number }',
  issues: 'issues(first: 1) { totalCount }',
  pullRequest: 'pullRequest(number: 2) { number }',
  pullRequests: 'pullRequests(first: 1) { totalCount }',
  refs: 'refs(refPrefix: "refs/heads/", first: 1) { totalCount }',
  defaultBranchRef: 'defaultBranchRef { name }',
  suggestedActors: 'suggestedActors(capabilities: [CAN_BE_ASSIGNED], first: 1) { totalCount }',
};
