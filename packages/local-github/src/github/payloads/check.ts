import type { Annotation } from '../checks/annotation.ts';
import { latestRuns, suiteState } from '../checks/state.ts';
import type { CheckApp, CheckRun, CheckSuite } from '../checks/state.ts';
import type { CheckFacts, PullAt } from '../git/check-facts.ts';
import type { CommitFacts } from '../git/pull.ts';
import type { Repository } from '../state.ts';
import { nodeId } from '../state.ts';
import type { World } from '../world.ts';
import { appPayload, foreignAppPayload } from './app.ts';
import { apiUrl, repositoryPayload, webUrl } from './repository.ts';

/** The page of a check run. Jobs have the address of their workflow run's page. */
export function checkRunPath(repository: Repository, { id }: CheckRun): string {
  const job = repository.checks.jobs.find((one) => one.id === id);
  const below = job === undefined ? `runs/${id}` : `actions/runs/${job.runId}/job/${id}`;
  return `/${repository.fullName}/${below}`;
}

const ownerOf = (world: World, app: CheckApp) =>
  app.id === world.app.id ? appPayload(world) : foreignAppPayload(world, app);

export function checkRunPayload(
  world: World,
  repository: Repository,
  run: CheckRun,
  { pulls, suite }: CheckFacts & { readonly suite: CheckSuite },
) {
  const url = `${apiUrl(world, repository)}/check-runs/${run.id}`;
  const html = world.url + checkRunPath(repository, run);
  return {
    id: run.id,
    node_id: nodeId('CR', run.id),
    name: run.name,
    head_sha: suite.headSha,
    external_id: run.externalId,
    url,
    html_url: html,
    details_url: run.detailsUrl ?? html,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: {
      ...run.output,
      annotations_count: run.annotations.length,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: suite.id },
    app: ownerOf(world, suite.app),
    pull_requests: minimalPulls(world, repository, suite, pulls),
  };
}

/** In webhooks, the run carries the whole suite. */
export function checkRunEventPayload(
  world: World,
  repository: Repository,
  run: CheckRun,
  facts: CheckFacts & { readonly suite: CheckSuite },
) {
  return {
    ...checkRunPayload(world, repository, run, facts),
    check_suite: suiteSummary(world, repository, facts.suite, facts),
  };
}

function suiteSummary(
  world: World,
  repository: Repository,
  suite: CheckSuite,
  { pulls }: CheckFacts,
) {
  return {
    id: suite.id,
    node_id: nodeId('CS', suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    ...suiteState(repository.checks, suite),
    url: `${apiUrl(world, repository)}/check-suites/${suite.id}`,
    before: suite.before,
    after: suite.headSha,
    pull_requests: minimalPulls(world, repository, suite, pulls),
    app: ownerOf(world, suite.app),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
  };
}

/** The suite as in webhooks; REST adds the repository. */
export function checkSuitePayload(
  world: World,
  repository: Repository,
  suite: CheckSuite,
  facts: CheckFacts,
) {
  return {
    ...suiteSummary(world, repository, suite, facts),
    latest_check_runs_count: latestRuns(repository.checks, suite).length,
    check_runs_url: `${apiUrl(world, repository)}/check-suites/${suite.id}/check-runs`,
    head_commit: simpleCommit(facts.commit),
    rerequestable: true,
    runs_rerequestable: true,
  };
}

export const checkSuiteInFull = (
  world: World,
  repository: Repository,
  suite: CheckSuite,
  facts: CheckFacts,
) => ({
  ...checkSuitePayload(world, repository, suite, facts),
  repository: repositoryPayload(world, repository),
});

export function annotationPayload(
  world: World,
  repository: Repository,
  sha: string,
  annotation: Annotation,
) {
  const file = annotation.path.split('/').map(encodeURIComponent).join('/');
  return {
    start_column: null,
    end_column: null,
    title: null,
    raw_details: null,
    ...annotation,
    blob_href: `${webUrl(world, repository)}/blob/${sha}/${file}`,
  };
}

export const simpleCommit = ({ sha, tree, message, author, committer }: CommitFacts) => ({
  id: sha,
  tree_id: tree,
  message,
  timestamp: committer.date,
  author: { name: author.name, email: author.email },
  committer: { name: committer.name, email: committer.email },
});

/** The pull requests of the suite: those from its branch. */
export function minimalPulls(
  world: World,
  repository: Repository,
  { headBranch, headSha }: CheckSuite,
  pulls: readonly PullAt[],
) {
  const api = apiUrl(world, repository);
  const repo = { id: repository.id, url: api, name: repository.name };
  return pulls
    .filter(({ issue }) => headBranch === null || issue.pull.head === headBranch)
    .map(({ issue: { number, pull }, baseSha }) => ({
      id: pull.id,
      number,
      url: `${api}/pulls/${number}`,
      head: { ref: pull.head, sha: headSha, repo },
      base: { ref: pull.base, sha: baseSha, repo },
    }));
}
