// GitHub's auto-merge, while a rule of the base branch makes it wait.
import { valueIn, type GitHubAnswer } from '../ask-github.ts';
import {
  NotAsked,
  requireAccepted,
  requireDenied,
  requireThat,
  type Belief,
  type Proof,
} from '../proof.ts';
import { commitFile, PROOF_PREFIX } from '../scenery.ts';
import { whileRuleWaits } from '../waiting-rule.ts';

const ENABLE = `mutation ($id: ID!, $head: GitObjectID) {
  enablePullRequestAutoMerge(input: { pullRequestId: $id, expectedHeadOid: $head }) { clientMutationId }
}`;
const DISABLE = `mutation ($id: ID!) {
  disablePullRequestAutoMerge(input: { pullRequestId: $id }) { clientMutationId }
}`;

/** GitHub's words for what is not allowed, or has nothing to wait for: of permissions they say nothing. */
const NO_AUTO_MERGE =
  /auto merge is not allowed|protected branch rules not configured|in \w+ status/i;
const HEAD_MOVED = /head branch was modified|expected head/i;
/** GitHub may need a moment to see a rule. */
const RULE_SEEN_S = 60;

async function readPull({ app, scenery }: Proof) {
  const { number } = await scenery.pull();
  const { body } = requireAccepted(await app('api').rest('GET', `pulls/${number}`));
  return {
    isDraft: valueIn(body, 'draft') === true,
    isOn: (valueIn(body, 'auto_merge') ?? null) !== null,
    head: valueIn(body, 'head', 'sha'),
  };
}

/** One more commit of the App on the head of the pull request. Resolves with its id. */
async function pushCommit(proof: Proof): Promise<string> {
  const { name, sha } = await proof.scenery.change();
  const file = { path: `${PROOF_PREFIX}-more.txt`, content: 'more\n' };
  const next = String(valueIn((await commitFile(proof, sha, file)).body, 'sha'));
  const body = { sha: next, force: false };
  requireAccepted(await proof.app('git-write').rest('PATCH', `git/refs/heads/${name}`, { body }));
  return next;
}

/**
 * With what the App does, and asks of GitHub, while a rule keeps the pull request from being merged. Auto-merge is off afterwards,
 * so that GitHub merges nothing when the rule is gone.
 */
async function whileItWaits(
  proof: Proof,
  work: (enable: (head?: string) => Promise<GitHubAnswer>) => Promise<void>,
): Promise<void> {
  const { node: id } = await proof.scenery.pull();
  if ((await readPull(proof)).isDraft) throw new NotAsked('it needs marked-as-ready');
  const token = proof.app('ready');
  const enable = (head?: string): Promise<GitHubAnswer> =>
    proof.until(
      'effect of the rule',
      async () => {
        const answer = await token.graphql(ENABLE, { id, head });
        return NO_AUTO_MERGE.test(answer.message) ? undefined : answer;
      },
      RULE_SEEN_S,
    );
  await whileRuleWaits(proof, async () => {
    try {
      await work(enable);
    } finally {
      if ((await readPull(proof)).isOn) await token.graphql(DISABLE, { id });
    }
  });
}

/** Asked while the pull request is open, and no draft. */
export const AUTO_MERGE_BELIEFS: readonly Belief[] = [
  {
    id: 'auto-merge-permissions',
    says: 'With contents and pull_requests: write, an App may ask for auto-merge; a branch without rules gives it nothing to wait for.',
    source: 'pylegifrance/pylegifrance#67',
    ask: async ({ app, scenery }) => {
      const { node: id } = await scenery.pull();
      const { message } = await app('ready').graphql(ENABLE, { id });
      requireThat(NO_AUTO_MERGE.test(message), `it says something else: ${message}`);
    },
  },
  {
    id: 'auto-merge-of-known-head',
    says: 'Auto-merge for another head than the present one is denied, with words about the head.',
    source: 'StefanMaron/BusinessCentral.AL.Runner#3391',
    ask: (proof) =>
      whileItWaits(proof, async (enable) => {
        const { message } = requireDenied(await enable((await proof.scenery.base()).sha), 403);
        requireThat(HEAD_MOVED.test(message), `it says something else: ${message}`);
      }),
  },
  {
    id: 'auto-merge-ends-by-push',
    says: 'While a check is missing, the App switches auto-merge on and off, and a push of its own leaves it on.',
    source:
      'https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/automatically-merging-a-pull-request',
    ask: (proof) =>
      whileItWaits(proof, async (enable) => {
        const { head: before } = await readPull(proof);
        requireAccepted(await enable(String(before)));
        requireThat((await readPull(proof)).isOn, 'the pull request does not show it');
        const pushed = await pushCommit(proof);
        const { isOn } = await proof.until('pull request with the commit', async () => {
          const pull = await readPull(proof);
          return pull.head === pushed ? pull : undefined;
        });
        requireThat(isOn, 'the push of the App ended it');
        const { node: id } = await proof.scenery.pull();
        requireAccepted(await proof.app('ready').graphql(DISABLE, { id }));
        requireThat(!(await readPull(proof)).isOn, 'it is still on');
      }),
  },
];
