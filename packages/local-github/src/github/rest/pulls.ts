import { z } from 'zod';
import { changeBase } from '../actions/base-branch.ts';
import { changeIssue } from '../actions/issues.ts';
import { headRepository } from '../actions/forks.ts';
import { updateBranch } from '../actions/merges.ts';
import { announceMoves, findPull, mergePull, openPull } from '../actions/pulls.ts';
import { requestReviews, withdrawReviewRequest } from '../actions/reviews.ts';
import { GitHubError } from '../github-error.ts';
import { withBodies } from '../payloads/body.ts';
import { pullPatch } from '../payloads/patch.ts';
import { commitPayload, filePayload, pullPayload, pullSummary } from '../payloads/pull.ts';
import { decidedFacts, pullFacts } from '../git/pull.ts';
import { refusedWorkflow } from '../rules/workflows.ts';
import type { PullRequest } from '../state.ts';
import { isPull } from '../state.ts';
import { callerOf, hasRole } from './access.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { created, numberParam, ok, page, parseBody } from './route.ts';

export const pullOf = (request: RepositoryRequest): PullRequest =>
  findPull(request.repository, numberParam(request, 'number'));

const NewPullBody = z.object({
  title: z.string(),
  body: z.string().nullish(),
  head: z.string(),
  base: z.string(),
  draft: z.boolean().optional(),
  maintainer_can_modify: z.boolean().optional(),
});

const PullChangeBody = z.object({
  title: z.string().optional(),
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']).optional(),
  base: z.string().optional(),
  maintainer_can_modify: z.boolean().optional(),
});

const MergeBody = z.object({
  commit_title: z.string().optional(),
  commit_message: z.string().optional(),
  sha: z.string().optional(),
  merge_method: z.enum(['merge', 'squash']).optional(),
});

const UpdateBody = z.object({ expected_head_sha: z.string().optional() });

const ReviewersBody = z.object({
  reviewers: z.array(z.string()).optional(),
  team_reviewers: z.array(z.string()).optional(),
});

async function presentInFull(request: RepositoryRequest, pull: PullRequest) {
  const { services, repository, bodies } = request;
  const facts = await pullFacts(repository, pull);
  const payload = pullPayload(services.world, repository, pull, facts);
  return withBodies(payload, bodies, services.world, repository);
}

async function presentInShort(
  { services, repository, bodies }: RepositoryRequest,
  pull: PullRequest,
) {
  const payload = pullSummary(services.world, repository, pull, await pullFacts(repository, pull));
  return withBodies(payload, bodies, services.world, repository);
}

async function list(request: RepositoryRequest) {
  const { repository, query, services } = request;
  const state = query['state'] ?? 'open';
  // Without an owner the filter is ignored (rule `pulls-by-head`).
  const [owner = '', branch] = (query['head'] ?? '').split(':', 2);
  const isFrom = (pull: PullRequest): boolean => {
    const from = headRepository(services.world, repository, pull);
    return from?.owner.login.toLowerCase() === owner.toLowerCase() && pull.pull.head === branch;
  };
  const pulls = repository.issues
    .filter(isPull)
    .filter((one) => state === 'all' || one.state === state)
    .filter((one) => branch === undefined || isFrom(one))
    .filter((one) => query['base'] === undefined || one.pull.base === query['base'])
    .toSorted((one, other) => other.number - one.number);
  const presented = pulls.map((pull) => presentInShort(request, pull));
  return page(request, await Promise.all(presented), (payload) => payload);
}

function create(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const wanted = parseBody(NewPullBody, request.body);
  // Whoever has a fork may propose what is in it.
  const isOwn = wanted.head.toLowerCase().startsWith(`${user.login.toLowerCase()}:`);
  if (user.type === 'User' && !isOwn && !hasRole(repository, user, 'write'))
    throw new GitHubError(
      'pull-needs-a-pushable-head',
      403,
      'Must have admin rights to Repository.',
    );
  return services.world.exclusively(repository, async () => {
    const pull = await openPull(services, repository, user, {
      ...wanted,
      maintainerCanModify: wanted.maintainer_can_modify,
    });
    return created(await presentInFull(request, pull));
  });
}

async function change(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const pull = pullOf(request);
  const wanted = parseBody(PullChangeBody, request.body);
  const mayChange = user.type === 'Bot' || user.id === pull.author.id;
  if (!mayChange && !hasRole(repository, user, 'write'))
    throw new GitHubError('texts-of-others', 403, 'Must have admin rights to Repository.');
  await changeIssue(services, repository, user, pull, wanted);
  if (wanted.maintainer_can_modify !== undefined && pull.pull.headRepositoryId !== undefined)
    pull.pull.maintainerCanModify = wanted.maintainer_can_modify;
  if (wanted.base !== undefined) await changeBase(services, repository, user, pull, wanted.base);
  return ok(await presentInFull(request, pull));
}

