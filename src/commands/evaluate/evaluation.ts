// An evaluation: one task after the other, and each with every model.
import { attempt, isSolved, requestOf } from '../../app/by-hand/evaluation/attempt.ts';
import type { AttemptScope } from '../../app/by-hand/evaluation/attempt.ts';
import { examine, fetchTask, testFilesOf } from '../../app/by-hand/evaluation/tasks.ts';
import type { ExaminationScope, Task } from '../../app/by-hand/evaluation/tasks.ts';
import { rulesFor, type Rules } from '../../app/admission/settings.ts';
import type { Person } from '../../contracts/intent.ts';
import type { ClosedIssue } from '../../github/closed-issues.ts';
import type { RepositoryByToken } from '../../github/by-token.ts';
import { messageOf, TellPerson } from '../../lib/errors.ts';
import { SETTINGS_FILE } from '../../session/settings/index.ts';
import type { TaskRepositories } from '../../workspace/git/folder/task-repository.ts';
import { answersFrom } from '../run/answers.ts';
import type { HandContext, HandOptions } from '../hand-context.ts';
import { outcomeByHand } from '../run/result.ts';
import { examinedIn, headOfResults, resultIn, spentInResults } from './results-file.ts';
import type { LeftOutLine, ResultLine, ResultsFile, TaskLine } from './results-file.ts';
import { dollarsOf } from '../../session/kept-entries.ts';
import type { Entry } from '../../session/entry.ts';
import { escapeUnseen } from '../../lib/text/invisible.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';

/** What it takes from the command line. */
export interface EvaluationOptions extends Pick<HandOptions, 'isJson' | 'print'> {
  /** US dollars. */
  readonly budget: number;
  /** How many tasks. */
  readonly limit: number;
}

export interface EvaluationParts {
  readonly request: EvaluationOptions;
  readonly models: readonly string[];
  readonly context: HandContext;
  readonly file: ResultsFile;
  readonly github: RepositoryByToken;
  readonly repositories: TaskRepositories;
  /** Whose token it is. */
  readonly owner: Person;
}

/** What all tasks share. */
interface TaskContext extends AttemptScope, ExaminationScope {
  readonly github: RepositoryByToken;
  readonly rules: Rules;
}

/** Why an evaluation ends before it is complete, and the exit code. */
class NotComplete extends Error {
  override readonly name = 'NotComplete';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** `run` resolves with the exit code. */
export class Evaluation {
  readonly #parts: EvaluationParts;
  readonly #tasks: TaskLine[] = [];
  readonly #leftOut: LeftOutLine[] = [];

  constructor(parts: EvaluationParts) {
    this.#parts = parts;
  }

  async run(): Promise<number> {
    const { context, file } = this.#parts;
    context.progress.say(`The results are in ${file.path}.`);
    let ended: NotComplete | undefined;
    try {
      await this.#all(await this.#evaluating());
    } catch (error) {
      if (context.stopped.aborted)
        ended = new NotComplete(130, 'Stopped. To continue, run the same command.');
      else if (error instanceof NotComplete) ended = error;
      else throw error;
    }
    this.#report(ended?.message);
    return ended?.code ?? 0;
  }

  async #evaluating(): Promise<TaskContext> {
    const { context, github, repositories, owner: person } = this.#parts;
    const { service, progress, stopped } = context;
    const [own, owners] = await Promise.all([
      github.readFile(SETTINGS_FILE),
      github.ownersFile(SETTINGS_FILE),
    ]);
    const settings = { own, owners };
    const rules = await rulesFor(github, github.ref);
    const answer = answersFrom({ progress, stopped, isYes: true });
    return { service, settings, stopped, github, repositories, rules, person, answer };
  }

  async #all(evaluating: TaskContext): Promise<void> {
    const { request, context } = this.#parts;
    for await (const issue of this.#issues()) {
      context.stopped.throwIfAborted();
      const task = await this.#examined(evaluating, issue);
      if (task === undefined) continue;
      this.#tasks.push(task);
      await this.#attempts(evaluating, task);
      if (this.#tasks.length >= request.limit) return;
    }
  }

