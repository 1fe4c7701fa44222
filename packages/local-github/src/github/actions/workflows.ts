// Simulated GitHub Actions: runs of scripted workflows. Their jobs are check runs of the App `github-actions`.
import type {
  CiScript,
  Condition,
  ScriptedJob,
  ScriptedStep,
  ScriptedWorkflow,
} from '../checks/ci-script.ts';
import { CI_FILE, parseCiFile } from '../checks/ci-script.ts';
import { jobLog, outcomeOf, waitingSteps } from '../checks/job-log.ts';
import { GITHUB_ACTIONS, suiteState } from '../checks/state.ts';
import type { CheckRun, CheckSuite, Job, WorkflowRun } from '../checks/state.ts';
import { GitHubError } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import { workflowPayload, workflowRunPayload } from '../payloads/workflow.ts';
import type { Repository, User } from '../state.ts';
import { timestamp } from '../state.ts';
import {
  addCheck,
  addSuite,
  changeCheck,
  checkContext,
  findCheck,
  findSuite,
  rerequestCheck,
  rerequestSuite,
  suiteOf,
  type CheckContext,
  type Push,
} from './checks.ts';

export function findRun({ checks }: Repository, id: number): WorkflowRun {
  const run = checks.workflowRuns.find((one) => one.id === id);
  if (run === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return run;
}

export function findJob({ checks }: Repository, id: number): Job {
  const job = checks.jobs.find((one) => one.id === id);
  if (job === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return job;
}

/** All jobs of a run, or the newest of each name. */
export function jobsOf({ checks }: Repository, run: WorkflowRun, filter: 'all' | 'latest'): Job[] {
  const all = checks.jobs.filter((one) => one.runId === run.id);
  return filter === 'all'
    ? all
    : [...new Map(all.map((job) => [job.script.name, job])).values()].toSorted(
        (one, other) => one.id - other.id,
      );
}

/** What was ordered for the next push or re-run, otherwise what the commit's own file says. */
export async function nextScript(repository: Repository, sha: string): Promise<CiScript> {
  const { outcomes } = repository.checks;
  const ordered = outcomes.length > 1 ? outcomes.shift() : outcomes[0];
  if (ordered !== undefined) return ordered;
  const file = await fileAt(repository, sha, CI_FILE);
  return file === undefined ? [] : parseCiFile(file);
}

/** Runs the workflow: all its jobs, except those that wait, are completed when this resolves. */
export async function startWorkflow(
  context: CheckContext,
  workflow: ScriptedWorkflow,
  push: Push,
): Promise<WorkflowRun> {
  const { world, repository, sender, facts } = context;
  const suite = addSuite(context, GITHUB_ACTIONS, push);
  const now = timestamp();
  const earlier = repository.checks.workflowRuns.filter(
    (one) => one.workflow.name === workflow.name,
  );
  const path = `.github/workflows/${workflow.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.yml`;
  const run: WorkflowRun = {
    id: world.nextId(),
    suiteId: suite.id,
    workflow: earlier[0]?.workflow ?? { id: world.nextId(), name: workflow.name, path },
    number: earlier.length + 1,
    title: facts.commit.message.split('\n')[0] ?? '',
    actor: sender,
    triggeringActor: sender,
    attempt: 1,
    createdAt: now,
    startedAt: now,
  };
  repository.checks.workflowRuns.push(run);
  emitRun(context, run, 'requested');
  await play(context, run, workflow.jobs);
  return run;
}

/** Runs these jobs again, in a new attempt. Throws a 403 if the run is not completed. */
export async function rerun(
  hub: Hub,
  repository: Repository,
  actor: User,
  run: WorkflowRun,
  jobs: readonly Job[],
): Promise<void> {
  const suite = findSuite(repository, run.suiteId);
  if (suiteState(repository.checks, suite).status !== 'completed')
    throw new GitHubError('rerun-of-running', 403, 'This workflow is already running');
  suite.isReset = true;
  const context = await checkContext(hub, repository, actor, suite.headSha);
  const script = await nextScript(repository, suite.headSha);
  const next = script.find(({ name }) => name === run.workflow.name)?.jobs ?? [];
  run.attempt += 1;
  run.triggeringActor = actor;
  run.startedAt = timestamp();
  emitRun(context, run, 'requested');
  const again = jobs.map((job) => next.find(({ name }) => name === job.script.name) ?? job.script);
  await play(context, run, again);
}

/** Runs a check again: a job of Actions runs in another attempt, the App of any other check is asked to. */
export async function runAgain(
  hub: Hub,
  repository: Repository,
  actor: User,
  check: CheckRun,
): Promise<void> {
  const job = repository.checks.jobs.find(({ id }) => id === check.id);
  if (job !== undefined)
    return rerun(hub, repository, actor, findRun(repository, job.runId), [job]);
  const { headSha } = suiteOf(repository, check);
  rerequestCheck(await checkContext(hub, repository, actor, headSha), check);
}

/** The same for all checks of a suite. */
export async function runSuiteAgain(
  hub: Hub,
  repository: Repository,
  actor: User,
  suite: CheckSuite,
): Promise<void> {
  const run = repository.checks.workflowRuns.find(({ suiteId }) => suiteId === suite.id);
  if (run !== undefined)
    return rerun(hub, repository, actor, run, jobsOf(repository, run, 'latest'));
  rerequestSuite(await checkContext(hub, repository, actor, suite.headSha), suite);
}

async function play(
  context: CheckContext,
  run: WorkflowRun,
  scripts: readonly ScriptedJob[],
): Promise<void> {
  const jobs = scripts.map((script) => addJob(context, run, script));
  for (const job of jobs) {
    job.steps = waitingSteps(job.script.steps);
    changeCheck(context, findCheck(context.repository, job.id), { status: 'in_progress' });
  }
  emitRun(context, run, 'in_progress');
  for (const job of jobs) if (!job.script.waits) await finishJob(context, job, job.script.steps);
}

function addJob(context: CheckContext, run: WorkflowRun, script: ScriptedJob): Job {
  const suite = findSuite(context.repository, run.suiteId);
  const { id, startedAt } = addCheck(context, suite, { name: script.name });
  const createdAt = startedAt;
  const job: Job = {
    id,
    runId: run.id,
    attempt: run.attempt,
    createdAt,
    script,
    steps: [],
    log: '',
  };
  context.repository.checks.jobs.push(job);
  return job;
}

/** Completes a job with what these steps of a script say. Throws if it is completed already. */
export async function finishJob(
  context: CheckContext,
  job: Job,
  steps: readonly ScriptedStep[],
): Promise<void> {
  const { repository, facts } = context;
  const check = findCheck(repository, job.id);
  const holds = (condition: Condition) => isTrue(repository, facts.commit.sha, condition);
  const outcome = await outcomeOf(steps, holds);
  if (check.status === 'completed') throw new Error(`the job ${check.name} is completed`);
  job.steps = outcome.steps;
  job.log = jobLog(outcome);
  check.annotations.push(...outcome.annotations);
  changeCheck(context, check, { conclusion: outcome.hasFailed ? 'failure' : 'success' });
  const run = findRun(repository, job.runId);
  const suite = findSuite(repository, run.suiteId);
  if (suiteState(repository.checks, suite).status === 'completed')
    emitRun(context, run, 'completed');
}

async function isTrue(repository: Repository, sha: string, condition: Condition): Promise<boolean> {
  const text = (await fileAt(repository, sha, condition.path)) ?? '';
  return 'contains' in condition
    ? text.includes(condition.contains)
    : !text.includes(condition.lacks);
}

async function fileAt({ git }: Repository, sha: string, path: string): Promise<string | undefined> {
  const { isFile, list } = await git.entries(sha, path);
  const [file] = list;
  return isFile && file !== undefined ? (await git.blob(file.sha)).toString() : undefined;
}

function emitRun(context: CheckContext, run: WorkflowRun, action: string): void {
  const { world, webhooks, repository, sender, facts } = context;
  const suite = findSuite(repository, run.suiteId);
  webhooks.emit('workflow_run', repository, sender, {
    action,
    workflow: workflowPayload(world, repository, run),
    workflow_run: workflowRunPayload(world, repository, run, { ...facts, suite }),
  });
}
