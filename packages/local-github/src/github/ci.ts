// What CI does to a repository: GitHub Actions, Apps of others with checks, and services with statuses.
import {
  changeCheck,
  checkContext,
  createCheck,
  findCheck,
  findSuite,
  suiteOf,
  type CheckContext,
} from './actions/checks.ts';
import { createStatus, type NewStatus } from './actions/statuses.ts';
import { findJob, findRun, finishJob, jobsOf } from './actions/workflows.ts';
import type { CheckRunChange, NewCheckRun } from './checks/bodies.ts';
import {
  CiScript,
  ScriptedSteps,
  type CiScriptInput,
  type StepsInput,
} from './checks/ci-script.ts';
import type { CheckApp, CheckRun, CheckSuite, CommitStatus, Job } from './checks/state.ts';
import { findPull } from './actions/pulls.ts';
import { emitPullEvent, touch, type Hub } from './hub.ts';
import type { Repository, User } from './state.ts';

/** The App of others in whose name checks are made. */
const OTHER_APP: CheckApp = { id: 900_001, slug: 'some-ci', name: 'Some CI' };

/** In whose name the queue acts. */
const QUEUE = 'github-merge-queue[bot]';

export class Ci {
  readonly #hub: Hub;
  readonly #repository: Repository;

  constructor(hub: Hub, repository: Repository) {
    this.#hub = hub;
    this.#repository = repository;
  }

  /**
   * What Actions does with the next pushes and re-runs, one script for each; the last stays. Replaces what was
   * ordered before. Without scripts, the file `.github/local-ci.json` of each commit decides.
   */
  script(...scripts: CiScriptInput[]): void {
    const { outcomes } = this.#repository.checks;
    outcomes.splice(0, outcomes.length, ...scripts.map((one) => CiScript.parse(one)));
    this.#hub.world.changed();
  }

  /** Puts a pull request into the merge queue. The queue itself merges nothing here. */
  enqueue(pullRequest: number): void {
    this.#queued(pullRequest, 'enqueued');
  }

  /** Takes it out again, with GitHub's name of the reason, such as `CI_FAILURE`. */
  dequeue(pullRequest: number, reason: string): void {
    this.#queued(pullRequest, 'dequeued', { reason });
  }

  #queued(number: number, action: string, more = {}): void {
    const pull = findPull(this.#repository, number);
    touch(this.#hub, pull);
    emitPullEvent(this.#hub, this.#repository, this.#hub.world.addUser(QUEUE), pull, action, more);
  }

  /** The newest jobs of the commit's workflow runs. */
  jobs(sha: string): Job[] {
    const { checks } = this.#repository;
    return checks.workflowRuns
      .filter((run) => findSuite(this.#repository, run.suiteId).headSha === sha)
      .flatMap((run) => jobsOf(this.#repository, run, 'latest'));
  }

  /** Completes a job that waits, with the steps of its script or with these. */
  async finishJob(id: number, steps?: StepsInput): Promise<void> {
    const job = findJob(this.#repository, id);
    const run = findRun(this.#repository, job.runId);
    const suite = findSuite(this.#repository, run.suiteId);
    const context = await this.#context(suite, run.triggeringActor);
    const own = steps === undefined ? job.script.steps : ScriptedSteps.parse(steps);
    await finishJob(context, job, own);
  }

  /** Creates a check run of an App of others. */
  startCheck(wanted: NewCheckRun, app: CheckApp = OTHER_APP): Promise<CheckRun> {
    return createCheck(this.#hub, this.#repository, this.#botOf(app), app, wanted);
  }

  async changeCheck(id: number, change: CheckRunChange): Promise<void> {
    const run = findCheck(this.#repository, id);
    const suite = suiteOf(this.#repository, run);
    changeCheck(await this.#context(suite, this.#botOf(suite.app)), run, change);
  }

  /** Sets a status, as a service that is no App does. */
  setStatus(sha: string, status: NewStatus): Promise<CommitStatus> {
    return createStatus(this.#hub, this.#repository, this.#botOf(OTHER_APP), sha, status);
  }

  #botOf({ slug }: CheckApp): User {
    return this.#hub.world.addUser(`${slug}[bot]`);
  }

  #context({ headSha }: CheckSuite, sender: User): Promise<CheckContext> {
    return checkContext(this.#hub, this.#repository, sender, headSha);
  }
}
