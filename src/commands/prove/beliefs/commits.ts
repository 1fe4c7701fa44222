// Branches, commits, and files of workflows.
import { valueIn } from '../ask-github.ts';
import {
  NotAsked,
  requireAccepted,
  requireDenied,
  requireThat,
  type Belief,
  type Proof,
} from '../proof.ts';
import { commitFile, createBranch, ownerOf, PROOF_PREFIX } from '../scenery.ts';

const FOR_SHA = 'sha';
const workflowFile = ({ id }: Proof) => ({
  path: `.github/workflows/${PROOF_PREFIX}-${id}.yml`,
  content: `# It never runs.\non: workflow_dispatch\njobs: {}\n# ${id}\n`,
});

export const COMMIT_BELIEFS: readonly Belief[] = [
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
