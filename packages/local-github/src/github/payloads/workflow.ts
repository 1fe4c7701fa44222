import type { CheckRun, CheckSuite, Job, WorkflowRun } from '../checks/state.ts';
import { suiteState } from '../checks/state.ts';
import type { CheckFacts } from '../git/check-facts.ts';
import type { Repository } from '../state.ts';
import { nodeId } from '../state.ts';
import type { World } from '../world.ts';
import { checkRunPath, minimalPulls, simpleCommit } from './check.ts';
import { apiUrl, mentionedRepositoryPayload, webUrl } from './repository.ts';
import { userPayload } from './user.ts';

const CREATED = '2026-01-01T00:00:00Z';

export function workflowPayload(
  world: World,
  repository: Repository,
  { workflow: { id, name, path } }: WorkflowRun,
) {
  const web = webUrl(world, repository);
  return {
    id,
    node_id: nodeId('W', id),
    name,
    path,
    state: 'active',
    created_at: CREATED,
    updated_at: CREATED,
    url: `${apiUrl(world, repository)}/actions/workflows/${id}`,
    html_url: `${web}/blob/${repository.defaultBranch}/${path}`,
    badge_url: `${web}/workflows/${encodeURIComponent(name)}/badge.svg`,
  };
}

export function workflowRunPayload(
  world: World,
  repository: Repository,
  run: WorkflowRun,
  { pulls, commit, suite }: CheckFacts & { readonly suite: CheckSuite },
) {
  const api = apiUrl(world, repository);
  const repo = mentionedRepositoryPayload(world, repository);
  return {
    ...linksOf(api, run),
    id: run.id,
    node_id: nodeId('WFR', run.id),
    name: run.workflow.name,
    path: run.workflow.path,
    display_title: run.title,
    run_number: run.number,
    run_attempt: run.attempt,
    event: 'push',
    ...suiteState(repository.checks, suite),
    workflow_id: run.workflow.id,
    check_suite_id: suite.id,
    check_suite_node_id: nodeId('CS', suite.id),
    check_suite_url: `${api}/check-suites/${suite.id}`,
    html_url: `${webUrl(world, repository)}/actions/runs/${run.id}`,
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    head_commit: simpleCommit(commit),
    head_repository: repo,
    repository: repo,
    pull_requests: minimalPulls(world, repository, suite, pulls),
    referenced_workflows: [],
    actor: userPayload(world, run.actor),
    triggering_actor: userPayload(world, run.triggeringActor),
    created_at: run.createdAt,
    run_started_at: run.startedAt,
    updated_at: suite.updatedAt,
  };
}

function linksOf(api: string, { id, attempt, workflow }: WorkflowRun) {
  const url = `${api}/actions/runs/${id}`;
  return {
    url,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: attempt === 1 ? null : `${url}/attempts/${attempt - 1}`,
    workflow_url: `${api}/actions/workflows/${workflow.id}`,
  };
}

export function jobPayload(
  world: World,
  repository: Repository,
  job: Job,
  { check, run, suite }: { check: CheckRun; run: WorkflowRun; suite: CheckSuite },
) {
  const api = apiUrl(world, repository);
  const runner = { id: 1, name: 'GitHub Actions 1', group: { id: 0, name: 'GitHub Actions' } };
  return {
    id: job.id,
    node_id: nodeId('CR', job.id),
    run_id: run.id,
    run_url: `${api}/actions/runs/${run.id}`,
    run_attempt: job.attempt,
    workflow_name: run.workflow.name,
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    url: `${api}/actions/jobs/${job.id}`,
    html_url: world.url + checkRunPath(repository, check),
    check_run_url: `${api}/check-runs/${job.id}`,
    name: check.name,
    status: check.status,
    conclusion: check.conclusion,
    created_at: job.createdAt,
    started_at: check.startedAt,
    completed_at: check.completedAt,
    steps: job.steps,
    labels: ['ubuntu-latest'],
    runner_id: runner.id,
    runner_name: runner.name,
    runner_group_id: runner.group.id,
    runner_group_name: runner.group.name,
  };
}
