// What an evaluation found, for people and for scripts.
import { escapeUnseen } from '../../lib/text/invisible.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import type { LeftOutLine, ResultLine, TaskLine } from './results-file.ts';

/** What is known so far. */
export interface Found {
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

function rowOf({ results }: Found, model: string): ModelRow {
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
export function tableOf(found: Found): string {
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

function footerOf({ tasks, leftOut, results, models, spent, budget, missing }: Found): string[] {
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
export function objectOf(found: Found): object {
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
