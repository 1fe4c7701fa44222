// Commits that GitHub makes and signs. It signs those of an App that name neither author nor committer
// (rule `app-commits-are-signed` of docs/github-rules.md).
import type { ProbotOctokit } from 'probot';
import type {
  CommitToMake,
  MadeCommit,
  NotDone,
  TreeChange,
  VerifiedCommits,
} from '../contracts/git.ts';
import { UNFIT } from '../session/texts/push-denials.ts';
import { GitHubDenied, ifFound } from './errors.ts';
import { verifyAfterLostResponse } from './gate.ts';
import { mutate } from './requests/graphql.ts';
import { ownerAndRepo } from './requests/octokit.ts';
import type { Redactor } from '../lib/text/redact.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';

interface CommitTarget {
  readonly octokit: ProbotOctokit;
  readonly redactor: Redactor;
  readonly repository: { readonly owner: string; readonly name: string };
}

/** @param octokit may write contents */
export function verifiedCommits(
  octokit: ProbotOctokit,
  at: Omit<CommitTarget, 'octokit'>,
): VerifiedCommits {
  const place = { ...at, octokit };
  return {
    head: (branch) => headOf(place, branch),
    read: (sha) => readCommit(place, sha),
    make: (commit) => unlessDenied(() => makeCommit(place, commit)),
    move: (branch, sha, over) => moveBranch(place, { branch, sha, over }),
  };
}

async function headOf(place: CommitTarget, branch: string): Promise<string | undefined> {
  const { git } = place.octokit.rest;
  const found = await ifFound(git.getRef({ ...ownerAndRepo(place), ref: `heads/${branch}` }));
  return found?.data.object.sha;
}

interface GitHubCommit {
  readonly sha: string;
  readonly message: string;
  readonly tree: { readonly sha: string };
  readonly parents: readonly { readonly sha: string }[];
  readonly verification: { readonly payload: string | null; readonly signature: string | null };
}

async function readCommit(place: CommitTarget, sha: string): Promise<MadeCommit | undefined> {
  const { git } = place.octokit.rest;
  const found = await ifFound(git.getCommit({ ...ownerAndRepo(place), commit_sha: sha }));
  return found && madeCommit(found.data);
}

function madeCommit({ sha, message, tree, parents, verification }: GitHubCommit): MadeCommit {
  const { payload, signature } = verification;
  return {
    sha,
    message,
    tree: tree.sha,
    parents: parents.map((parent) => parent.sha),
    ...(payload === null || signature === null ? {} : { signed: { payload, signature } }),
  };
}

/** What a repeat makes is the same, or nobody's. */
const REPEATABLE = { request: { repeatable: true } } as const;

async function makeCommit(
  place: CommitTarget,
  commit: CommitToMake,
): Promise<MadeCommit | NotDone> {
  const { git } = place.octokit.rest;
  let tree = commit.baseTree;
  for (const changes of commit.changes) tree = await makeTree(place, tree, changes);
  if (tree !== commit.tree) return { why: 'denied', words: UNFIT.otherTree };
  const { data } = await git.createCommit({
    ...ownerAndRepo(place),
    message: commit.message,
    tree,
    parents: [...commit.parents],
    ...REPEATABLE,
  });
  return madeCommit(data);
}

async function makeTree(
  place: CommitTarget,
  base: string | undefined,
  changes: readonly TreeChange[],
): Promise<string> {
  const { git } = place.octokit.rest;
  const entries = [];
  for (const { path, mode, oid, content } of changes) {
    const type = mode === '160000' ? ('commit' as const) : ('blob' as const);
    if (content instanceof Uint8Array) await makeBlob(place, content);
    const what = typeof content === 'string' ? { content } : { sha: oid };
    entries.push({ path, mode, type, ...what });
  }
  const { data } = await git.createTree({
    ...ownerAndRepo(place),
    ...withoutUndefined({ base_tree: base }),
    tree: entries,
    ...REPEATABLE,
  });
  return data.sha;
}

async function makeBlob(place: CommitTarget, content: Uint8Array): Promise<void> {
  await place.octokit.rest.git.createBlob({
    ...ownerAndRepo(place),
    content: Buffer.from(content).toString('base64'),
    encoding: 'base64',
    ...REPEATABLE,
  });
}

async function unlessDenied<T>(act: () => Promise<T>): Promise<T | NotDone> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof GitHubDenied)) throw error;
    return { why: 'denied', words: UNFIT.denied(error.message) };
  }
}

const MOVED = /not a fast.?forward|already exists|does not exist|failed to update/i;

/**
 * GitHub says that the branch would get workflow files that no other one has, in the words of git or in those for a missing
 * permission: the same token has just made the commit (docs.github.com, "Create a reference"; vercel/next.js#94596).
 */
const WORKFLOWS = /create or update workflow|not accessible by/i;

interface BranchMove {
  readonly branch: string;
  readonly sha: string;
  readonly over: string | undefined;
}

/** With force only from the commit `over`: a branch that is elsewhere stays as it is. */
async function moveBranch(
  place: CommitTarget,
  { branch, sha, over }: BranchMove,
): Promise<NotDone | undefined> {
  const { git } = place.octokit.rest;
  const at = ownerAndRepo(place);
  const isThere = async (): Promise<true | undefined> =>
    (await headOf(place, branch)) === sha ? true : undefined;
  try {
    await verifyAfterLostResponse<unknown>(async () => {
      const head = await headOf(place, branch);
      if (head === undefined) return git.createRef({ ...at, ref: `refs/heads/${branch}`, sha });
      return over !== undefined && head === over
        ? replaceHead(place, branch, { from: over, to: sha })
        : git.updateRef({ ...at, ref: `heads/${branch}`, sha, force: false });
    }, isThere);
    return undefined;
  } catch (error) {
    if (!(error instanceof GitHubDenied)) throw error;
    const isLeft = over !== undefined && (await headOf(place, branch)) !== over;
    if (isLeft) return (await isThere()) ? undefined : { why: 'moved', words: error.message };
    const words = error.reasons.join('; ') || error.message;
    if (error.status === 403 && WORKFLOWS.test(words)) return { why: 'workflows', words };
    return { why: error.status === 422 && MOVED.test(words) ? 'moved' : 'denied', words };
  }
}

const REPLACE = `mutation ($repositoryId: ID!, $refUpdates: [RefUpdate!]!) {
  updateRefs(input: { repositoryId: $repositoryId, refUpdates: $refUpdates }) { clientMutationId }
}`;

/** A branch may lose a commit only this way, because REST cannot say which one (docs.github.com, mutation `updateRefs`). */
async function replaceHead(
  place: CommitTarget,
  branch: string,
  { from: beforeOid, to: afterOid }: { readonly from: string; readonly to: string },
): Promise<unknown> {
  const { data: repository } = await place.octokit.rest.repos.get(ownerAndRepo(place));
  const update = { name: `refs/heads/${branch}`, beforeOid, afterOid, force: true };
  return mutate(place, {
    document: REPLACE,
    variables: { repositoryId: repository.node_id, refUpdates: [update] },
    denied: `GitHub did not move \`${branch}\``,
  });
}
