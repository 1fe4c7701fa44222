// All that is asked of GitHub directly, in this order.
import {
  NotAsked,
  requireAccepted,
  requireDenied,
  requireThat,
  type Belief,
  type Proof,
} from '../proof.ts';
import { DELIVERY_BELIEFS, ISSUE_BELIEFS, SUB_ISSUE_BELIEFS } from './issues.ts';
import { MERGE_BELIEFS, PULL_REQUEST_BELIEFS } from './pull-requests.ts';
import { valueIn } from '../ask-github.ts';
import { commitFile, createBranch, ownerOf, PATH, PROOF_PREFIX } from '../scenery.ts';

// What the App reads by GraphQL. GitHub has no list of the permissions that this takes.

const READS: readonly (readonly [field: string, id: string, selection: string])[] = [
  ['issues', 'graphql-issues', 'issues(first: 1) { nodes { number } }'],
  ['pullRequests', 'graphql-pull-requests', 'pullRequests(first: 1) { nodes { number } }'],
  ['refs', 'graphql-refs', 'refs(refPrefix: "refs/heads/", first: 1) { nodes { name } }'],
  ['defaultBranchRef', 'graphql-default-branch', 'defaultBranchRef { name }'],
  [
    'suggestedActors',
    'graphql-suggested-actors',
    'suggestedActors(capabilities: [CAN_BE_ASSIGNED], first: 1) { nodes { login } }',
  ],
];

const queryFor = (selection: string): string =>
  `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${selection} } }`;

const ISSUE = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { issue(number: $number) { number } }
}`;

const GRAPHQL_READS: readonly Belief[] = [
  {
    id: 'graphql-issue',
    says: 'The token that writes comments reads an issue by GraphQL.',
    source: 'unproven',
    ask: async ({ app, repository: { owner, name }, issue: number }) =>
      void requireAccepted(await app('api').graphql(ISSUE, { owner, name, number })),
  },
  ...READS.map(([field, id, selection]): Belief => ({
    id,
    says: `It reads \`${field}\` of a repository so.`,
    source: 'unproven',
    ask: async ({ app, repository: { owner, name } }) =>
      void requireAccepted(await app('api').graphql(queryFor(selection), { owner, name })),
  })),
];

// Check runs, with which the App shows its work on a commit.

const SOURCE = 'https://docs.github.com/en/rest/checks/runs';

const button = (at: number) => ({
  label: `Button ${at}`,
  description: 'Does nothing.',
  identifier: `none-${at}`,
});
const annotation = (at: number) => ({
  path: PATH,
  start_line: 1,
  end_line: 1,
  annotation_level: 'notice',
  message: `Note ${at}`,
});

const times = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_none, at) => make(at));

const withNotes = (count: number) => ({
  output: { title: 'Notes', summary: 'Notes.', annotations: times(count, annotation) },
});

const CHECK_BELIEFS: readonly Belief[] = [
  {
    id: ownerOf('checkRun'),
    says: 'The App creates a check run of a commit.',
    source: `${SOURCE}#create-a-check-run`,
    ask: async ({ scenery }) => void (await scenery.checkRun()),
  },
  {
    id: 'check-run-annotations',
    says: 'A request about a check run has at most 50 annotations.',
    source: `${SOURCE}#update-a-check-run`,
    ask: async ({ app, scenery }) => {
      const path = `check-runs/${await scenery.checkRun()}`;
      requireAccepted(await app('checks').rest('PATCH', path, { body: withNotes(50) }));
      requireDenied(await app('checks').rest('PATCH', path, { body: withNotes(51) }), 422);
    },
  },
  {
    id: 'check-run-three-buttons',
    says: 'A completed check run has at most three buttons.',
    source: `${SOURCE}#update-a-check-run`,
    ask: async ({ app, scenery }) => {
      const path = `check-runs/${await scenery.checkRun()}`;
      const completed = (buttons: number) => ({
        body: { status: 'completed', conclusion: 'neutral', actions: times(buttons, button) },
      });
      requireDenied(await app('checks').rest('PATCH', path, completed(4)), 422);
      const { body } = requireAccepted(await app('checks').rest('PATCH', path, completed(3)));
      requireThat(valueIn(body, 'status') === 'completed', 'it is not completed');
    },
  },
];

// Tokens, and versions of the API.

const TOKEN_BELIEFS: readonly Belief[] = [
  {
    id: 'token-for-one-repository',
    says: 'A token that was minted for one repository sees no other.',
    source:
      'https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app',
    ask: async ({ app, repository }) => {
      const answer = await app('file-read').rest('GET', '/installation/repositories');
      const { body } = requireAccepted(answer);
      requireThat(valueIn(body, 'total_count') === 1, 'the token sees other repositories');
      const id = valueIn(body, 'repositories', 0, 'id');
      requireThat(id === repository.id, 'the token sees another repository');
    },
  },
  {
    id: 'permission-denied',
    says: 'A token that was minted to read files cannot comment.',
    source: 'https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api',
    ask: async ({ app, issue }) => {
      const options = { body: { body: 'Not allowed.' } };
      const path = `issues/${issue}/comments`;
      requireDenied(await app('file-read').rest('POST', path, options), 403);
    },
  },
  {
    id: 'api-version',
    says: 'GitHub takes X-GitHub-Api-Version 2022-11-28, or ignores the header.',
    source: 'https://docs.github.com/en/rest/about-the-rest-api/api-versions',
    ask: async ({ app }) => void requireAccepted(await app('api').rest('GET', '')),
  },
  {
    id: 'api-version-unknown',
    says: 'A version that there is not is denied with 400.',
    source: 'expipiplus1/update-nix-fetchgit#79',
    ask: async ({ app }) => {
      const headers = { 'x-github-api-version': '1900-01-01' };
      requireDenied(await app('api').rest('GET', '', { headers }), 400);
    },
  },
  {
    id: 'role-of-person',
    says: 'With metadata: read, the App sees what a person may do in the repository.',
    source:
      'https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user',
    ask: async ({ app, personLogin }) => {
      const path = `collaborators/${personLogin}/permission`;
      const { body } = requireAccepted(await app('api').rest('GET', path));
      const [permission, role] = [valueIn(body, 'permission'), valueIn(body, 'role_name')];
      requireThat(
        permission === 'write' || permission === 'admin',
        `the permission is ${String(permission)}, the role ${String(role)}`,
      );
    },
  },
];

