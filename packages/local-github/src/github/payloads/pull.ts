import { withoutUndefined } from '../../../../../src/lib/without-undefined.ts';
import type { CommitFacts, FileFacts, PullFacts } from '../git/pull.ts';
import { mergeableState } from '../rules/merging.ts';
import type { PullRequest, Repository } from '../state.ts';
import { nodeId } from '../state.ts';
import type { World } from '../world.ts';
import { issueWebUrl } from './issue.ts';
import { apiUrl, labelPayload, mergeSettings, repositoryPayload, webUrl } from './repository.ts';
import { association, userPayload } from './user.ts';

/** A pull request in a list. */
export function pullSummary(
  world: World,
  repository: Repository,
  issue: PullRequest,
  facts: PullFacts,
) {
  const { pull } = issue;
  return {
    ...pullLinks(world, repository, issue, facts),
    id: pull.id,
    node_id: nodeId('PR', pull.id),
    number: issue.number,
    state: issue.state,
    locked: issue.locked,
    active_lock_reason: null,
    title: issue.title,
    user: userPayload(world, issue.author),
    body: issue.body,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    merged_at: pull.merged?.at ?? null,
    merge_commit_sha: pull.merged?.commitSha ?? null,
    assignee: null,
    assignees: [],
    requested_reviewers: pull.requestedReviewers.map((user) => userPayload(world, user)),
    requested_teams: [],
    labels: issue.labels.map((label) => labelPayload(world, repository, label)),
    milestone: null,
    head: headPayload(world, repository, issue, facts),
    base: endPayload(world, repository, pull.base, facts.baseSha),
    author_association: association(repository, issue.author),
    auto_merge: autoMergePayload(world, issue),
    draft: pull.draft,
  };
}

function autoMergePayload(world: World, { title, pull: { autoMerge } }: PullRequest) {
  if (autoMerge === undefined || autoMerge.isQueued) return null;
  return {
    enabled_by: userPayload(world, autoMerge.by),
    merge_method: autoMerge.method,
    commit_title: title,
    commit_message: '',
  };
}

/** A single pull request. */
export function pullPayload(
  world: World,
  repository: Repository,
  issue: PullRequest,
  facts: PullFacts,
) {
  const { merged } = issue.pull;
  const count = (list: readonly { issueNumber?: number; pullNumber?: number }[]): number =>
    list.filter((one) => (one.issueNumber ?? one.pullNumber) === issue.number).length;
  return {
    ...pullSummary(world, repository, issue, facts),
    merged: merged !== undefined,
    mergeable: facts.mergeable,
    rebaseable: facts.mergeable,
    mergeable_state: mergeableState(world, repository, issue, facts),
    merged_by: merged === undefined ? null : userPayload(world, merged.by),
    comments: count(repository.comments),
    review_comments: count(repository.reviewComments),
    maintainer_can_modify: Boolean(issue.pull.maintainerCanModify),
    commits: facts.commits.length,
    additions: facts.files.reduce((sum, file) => sum + file.additions, 0),
    deletions: facts.files.reduce((sum, file) => sum + file.deletions, 0),
    changed_files: facts.files.length,
  };
}

function pullLinks(world: World, repository: Repository, issue: PullRequest, facts: PullFacts) {
  const api = apiUrl(world, repository);
  const web = issueWebUrl(world, repository, issue);
  const links = {
    url: `${api}/pulls/${issue.number}`,
    html_url: web,
    issue_url: `${api}/issues/${issue.number}`,
    comments_url: `${api}/issues/${issue.number}/comments`,
    review_comments_url: `${api}/pulls/${issue.number}/comments`,
    review_comment_url: `${api}/pulls/comments{/number}`,
    commits_url: `${api}/pulls/${issue.number}/commits`,
    statuses_url: `${api}/statuses/${facts.headSha}`,
  };
  const named = Object.entries(links).map(([name, href]) => [
    name === 'url' ? 'self' : name.replace(/_url$/, ''),
    { href },
  ]);
  return {
    ...links,
    diff_url: `${web}.diff`,
    patch_url: `${web}.patch`,
    _links: Object.fromEntries(named),
  };
}

/** A fork that was deleted is `null`; its commits are still there. */
function headPayload(world: World, base: Repository, issue: PullRequest, { headSha }: PullFacts) {
  const { head, headRepositoryId } = issue.pull;
  const isHere = headRepositoryId === undefined;
  const from = [...world.repositories.values()].find(({ id }) => id === headRepositoryId);
  if (isHere || from !== undefined) return endPayload(world, from ?? base, head, headSha);
  const { author } = issue;
  const label = `${author.login}:${head}`;
  return { label, ref: head, sha: headSha, user: userPayload(world, author), repo: null };
}

function endPayload(world: World, repository: Repository, branch: string, sha: string) {
  return {
    label: `${repository.owner.login}:${branch}`,
    ref: branch,
    sha,
    user: userPayload(world, repository.owner),
    repo: { ...repositoryPayload(world, repository), ...mergeSettings(repository) },
  };
}

export function filePayload(
  world: World,
  repository: Repository,
  file: FileFacts,
  commitSha: string,
) {
  const name = file.filename.split('/').map(encodeURIComponent).join('/');
  return {
    sha: file.sha,
    filename: file.filename,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${webUrl(world, repository)}/blob/${commitSha}/${name}`,
    raw_url: `${webUrl(world, repository)}/raw/${commitSha}/${name}`,
    contents_url: `${apiUrl(world, repository)}/contents/${name}?ref=${commitSha}`,
    ...withoutUndefined({ patch: file.patch, previous_filename: file.previousFilename }),
  };
}

export function commitPayload(world: World, repository: Repository, commit: CommitFacts) {
  const api = apiUrl(world, repository);
  const { sha, tree, author, committer, message } = commit;
  return {
    sha,
    node_id: `C_${sha}`,
    url: `${api}/commits/${sha}`,
    html_url: `${webUrl(world, repository)}/commit/${sha}`,
    comments_url: `${api}/commits/${sha}/comments`,
    commit: {
      url: `${api}/git/commits/${sha}`,
      author,
      committer,
      message,
      tree: { sha: tree, url: `${api}/git/trees/${tree}` },
      comment_count: 0,
      verification: verificationOf(world, sha),
    },
    author: null,
    committer: null,
    parents: commit.parents.map((parent) => ({
      sha: parent,
      url: `${api}/commits/${parent}`,
      html_url: `${webUrl(world, repository)}/commit/${parent}`,
    })),
  };
}

export function verificationOf({ signatures }: World, sha: string) {
  const known = signatures.get(sha);
  const { signature = null, payload = null, at = null } = known ?? {};
  const verified = known !== undefined;
  return {
    verified,
    reason: verified ? 'valid' : 'unsigned',
    signature,
    payload,
    verified_at: at,
  };
}