  /** As they were when the evaluation began: what is closed meanwhile would change the tasks. */
  async *#issues(): AsyncGenerator<ClosedIssue> {
    const { github, file } = this.#parts;
    const began = Date.parse(headOfResults(file)?.at ?? '');
    let after: string | undefined;
    do {
      const { issues, next } = await github.closedIssues(after);
      for (const issue of issues) {
        const pulls = issue.pulls.filter(({ mergedAt }) => Date.parse(mergedAt) <= began);
        if (pulls.length > 0) yield { ...issue, pulls };
      }
      after = next;
    } while (after !== undefined);
  }

  async #examined(evaluating: TaskContext, issue: ClosedIssue): Promise<TaskLine | undefined> {
    const { context, file } = this.#parts;
    const known = examinedIn(file, issue.number);
    if (known === undefined) {
      context.progress.say(`#${issue.number}: running the tests of its pull request`);
      const found = await examine(evaluating, issue);
      context.stopped.throwIfAborted();
      if (found === undefined) return undefined;
      file.write('reason' in found ? { type: 'left_out', ...found } : { type: 'task', ...found });
    }
    const line = known ?? examinedIn(file, issue.number);
    if (line?.type === 'left_out') this.#leftOut.push(line);
    return line?.type === 'task' ? line : undefined;
  }

  async #attempts(evaluating: TaskContext, task: TaskLine): Promise<void> {
    const { models, file } = this.#parts;
    const left = models.filter((model) => resultIn(file, task.issue, model) === undefined);
    if (left.length === 0) return;
    this.#requireBudget();
    await fetchTask(evaluating, task);
    for (const model of left) await this.#attempt(evaluating, task, model);
  }

  #requireBudget(): number {
    const { request, file } = this.#parts;
    const left = request.budget - spentInResults(file);
    if (left > 0) return left;
    throw new NotComplete(
      4,
      'The budget is used up. To continue, run the same command with a higher one.',
    );
  }

  async #attempt(evaluating: TaskContext, task: Task, model: string): Promise<void> {
    const { context, file } = this.#parts;
    const { issue } = task;
    const budget = this.#requireBudget();
    const spending = new Spending((dollars) =>
      file.write({ type: 'spent', issue, model, dollars }),
    );
    context.progress.say(`#${issue} with ${model}`);
    context.progress.begin();
    try {
      const request = await requestOf(evaluating, task);
      const assignment = { base: task.base, branch: `issuewright/issue-${issue}`, request };
      const { session, commit, measures, size } = await attempt(evaluating, assignment, {
        model,
        budget,
        heard: (entries) => {
          spending.hear(entries);
          context.progress.hear(entries);
        },
      });
      const outcome = outcomeByHand(session, context.stopped);
      const { end } = session.run ?? {};
      const reason = end !== undefined && 'reason' in end ? end.reason : undefined;
      spending.throwIfFailed();
      context.stopped.throwIfAborted();
      if (outcome === 'limit') this.#requireBudget();
      if (outcome === 'failed' && measures.turns === 0)
        throw new TellPerson(`${model} gave no reply: ${reason}`);
      const hidden = await testFilesOf(evaluating.repositories, task);
      const solved = await isSolved(evaluating, evaluating.repositories, commit, hidden);
      context.stopped.throwIfAborted();
      const facts = { issue, model, solved, outcome, ...measures, size };
      file.write({ type: 'result', ...facts, ...withoutUndefined({ reason }) });
      context.progress.say(`#${issue} with ${model}: ${solved ? 'solved' : 'not solved'}`);
    } finally {
      context.progress.rest();
    }
  }

  #report(missing: string | undefined): void {
    const { request, models, file, github } = this.#parts;
    const { isJson, print, budget } = request;
    const { owner, name } = github.ref;
    const tasks = this.#tasks;
    const found = {
      repository: `${owner}/${name}`,
      models,
      tasks,
      leftOut: this.#leftOut,
      results: tasks.flatMap(({ issue }) =>
        models.flatMap((model) => resultIn(file, issue, model) ?? []),
      ),
      spent: spentInResults(file),
      budget,
      missing,
    };
    print(isJson ? JSON.stringify(objectOf(found), null, 2) : tableOf(found));
  }
}

/** What a session costs, written as it is known. */
class Spending {
  readonly #write: (dollars: number) => void;
  #failure: Error | undefined;

