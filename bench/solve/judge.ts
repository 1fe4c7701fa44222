// The repository of a task for our own machinery, and the verdict of its hidden tests.
import { isSolved } from '../../src/app/by-hand/evaluation/attempt.ts';
import { testsOfCommit, type EvaluationScope } from '../../src/app/by-hand/evaluation/tasks.ts';
import { TaskRepositories } from '../../src/workspace/git/folder/task-repository.ts';
import { prepare } from './prepare.ts';
import { JUDGE, makeTaskRepository, SOLUTION, START, type TaskCommits } from './task-repository.ts';
import type { Task } from './task.ts';

/** What an agent and the judge of a task share. The caller closes it. */
export class TaskGround {
  readonly task: Task;
  readonly commits: TaskCommits;
  readonly repositories: TaskRepositories;
  /** What the agent's commands begin with. */
  readonly setup: string | undefined;
  readonly #judgeSetup: string | undefined;
  readonly #service: EvaluationScope['service'];
  readonly #stopped: AbortSignal;

  private constructor(
    task: Task,
    commits: TaskCommits,
    repositories: TaskRepositories,
    setups: { readonly setup: string | undefined; readonly judgeSetup: string | undefined },
    { service, stopped }: Omit<EvaluationScope, 'settings'>,
  ) {
    this.task = task;
    this.commits = commits;
    this.repositories = repositories;
    this.setup = setups.setup;
    this.#judgeSetup = setups.judgeSetup;
    this.#service = service;
    this.#stopped = stopped;
  }

  static async open(
    task: Task,
    work: string,
    ground: Omit<EvaluationScope, 'settings'>,
  ): Promise<TaskGround> {
    const commits = await makeTaskRepository(task, work);
    const setups = await setupsOf(task, commits, work);
    const repositories = await TaskRepositories.open(task.id, ground.stopped);
    const { gitdir, start, judge, solution } = commits;
    await repositories.add({ gitdir }, START, start);
    await repositories.add({ gitdir }, JUDGE, judge);
    if (solution !== undefined) await repositories.add({ gitdir }, SOLUTION, solution);
    return new TaskGround(task, commits, repositories, setups, ground);
  }

  /** For the agent: what the settings of the repository would say. */
  get forAgent(): EvaluationScope {
    return this.#ground({ setup: this.setup });
  }

  async isSolved(commit: string | undefined): Promise<boolean> {
    const { start, judge } = this.commits;
    const hidden = await this.repositories.difference(start, judge);
    return isSolved(this.#forJudge, this.repositories, commit, hidden);
  }

  /** The hidden tests have to fail at the start, and to pass with the true solution, if it is known. */
  async prove(): Promise<{ readonly isProven: boolean; readonly words: string }> {
    const { judge, solution } = this.commits;
    const { all } = this.repositories;
    const before = await testsOfCommit(this.#forJudge, all, judge);
    if (before.isPassed)
      return { isProven: false, words: `the hidden tests pass without a change: ${before.words}` };
    const start = `before: ${before.words}`;
    if (solution === undefined) return { isProven: true, words: `no solution is known; ${start}` };
    const after = await testsOfCommit(this.#forJudge, all, solution);
    return { isProven: after.isPassed, words: `${start} after: ${after.words}` };
  }

  close(): Promise<void> {
    return this.repositories.close();
  }

  get #forJudge(): EvaluationScope {
    return this.#ground({ setup: this.#judgeSetup, test: this.task.test });
  }

  /** JSON is YAML. */
  #ground(settings: object): EvaluationScope {
    const own = JSON.stringify(settings);
    return { service: this.#service, settings: { own, owners: undefined }, stopped: this.#stopped };
  }
}

async function setupsOf(task: Task, { gitdir }: TaskCommits, work: string) {
  const place = { gitdir, work };
  const own = await prepare({ command: task.prepare, name: task.id, ...place });
  const judges = await prepare({ command: task.prepareJudge, name: `${task.id}-judge`, ...place });
  const joined = (...commands: readonly (string | undefined)[]): string | undefined =>
    commands.filter((command) => command !== undefined).join(' && ') || undefined;
  return { setup: joined(own, task.setup), judgeSetup: joined(own, judges, task.setup) };
}
