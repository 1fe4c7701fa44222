// GitHub's auto-merge, while a rule of the base branch makes it wait.
import { type Asker, type GitHubAnswer, valueIn } from '../ask-github.ts';
import {
  NotAsked,
  requireAccepted,
  requireDenied,
  requireThat,
  type Belief,
  type Proof,
} from '../proof.ts';
import { PROOF_PREFIX, commitFile } from '../scenery.ts';

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

// A rule for the proof's own base branch: without one, GitHub has nothing to wait for before it merges.

/** At the end of the rule's name, so that whatever ends the proof, the next one restores the setting. */
const WAS_OFF = 'auto-merge was off';
/** A check that nobody reports: that of the proof itself has another name. */
const MISSING_CHECK = `${PROOF_PREFIX}-never`;

/**
 * A missing check is required for the base branch, and auto-merge is allowed, until the work is done. Only where the repository
 * is the proof's own, because this changes a setting of it.
 */
async function whileRuleWaits(proof: Proof, work: () => Promise<void>): Promise<void> {
  const { id, person, scenery, story } = proof;
  if (!story.isMerged) throw new NotAsked('it changes a setting, so it needs an empty repository');
  const { name: branch } = await scenery.base();
  const { body: repository } = requireAccepted(await person.rest('GET', ''));
  const isAllowed = valueIn(repository, 'allow_auto_merge') === true;
  const name = `${PROOF_PREFIX} ${id}`;
  const body = {
    name: isAllowed ? name : `${name}: ${WAS_OFF}`,
    target: 'branch',
    enforcement: 'active',
    conditions: { ref_name: { include: [`refs/heads/${branch}`], exclude: [] } },
    rules: [
      {
        type: 'required_status_checks',
        parameters: {
          required_status_checks: [{ context: MISSING_CHECK }],
          strict_required_status_checks_policy: false,
        },
      },
    ],
  };
  try {
    const made = await person.rest('POST', 'rulesets', { body });
    if (made.status === 403 || made.status === 404)
      throw new NotAsked(
        'your token may not make rules (administration: write), or the plan of the account has none for this repository',
      );
    requireAccepted(made);
    if (!isAllowed) await allowAutoMerge(person);
    await work();
  } finally {
    await removeWaitingRules(person);
  }
}

async function allowAutoMerge(person: Asker): Promise<void> {
  const { body } = requireAccepted(
    await person.rest('PATCH', '', { body: { allow_auto_merge: true } }),
  );
  if (valueIn(body, 'allow_auto_merge') !== true)
    throw new NotAsked('the plan of the account has no auto-merge for this repository');
}

/** Resolves with what could not be removed. */
export async function removeWaitingRules(person: Asker): Promise<readonly string[]> {
  const { body } = await person.rest('GET', 'rulesets?includes_parents=false&per_page=100');
  const left: string[] = [];
  for (const rule of Array.isArray(body) ? body : []) {
    const name = String(valueIn(rule, 'name'));
    if (!name.startsWith(`${PROOF_PREFIX} `)) continue;
    // First the setting: the rule's name remembers that it was off.
    if (name.endsWith(WAS_OFF)) {
      const { status } = await person.rest('PATCH', '', { body: { allow_auto_merge: false } });
      if (status !== 200) {
        left.push(`rule ${name} and the setting "Allow auto-merge" (${status})`);
        continue;
      }
    }
    const { status } = await person.rest('DELETE', `rulesets/${String(valueIn(rule, 'id'))}`);
    if (status !== 204 && status !== 404) left.push(`rule ${name} (${status})`);
  }
  return left;
}
