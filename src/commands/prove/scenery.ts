// Makes what beliefs are tried on, when the first of them needs it.
import { valueIn, type GitHubAnswer } from './ask-github.ts';
import {
  NotAsked,
  requireAccepted,
  BeliefRefuted,
  type Branch,
  type OpenedIssue,
  type Proof,
  type Scenery,
} from './proof.ts';

/** In the names of all branches, labels, issues and files that a proof makes. */
export const PROOF_PREFIX = 'issuewright-proof';

export const PATH = `${PROOF_PREFIX}.txt`;
const LINES = 'one\ntwo\nthree\n';

/** Whose making is a belief of its own, that says so if it fails. The others are then not asked. */
const OWNERS = {
  base: 'branch-by-contents-write',
  change: 'app-commits-are-signed',
  pull: 'draft-pull-request',
  review: 'review-comment-is-thread',
  reviewed: 'changes-requested-by-app',
  comment: 'marker-kept',
  checkRun: 'check-run-created',
  opened: 'issues-listed-at-once',
  parent: 'sub-issue-added-by-app',
  merged: 'merged-by-person',
} as const satisfies Record<keyof Scenery, string>;

export const ownerOf = (part: keyof Scenery): string => OWNERS[part];

/** `proof`: for which this is made. `current`: the id of the belief that is asked now. */
export function sceneryOf(proof: () => Proof, current: () => string): Scenery {
  const made = new Map<keyof Scenery, Promise<unknown>>();
  const once =
    <T>(part: keyof Scenery, make: (proof: Proof) => Promise<T>) =>
    async (): Promise<T> => {
      // Each part is made by one function alone.
      const known = made.get(part) as Promise<T> | undefined;
      const one = known ?? make(proof());
      made.set(part, one);
      try {
        return await one;
      } catch (error) {
        if (current() === OWNERS[part] || !(error instanceof BeliefRefuted)) throw error;
        throw new NotAsked(`it needs ${OWNERS[part]}`, { cause: error });
      }
    };
  return {
    base: once('base', makeBase),
    change: once('change', makeChange),
    pull: once('pull', makePull),
    review: once('review', makeReview),
    reviewed: once('reviewed', reviewPersonsPull),
    comment: once('comment', makeComment),
    checkRun: once('checkRun', makeCheckRun),
    opened: once('opened', (proof) => openAppIssue(proof, 'a whole')),
    parent: once('parent', makeParent),
    merged: once('merged', mergePull),
  };
}

async function makeBase(proof: Proof): Promise<Branch> {
  const repository = requireAccepted(await proof.person.rest('GET', ''));
  const start = valueIn(repository.body, 'default_branch');
  const head = requireAccepted(await proof.person.rest('GET', `git/ref/heads/${String(start)}`));
  const sha = String(valueIn(head.body, 'object', 'sha'));
  return createBranch(proof, 'base', sha);
}

export async function createBranch(proof: Proof, what: string, sha: string): Promise<Branch> {
  const name = `${PROOF_PREFIX}/${proof.id}/${what}`;
  const body = { ref: `refs/heads/${name}`, sha };
  requireAccepted(await proof.app('git-write').rest('POST', 'git/refs', { body }));
  return { name, sha };
}

/** A commit without author, committer and signature, on the head of `base`. */
export async function commitFile(
  proof: Proof,
  base: string,
  file: { readonly path: string; readonly content: string },
): Promise<GitHubAnswer> {
  const git = proof.app('git-write');
  const entry = { ...file, mode: '100644', type: 'blob' };
  const tree = requireAccepted(
    await git.rest('POST', 'git/trees', { body: { base_tree: base, tree: [entry] } }),
  );
  const body = {
    message: `${PROOF_PREFIX} ${proof.id}`,
    tree: valueIn(tree.body, 'sha'),
    parents: [base],
  };
  return requireAccepted(await git.rest('POST', 'git/commits', { body }));
}

async function makeChange(proof: Proof): Promise<Branch> {
  const { sha } = await proof.scenery.base();
  const commit = await commitFile(proof, sha, { path: PATH, content: LINES });
  return createBranch(proof, 'change', String(valueIn(commit.body, 'sha')));
}

async function makePull(proof: Proof) {
  const [base, change] = [await proof.scenery.base(), await proof.scenery.change()];
  const title = `${PROOF_PREFIX} ${proof.id}: asked directly`;
  const body = { title, head: change.name, base: base.name, draft: true, body: 'Closed soon.' };
  const answer = requireAccepted(await proof.app('api').rest('POST', 'pulls', { body }));
  const number = Number(valueIn(answer.body, 'number'));
  return { number, node: String(valueIn(answer.body, 'node_id')) };
}

