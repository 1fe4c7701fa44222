// What a repository stores about the checks of its commits, and what follows from it.
import type { User } from '../user.ts';
import type { Annotation } from './annotation.ts';
import type { CiScript, ScriptedJob } from './ci-script.ts';

/** An App that has checks. */
export interface CheckApp {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
}

/** The App whose checks are the jobs of workflows. It has the same id on GitHub. */
export const GITHUB_ACTIONS: CheckApp = {
  id: 15_368,
  slug: 'github-actions',
  name: 'GitHub Actions',
};

type CheckStatus = 'queued' | 'in_progress' | 'completed';

/**
 * By their priority: a suite has the first that one of its runs has (rule `suite-conclusion`).
 */
export const CONCLUSIONS = [
  'failure',
  'timed_out',
  'action_required',
  'cancelled',
  'stale',
  'success',
  'neutral',
  'skipped',
] as const;
type Conclusion = (typeof CONCLUSIONS)[number];

/** The conclusions that count as passed. */
const PASSED: readonly Conclusion[] = ['success', 'neutral', 'skipped'];

export interface CheckState {
  readonly status: CheckStatus;
  readonly conclusion: Conclusion | null;
}

/** The check runs of one App for a commit, or of one workflow run. */
export interface CheckSuite {
  readonly id: number;
  readonly app: CheckApp;
  readonly headSha: string;
  readonly headBranch: string | null;
  /** The head of the branch before the push; `null` if no push caused the suite. */
  readonly before: string | null;
  readonly createdAt: string;
  updatedAt: string;
  /** It was requested again, and none of its runs has changed since. */
  isReset: boolean;
}

interface CheckAction {
  readonly label: string;
  readonly description: string;
  readonly identifier: string;
}

export interface CheckRun {
  readonly id: number;
  readonly suiteId: number;
  name: string;
  status: CheckStatus;
  conclusion: Conclusion | null;
  startedAt: string;
  completedAt: string | null;
  detailsUrl: string | null;
  externalId: string;
  output: { title: string | null; summary: string | null; text: string | null };
  readonly annotations: Annotation[];
  actions: readonly CheckAction[];
}

export type CommitState = 'error' | 'failure' | 'pending' | 'success';

export interface CommitStatus {
  readonly id: number;
  readonly sha: string;
  readonly state: CommitState;
  readonly context: string;
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly creator: User;
  readonly createdAt: string;
}

export interface WorkflowRun {
  readonly id: number;
  readonly suiteId: number;
  readonly workflow: { readonly id: number; readonly name: string; readonly path: string };
  /** Counts the runs of the workflow. */
  readonly number: number;
  readonly title: string;
  readonly actor: User;
  readonly createdAt: string;
  attempt: number;
  triggeringActor: User;
  startedAt: string;
}

export interface Step {
  readonly name: string;
  readonly number: number;
  readonly status: CheckStatus;
  readonly conclusion: 'success' | 'failure' | 'skipped' | null;
  readonly started_at: string | null;
  readonly completed_at: string | null;
}

/** What a job has besides the check run with the same id. */
export interface Job {
  readonly id: number;
  readonly runId: number;
  readonly attempt: number;
  readonly createdAt: string;
  readonly script: ScriptedJob;
  steps: readonly Step[];
  /** Empty until the job is completed. */
  log: string;
}

export interface Checks {
  readonly suites: CheckSuite[];
  readonly runs: CheckRun[];
  readonly statuses: CommitStatus[];
  readonly workflowRuns: WorkflowRun[];
  readonly jobs: Job[];
  /** What Actions does with the next pushes and re-runs. The last of them stays. */
  readonly outcomes: CiScript[];
}

export const noChecks = (): Checks => ({
  suites: [],
  runs: [],
  statuses: [],
  workflowRuns: [],
  jobs: [],
  outcomes: [],
});

/** The newest run of each name, oldest first. */
export function latestRuns(checks: Checks, suite: CheckSuite): CheckRun[] {
  const runs = checks.runs.filter((one) => one.suiteId === suite.id);
  return [...new Map(runs.map((run) => [run.name, run])).values()];
}

export function suiteState(checks: Checks, suite: CheckSuite): CheckState {
  const runs = latestRuns(checks, suite);
  if (suite.isReset || runs.every((run) => run.status === 'queued'))
    return { status: 'queued', conclusion: null };
  if (runs.some((run) => run.status !== 'completed'))
    return { status: 'in_progress', conclusion: null };
  const conclusion = CONCLUSIONS.find((one) => runs.some((run) => run.conclusion === one));
  return { status: 'completed', conclusion: conclusion ?? null };
}

export const suitesOf = (checks: Checks, sha: string): CheckSuite[] =>
  checks.suites.filter((suite) => suite.headSha === sha);

/** The newest status of each context, newest first. Contexts are compared without case. */
export function latestStatuses(checks: Checks, sha: string): CommitStatus[] {
  const all = checks.statuses.filter((one) => one.sha === sha);
  return [...new Map(all.map((one) => [one.context.toLowerCase(), one])).values()].toReversed();
}

/** GitHub's summary of statuses: `pending` if there are none (rule `combined-status`). */
export function combinedState(statuses: readonly CommitStatus[]): CommitState {
  if (statuses.some(({ state }) => state === 'error' || state === 'failure')) return 'failure';
  const isDone = statuses.length > 0 && statuses.every(({ state }) => state === 'success');
  return isDone ? 'success' : 'pending';
}

/** The names of the checks and statuses that have passed. */
export function passedChecks(checks: Checks, sha: string): ReadonlySet<string> {
  const runs = suitesOf(checks, sha).flatMap((suite) => latestRuns(checks, suite));
  const isPassed = ({ conclusion }: CheckRun): boolean =>
    conclusion !== null && PASSED.includes(conclusion);
  return new Set([
    ...runs.filter(isPassed).map(({ name }) => name),
    ...latestStatuses(checks, sha)
      .filter(({ state }) => state === 'success')
      .map(({ context }) => context),
  ]);
}

/** Whether all checks and statuses of the commit passed. */
export function hasPassed(checks: Checks, sha: string): boolean {
  const runs = suitesOf(checks, sha).flatMap((suite) => latestRuns(checks, suite));
  return (
    runs.every(({ conclusion }) => conclusion !== null && PASSED.includes(conclusion)) &&
    latestStatuses(checks, sha).every(({ state }) => state === 'success')
  );
}
