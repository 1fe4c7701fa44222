// Runs of workflows, their jobs and logs.
import { findCheck, findSuite } from '../actions/checks.ts';
import { findJob, findRun, jobsOf, rerun } from '../actions/workflows.ts';
import { suiteState } from '../checks/state.ts';
import type { Job, WorkflowRun } from '../checks/state.ts';
import { checkFacts } from '../git/check-facts.ts';
import { GitHubError } from '../github-error.ts';
import { jobPayload, workflowRunPayload } from '../payloads/workflow.ts';
import { logAddress } from './job-logs.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { created, namedPage, numberParam, ok } from './route.ts';

const runOf = (request: RepositoryRequest): WorkflowRun =>
  findRun(request.repository, numberParam(request, 'id'));

const jobOf = (request: RepositoryRequest): Job =>
  findJob(request.repository, numberParam(request, 'id'));

async function present({ services, repository }: RepositoryRequest, run: WorkflowRun) {
  const suite = findSuite(repository, run.suiteId);
  const facts = await checkFacts(repository, suite.headSha);
  return workflowRunPayload(services.world, repository, run, { ...facts, suite });
}

function presentJob({ services, repository }: RepositoryRequest, job: Job) {
  const run = findRun(repository, job.runId);
  const suite = findSuite(repository, run.suiteId);
  const check = findCheck(repository, job.id);
  return jobPayload(services.world, repository, job, { check, run, suite });
}

/** Newest first. `status` is a status or a conclusion. */
function list(request: RepositoryRequest) {
  const { repository, query } = request;
  const { head_sha: sha, branch, status, check_suite_id: suiteId } = query;
  const runs = repository.checks.workflowRuns.filter((run) => {
    const suite = findSuite(repository, run.suiteId);
    const state = suiteState(repository.checks, suite);
    return (
      (sha === undefined || suite.headSha === sha) &&
      (branch === undefined || suite.headBranch === branch) &&
      (suiteId === undefined || String(suite.id) === suiteId) &&
      (status === undefined || state.status === status || state.conclusion === status)
    );
  });
  return namedPage(request, 'workflow_runs', runs.toReversed(), (run) => present(request, run));
}

function listJobs(request: RepositoryRequest) {
  const filter = request.query['filter'] === 'all' ? 'all' : 'latest';
  const jobs = jobsOf(request.repository, runOf(request), filter);
  return namedPage(request, 'jobs', jobs, (job) => presentJob(request, job));
}

/** Redirects to the text, like GitHub, which keeps logs with another service. */
function logs(request: RepositoryRequest) {
  const job = jobOf(request);
  if (job.log === '') throw new GitHubError('job-without-log', 404, 'Not Found');
  const location = logAddress(request.services.world, job.id);
  return { status: 302, headers: { location } };
}

async function again(request: RepositoryRequest, run: WorkflowRun, jobs: readonly Job[]) {
  const { services, repository, user } = request;
  await rerun(services, repository, user, run, jobs);
  return created({});
}

function rerunFailed(request: RepositoryRequest) {
  const { repository } = request;
  const run = runOf(request);
  const failed = jobsOf(repository, run, 'latest').filter(
    ({ id }) => findCheck(repository, id).conclusion === 'failure',
  );
  if (failed.length === 0)
    throw new GitHubError(
      'rerun-of-nothing-failed',
      403,
      'This workflow run has no failed jobs to re-run',
    );
  return again(request, run, failed);
}

const read = { method: 'GET', permission: 'actions:read' } as const;
const write = { method: 'POST', permission: 'actions:write', role: 'write' } as const;

export const workflowRoutes: readonly RepositoryRoute[] = [
  { ...read, path: '/actions/runs', handle: list },
  {
    ...read,
    path: '/actions/runs/:id',
    handle: async (request) => ok(await present(request, runOf(request))),
  },
  { ...read, path: '/actions/runs/:id/jobs', handle: listJobs },
  {
    ...read,
    path: '/actions/jobs/:id',
    handle: (request) => ok(presentJob(request, jobOf(request))),
  },
  { ...read, path: '/actions/jobs/:id/logs', handle: logs },
  {
    ...write,
    path: '/actions/runs/:id/rerun',
    handle: (request) => {
      const run = runOf(request);
      return again(request, run, jobsOf(request.repository, run, 'latest'));
    },
  },
  { ...write, path: '/actions/runs/:id/rerun-failed-jobs', handle: rerunFailed },
  {
    ...write,
    path: '/actions/jobs/:id/rerun',
    handle: (request) => {
      const job = jobOf(request);
      return again(request, findRun(request.repository, job.runId), [job]);
    },
  },
];