const THREADS = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) { reviewThreads(first: 10) { nodes { id isResolved isOutdated } } }
  }
}`;

/** The review threads of a pull request, as the service asks for them. */
export async function reviewThreadsOf(proof: Proof, number: number): Promise<readonly unknown[]> {
  const { owner, name } = proof.repository;
  const asked = await proof.app('api').graphql(THREADS, { owner, name, number });
  const path = ['data', 'repository', 'pullRequest', 'reviewThreads', 'nodes'];
  const nodes = valueIn(requireAccepted(asked).body, ...path);
  return Array.isArray(nodes) ? nodes : [];
}

async function makeReview(proof: Proof) {
  const { number } = await proof.scenery.pull();
  const comments = [{ path: PATH, line: 2, side: 'RIGHT', body: 'About this line.' }];
  const body = { event: 'COMMENT', body: 'A review.', comments };
  const review = requireAccepted(
    await proof.person.rest('POST', `pulls/${number}/reviews`, { body }),
  );
  const listed = requireAccepted(await proof.app('api').rest('GET', `pulls/${number}/comments`));
  const [thread] = await reviewThreadsOf(proof, number);
  const id = valueIn(thread, 'id');
  if (typeof id !== 'string') throw new BeliefRefuted('the comment is in no thread');
  return {
    comment: Number(valueIn(listed.body, 0, 'id')),
    node: String(valueIn(review.body, 'node_id')),
    thread: id,
  };
}

async function reviewPersonsPull(proof: Proof) {
  const { name: base, sha } = await proof.scenery.base();
  const commit = await commitFile(proof, sha, { path: PATH, content: LINES });
  const { name: head } = await createBranch(proof, 'theirs', String(valueIn(commit.body, 'sha')));
  const title = `${PROOF_PREFIX} ${proof.id}: reviewed by the App`;
  const wanted = { title, head, base, body: 'Closed soon.' };
  const opened = requireAccepted(await proof.person.rest('POST', 'pulls', { body: wanted }));
  const number = Number(valueIn(opened.body, 'number'));
  const line = { path: PATH, line: 2, side: 'RIGHT', body: '```suggestion\n2\n```' };
  const body = { event: 'REQUEST_CHANGES', body: 'A fault.', comments: [line] };
  const review = requireAccepted(
    await proof.app('api').rest('POST', `pulls/${number}/reviews`, { body }),
  );
  const [thread] = await reviewThreadsOf(proof, number);
  const id = valueIn(thread, 'id');
  if (typeof id !== 'string') throw new BeliefRefuted('the suggestion is in no thread');
  return { number, review: Number(valueIn(review.body, 'id')), thread: id };
}

async function makeComment(proof: Proof) {
  const body = `<!-- ${PROOF_PREFIX}:${proof.id} -->\n\n**Bold**, and \`@${proof.personLogin}\`.`;
  const path = `issues/${proof.issue}/comments`;
  const answer = requireAccepted(await proof.app('api').rest('POST', path, { body: { body } }));
  return { id: Number(valueIn(answer.body, 'id')), body };
}

async function makeCheckRun(proof: Proof): Promise<number> {
  if (proof.granted['checks'] !== 'write')
    throw new NotAsked('the App was not granted checks: write');
  const { sha } = await proof.scenery.change();
  const body = { name: PROOF_PREFIX, head_sha: sha, status: 'in_progress' };
  const answer = requireAccepted(await proof.app('checks').rest('POST', 'check-runs', { body }));
  return Number(valueIn(answer.body, 'id'));
}

async function openAppIssue(proof: Proof, what: string): Promise<OpenedIssue> {
  const title = `${PROOF_PREFIX} ${proof.id}: ${what}`;
  const options = { body: { title, body: 'Closed soon.' } };
  const { body } = requireAccepted(await proof.app('api').rest('POST', 'issues', options));
  return { number: Number(valueIn(body, 'number')), id: Number(valueIn(body, 'id')) };
}

async function makeParent(proof: Proof) {
  const parent = await proof.scenery.opened();
  const add = async (what: string): Promise<OpenedIssue> => {
    const child = await openAppIssue(proof, what);
    const options = { body: { sub_issue_id: child.id } };
    const path = `issues/${parent.number}/sub_issues`;
    const added = await proof.app('api').rest('POST', path, options);
    if (added.status === 404) throw new NotAsked('this GitHub has no sub-issues');
    requireAccepted(added);
    return child;
  };
  return {
    ...parent,
    children: [await add('its first part'), await add('its second part')] as const,
  };
}

async function mergePull(proof: Proof): Promise<string> {
  const { number } = await proof.scenery.pull();
  const found = requireAccepted(await proof.person.rest('GET', `pulls/${number}`));
  if (valueIn(found.body, 'merged') === true)
    return String(valueIn(found.body, 'merge_commit_sha'));
  const answer = await proof.person.rest('PUT', `pulls/${number}/merge`, { body: {} });
  return String(valueIn(requireAccepted(answer).body, 'sha'));
}