  constructor(write: (dollars: number) => void) {
    this.#write = write;
  }

  hear(entries: readonly Entry[]): void {
    for (const entry of entries) {
      const dollars = dollarsOf(entry);
      if (dollars === null) continue;
      try {
        this.#write(dollars);
      } catch (error) {
        this.#failure ??= error instanceof Error ? error : new Error(messageOf(error));
      }
    }
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }
}

/** What is known so far. */
interface EvaluationReport {
  readonly repository: string;
  readonly models: readonly string[];
  readonly tasks: readonly TaskLine[];
  readonly leftOut: readonly LeftOutLine[];
  readonly results: readonly ResultLine[];
  /** US dollars. */
  readonly spent: number;
  readonly budget: number;
  /** Why it is not complete; `undefined`: it is. */
  readonly missing: string | undefined;
}

interface ModelRow {
  readonly model: string;
  readonly solved: number;
  readonly tasks: number;
  readonly dollars: number;
  readonly turns: number;
  readonly minutes: number;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

function rowOf({ results }: EvaluationReport, model: string): ModelRow {
  const own = results.filter((one) => one.model === model);
  return {
    model,
    solved: own.filter(({ solved }) => solved).length,
    tasks: own.length,
    dollars: sum(own.map(({ dollars }) => dollars)),
    turns: sum(own.map(({ turns }) => turns)),
    minutes: sum(own.map(({ minutes }) => minutes)),
  };
}

const HEADINGS = ['Model', 'Solved', 'Cost', 'Per solved', 'Turns', 'Minutes'] as const;

/** A line for each model, the best first, and below them what does not count. */
function tableOf(found: EvaluationReport): string {
  const rows = found.models
    .map((model) => rowOf(found, model))
    .toSorted((one, other) => other.solved - one.solved || one.dollars - other.dollars);
  const cells = [HEADINGS, ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  );
  return [...lines, '', ...footerOf(found)].join('\n');
}

/** Turns and minutes of a task on average. */
function cellsOf({ model, solved, tasks, dollars, turns, minutes }: ModelRow): readonly string[] {
  const mean = (all: number): string => (tasks === 0 ? '-' : (all / tasks).toFixed(1));
  const each = solved === 0 ? '-' : money(dollars / solved);
  return [model, `${solved} of ${tasks}`, money(dollars), each, mean(turns), mean(minutes)];
}

const money = (dollars: number): string => `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`;

const MOST_TITLE = 60;

function footerOf(report: EvaluationReport): string[] {
  const { tasks, leftOut, results, models, spent, budget, missing } = report;
  const many = tasks.length === 1 ? '1 task' : `${tasks.length} tasks`;
  return [
    `${many}. Turns and minutes are those of a task on average. Spent: ${money(spent)} of ${money(budget)}.`,
    ...tasks.map(({ issue, title }) => {
      const by = results.filter((one) => one.issue === issue);
      const solvers = models.filter((model) => by.some((one) => one.model === model && one.solved));
      const who = solvers.length === 0 ? 'not solved' : `solved by ${solvers.join(', ')}`;
      const words = cutCharacters(escapeUnseen(title).replaceAll(/\s+/g, ' '), MOST_TITLE, '…');
      return `  #${issue} ${words}: ${by.length === 0 ? 'not tried' : who}`;
    }),
    ...(leftOut.length === 0 ? [] : ['Left out:']),
    ...leftOut.map(({ issue, reason }) => `  #${issue}: ${escapeUnseen(reason)}`),
    ...(missing === undefined ? [] : [missing]),
  ];
}

/** The same as an object. */
function objectOf(found: EvaluationReport): object {
  const { repository, models, tasks, leftOut, results, spent, budget, missing } = found;
  return {
    repository,
    complete: missing === undefined,
    budget,
    spent,
    models: models.map((model) => rowOf(found, model)),
    tasks: tasks.map(({ issue, title, pull, base }) => ({
      issue,
      title,
      pull_request: pull,
      base,
      results: results
        .filter((one) => one.issue === issue)
        .map(({ type: _type, issue: _issue, ...result }) => result),
    })),
    left_out: leftOut.map(({ issue, reason }) => ({ issue, reason })),
  };
}