/** Throws GitHub's 403 for an App and workflow files. */
export async function checkMayMerge(request: RepositoryRequest, pull: PullRequest): Promise<void> {
  const { files } = await pullFacts(request.repository, pull);
  const workflow = files.find(({ filename }) => filename.startsWith('.github/workflows/'));
  if (workflow !== undefined && !callerOf(request).mayWriteWorkflows)
    throw new GitHubError('workflow-files-in-merge', 403, refusedWorkflow(workflow.filename));
}

function merge(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const pull = pullOf(request);
  const wanted = parseBody(MergeBody, request.body);
  const options = {
    title: wanted.commit_title,
    message: wanted.commit_message,
    sha: wanted.sha,
    method: wanted.merge_method,
  };
  return services.world.exclusively(repository, async () => {
    await checkMayMerge(request, pull);
    const sha = await mergePull(services, repository, user, pull, options);
    return ok({ sha, merged: true, message: 'Pull Request successfully merged' });
  });
}

/** The first look at two commits answers `mergeable: null`, and starts to compute it: the second look knows it. */
async function read(request: RepositoryRequest) {
  const pull = pullOf(request);
  if (request.patch !== undefined) return pullPatch(request.repository, pull, request.patch);
  if (!request.services.world.rules.holds('mergeable-unknown-at-first'))
    await decidedFacts(request.repository, pull);
  const answer = ok(await presentInFull(request, pull));
  await decidedFacts(request.repository, pull);
  return answer;
}

function update(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const pull = pullOf(request);
  const { expected_head_sha: expected } = parseBody(UpdateBody, request.body);
  return services.world.exclusively(repository, async () => {
    const before = await repository.git.branches();
    await updateBranch(services, repository, callerOf(request), pull, expected);
    await announceMoves(services, repository, user, before);
    const url = `${services.world.url}/repos/${repository.fullName}/pulls/${pull.number}`;
    return { status: 202, body: { message: 'Updating pull request branch.', url } };
  });
}

async function listFiles(request: RepositoryRequest) {
  const { repository, services } = request;
  const facts = await pullFacts(repository, pullOf(request));
  return page(request, facts.files, (file) =>
    filePayload(services.world, repository, file, facts.headSha),
  );
}

async function listCommits(request: RepositoryRequest) {
  const { repository, services } = request;
  const { commits } = await pullFacts(repository, pullOf(request));
  return page(request, commits, (commit) => commitPayload(services.world, repository, commit));
}

/** Adds all reviewers or none. Skips those who were already requested. */
async function requestReviewers(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const issue = pullOf(request);
  const { reviewers = [] } = parseBody(ReviewersBody, request.body);
  const people = reviewers.map((login) => reviewer(request, issue, login));
  requestReviews(services, repository, user, issue, people);
  return created(await presentInShort(request, issue));
}

async function removeReviewers(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const issue = pullOf(request);
  const { reviewers = [] } = parseBody(ReviewersBody, request.body);
  for (const login of reviewers) {
    const person = services.world.user(login);
    if (person !== undefined) withdrawReviewRequest(services, repository, user, issue, person);
  }
  return ok(await presentInShort(request, issue));
}

function reviewer({ services, repository }: RepositoryRequest, issue: PullRequest, login: string) {
  const person = services.world.user(login);
  if (person === undefined || !repository.collaborators.has(person.login))
    throw new GitHubError(
      'reviewers-are-collaborators',
      422,
      'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the repository.',
    );
  if (person.id === issue.author.id)
    throw new GitHubError(
      'author-is-no-reviewer',
      422,
      'Review cannot be requested from pull request author.',
    );
  return person;
}

const permission = 'pull_requests:read';
const write = 'pull_requests:write';

export const pullRoutes: readonly RepositoryRoute[] = [
  { method: 'GET', path: '/pulls', permission, handle: list },
  { method: 'POST', path: '/pulls', permission: write, handle: create },
  {
    method: 'GET',
    path: '/pulls/:number',
    permission,
    handle: read,
  },
  {
    method: 'PUT',
    path: '/pulls/:number/update-branch',
    permission: write,
    role: 'write',
    handle: update,
  },
  { method: 'PATCH', path: '/pulls/:number', permission: write, handle: change },
  { method: 'GET', path: '/pulls/:number/files', permission, handle: listFiles },
  { method: 'GET', path: '/pulls/:number/commits', permission, handle: listCommits },
  {
    method: 'PUT',
    path: '/pulls/:number/merge',
    permission: 'contents:write',
    role: 'write',
    handle: merge,
  },
  {
    method: 'POST',
    path: '/pulls/:number/requested_reviewers',
    permission: write,
    role: 'write',
    handle: requestReviewers,
  },
  {
    method: 'DELETE',
    path: '/pulls/:number/requested_reviewers',
    permission: write,
    role: 'write',
    handle: removeReviewers,
  },
];
