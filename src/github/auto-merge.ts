// Merges that GitHub makes once a pull request is ready: by auto-merge, or in a merge queue.
import type { MergeAnswer, MergeMethod, MergeObstacle } from '../contracts/pull-request.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';
import { GitHubDenied } from './errors.ts';
import { verifyAfterLostResponse, type Gate } from './gate.ts';
import { mutate } from './requests/graphql.ts';
import { ownerAndRepo } from './requests/octokit.ts';

interface AutoMergeRequest {
  readonly number: number;
  /** The commit that is to be merged: nothing is done if another one is the head by now. */
  readonly head: string;
  /** `undefined`: the first that the repository allows. */
  readonly method: MergeMethod | undefined;
}

const ENABLE = `mutation ($id: ID!, $head: GitObjectID!, $mergeMethod: PullRequestMergeMethod!) {
  enablePullRequestAutoMerge(input: { pullRequestId: $id, expectedHeadOid: $head, mergeMethod: $mergeMethod }) { clientMutationId }
}`;
const ENQUEUE = `mutation ($id: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: { pullRequestId: $id, expectedHeadOid: $head }) { clientMutationId }
}`;
const DISABLE = `mutation ($id: ID!) {
  disablePullRequestAutoMerge(input: { pullRequestId: $id }) { clientMutationId }
}`;
const DEQUEUE = `mutation ($id: ID!) {
  dequeuePullRequest(input: { id: $id }) { clientMutationId }
}`;

/** Switches GitHub's auto-merge on, or puts the pull request into the merge queue. Safe to repeat. */
export async function mergeWhenReady(gate: Gate, request: AutoMergeRequest): Promise<MergeAnswer> {
  const look = () => lookAt(gate, request.number);
  const pull = await look();
  if (pull.merged) return { kind: 'merged' };
  if (pull.auto_merge !== null) return { kind: 'on' };
  const obstacle = obstacleIn(pull, request);
  if (obstacle !== undefined) return notOn(obstacle);
  const { isAllowed, hasQueue, mergeMethod } = await settingsOf(
    gate,
    pull.base.ref,
    request.method,
  );
  if (!isAllowed && !hasQueue) return notOn('not_in_repository');
  const at = { id: pull.node_id, head: request.head };
  const enqueue = () => attempt(gate, ENQUEUE, at, { kind: 'on', isQueued: true });
  // The queue takes what is ready now; auto-merge waits for it, if it is allowed.
  if (!isAllowed) return enqueue();
  const isOn = async () => ((await look()).auto_merge === null ? undefined : true);
  const answer = await attempt(gate, ENABLE, { ...at, mergeMethod }, { kind: 'on' }, isOn);
  const isReady = answer.kind === 'not_on' && answer.because === 'ready_now';
  return isReady && hasQueue ? enqueue() : answer;
}

/** `isQueued`: it was put into a merge queue. Safe to repeat. */
export async function doNotMerge(
  gate: Gate,
  number: number,
  isQueued: boolean,
): Promise<MergeAnswer> {
  const look = () => lookAt(gate, number);
  const { merged, auto_merge: on, node_id: id } = await look();
  if (merged) return { kind: 'merged' };
  if (on === null && !isQueued) return { kind: 'was_off' };
  if (on === null) return attempt(gate, DEQUEUE, { id }, { kind: 'off' });
  const isOff = async () => ((await look()).auto_merge === null ? true : undefined);
  return attempt(gate, DISABLE, { id }, { kind: 'off' }, isOff);
}

const notOn = (because: MergeObstacle, details?: string): MergeAnswer => ({
  kind: 'not_on',
  because,
  ...withoutUndefined({ details }),
});

type MergeablePull = Awaited<ReturnType<typeof lookAt>>;

const lookAt = async (gate: Gate, number: number) =>
  (await gate.octokit.rest.pulls.get({ ...ownerAndRepo(gate), pull_number: number })).data;

function obstacleIn({ state, draft, head }: MergeablePull, request: AutoMergeRequest) {
  if (state !== 'open') return 'closed';
  if (draft === true) return 'draft';
  return head.sha === request.head ? undefined : 'head_moved';
}

const METHODS = [
  ['merge', 'allow_merge_commit'],
  ['squash', 'allow_squash_merge'],
  ['rebase', 'allow_rebase_merge'],
] as const;

/** GitHub shows how a repository merges only to tokens that may write to its contents. */
async function settingsOf(gate: Gate, branch: string, wanted: MergeMethod | undefined) {
  const at = ownerAndRepo(gate);
  const [{ data: repository }, { data: rules }] = await Promise.all([
    gate.ready.rest.repos.get(at),
    gate.octokit.rest.repos.getBranchRules({ ...at, branch, per_page: 100 }),
  ]);
  const byRules = rules.flatMap((rule) => {
    if (rule.type !== 'pull_request') return [];
    const allowed = rule.parameters?.allowed_merge_methods;
    return allowed === undefined ? [] : [allowed.map(String)];
  });
  const found = METHODS.find(
    ([name, setting]) =>
      repository[setting] !== false && byRules.every((allowed) => allowed.includes(name)),
  );
  return {
    isAllowed: repository.allow_auto_merge === true,
    hasQueue: rules.some(({ type }) => type === 'merge_queue'),
    mergeMethod: (wanted ?? found?.[0] ?? 'merge').toUpperCase(),
  };
}

/** GitHub's words for what is in the way (`auto-merge-…` in the table of its behaviours). */
const OBSTACLES: readonly (readonly [words: RegExp, MergeObstacle])[] = [
  [/in (?:clean|unstable|has_hooks) status/i, 'ready_now'],
  [/protected branch rules not configured/i, 'no_rules'],
  [/auto merge is not allowed for this repository/i, 'not_in_repository'],
  [/head branch was modified|expected head/i, 'head_moved'],
];

async function attempt(
  gate: Gate,
  document: string,
  variables: Readonly<Record<string, string>>,
  done: MergeAnswer,
  isDone: () => Promise<true | undefined> = () => Promise.resolve(undefined),
): Promise<MergeAnswer> {
  const denied = 'GitHub did not do it';
  const send = () => mutate({ ...gate, octokit: gate.ready }, { document, variables, denied });
  try {
    await verifyAfterLostResponse<unknown>(send, isDone);
    return done;
  } catch (error) {
    if (!(error instanceof GitHubDenied)) throw error;
    const said = error.reasons.join('; ');
    const known = OBSTACLES.find(([words]) => words.test(said));
    return known === undefined ? notOn('denied', error.message) : notOn(known[1]);
  }
}