// Branches, commits, and files of workflows.

const FOR_SHA = 'sha';
const workflowFile = ({ id }: Proof) => ({
  path: `.github/workflows/${PROOF_PREFIX}-${id}.yml`,
  content: `# It never runs.\non: workflow_dispatch\njobs: {}\n# ${id}\n`,
});

const COMMIT_BELIEFS: readonly Belief[] = [
  {
    id: ownerOf('base'),
    says: 'A token with contents: write creates a branch.',
    source: 'https://docs.github.com/en/rest/git/refs#create-a-reference',
    ask: async ({ scenery }) => void (await scenery.base()),
  },
  {
    id: ownerOf('change'),
    says: 'A commit that an App makes without author and committer is verified.',
    source:
      'https://docs.github.com/en/authentication/managing-commit-signature-verification/about-commit-signature-verification#signature-verification-for-bots',
    ask: async ({ scenery, app }) => {
      const { sha } = await scenery.change();
      const { body } = requireAccepted(await app('git-read').rest('GET', `git/commits/${sha}`));
      const reason = String(valueIn(body, 'verification', 'reason'));
      const isVerified = valueIn(body, 'verification', 'verified') === true;
      requireThat(isVerified, `the commit is not verified: ${reason}`);
    },
  },
  {
    id: 'fast-forward-by-default',
    says: 'Without force, a branch moves only to a descendant of its head.',
    source: 'https://docs.github.com/en/rest/git/refs#update-a-reference',
    ask: async ({ scenery, app }) => {
      const [base, change] = [await scenery.base(), await scenery.change()];
      const path = `git/refs/heads/${change.name}`;
      const options = { body: { sha: base.sha, force: false } };
      requireDenied(await app('git-write').rest('PATCH', path, options), 422);
    },
  },
  {
    id: 'workflow-files',
    says: 'Without workflows: write, an App brings no new workflow file.',
    source: 'https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps',
    ask: async (proof) => {
      const { sha } = await proof.scenery.base();
      const { path, content } = workflowFile(proof);
      const entry = { path, content, mode: '100644', type: 'blob' };
      const git = proof.app('git-write');
      const tree = await git.rest('POST', 'git/trees', { body: { base_tree: sha, tree: [entry] } });
      if (tree.status >= 300) return void requireDenied(tree, 403, 404, 422);
      const parents = { parents: [sha], message: PROOF_PREFIX, tree: valueIn(tree.body, FOR_SHA) };
      const commit = requireAccepted(await git.rest('POST', 'git/commits', { body: parents }));
      const ref = `refs/heads/${PROOF_PREFIX}/${proof.id}/new-workflow`;
      const body = { ref, sha: valueIn(commit.body, FOR_SHA) };
      requireDenied(await git.rest('POST', 'git/refs', { body }), 403, 404, 422);
    },
  },
  {
    id: 'known-workflow-file-accepted',
    says: 'A workflow file that is on another branch with the same content, an App may bring.',
    source: 'https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps',
    ask: async (proof) => {
      const { sha } = await proof.scenery.base();
      const { path, content } = workflowFile(proof);
      const branch = await createBranch(proof, 'workflow', sha);
      const body = {
        message: `${PROOF_PREFIX} ${proof.id}`,
        branch: branch.name,
        content: Buffer.from(content).toString('base64'),
      };
      const put = await proof.person.rest('PUT', `contents/${path}`, { body });
      if (put.status >= 300) throw new NotAsked('your token may not write workflow files');
      const head = valueIn(put.body, 'commit', 'sha');
      requireThat(typeof head === 'string', 'GitHub names no commit');
      await createBranch(proof, 'known-workflow', String(head));
      const next = await commitFile(proof, String(head), { path: 'more.txt', content: 'more\n' });
      await createBranch(proof, 'beside-workflow', String(valueIn(next.body, FOR_SHA)));
    },
  },
];

export const BELIEFS: readonly Belief[] = [
  ...TOKEN_BELIEFS,
  ...COMMIT_BELIEFS,
  ...PULL_REQUEST_BELIEFS,
  ...CHECK_BELIEFS,
  ...ISSUE_BELIEFS,
  ...SUB_ISSUE_BELIEFS,
  ...GRAPHQL_READS,
  ...DELIVERY_BELIEFS,
  ...MERGE_BELIEFS,
];
