// A task: a repository at a commit, the words of an issue, and tests that the agent does not see.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { TellPerson } from '../../src/lib/errors.ts';

const Path = z.string().min(1);

/** `start`: where the agent begins; `fixed`: where the true solution is, which proves the task. */
const Source = z.union([
  z.strictObject({ git: z.string(), start: z.string(), fixed: z.string() }),
  /** Versions of a package of the npm registry. */
  z.strictObject({ npm: z.string(), start: z.string(), fixed: z.string() }),
  /** `repo/` beside the file; nothing is known of a solution. */
  z.strictObject({ folder: z.literal('repo') }),
]);

const TaskFile = z.strictObject({
  language: z.string(),
  licence: z.string(),
  source: Source,
  /** Files that neither the agent nor the judge has. */
  without: z.array(Path).default([]),
  issue: z.string(),
  /** Runs once, outside of the sandbox: what it makes and git does not track, such as dependencies, is there for agent and judge. */
  prepare: z.string().optional(),
  /** The same for the judge alone. */
  prepareJudge: z.string().optional(),
  /** What the settings of the repository would say: runs before the agent's first command, in the sandbox. */
  setup: z.string().optional(),
  /** The tests that judge: these paths of `fixed`, put over the agent's work; `hidden/` beside the file, too, if it exists. */
  hidden: z.array(Path).default([]),
  test: z.string(),
});

export interface Task extends z.output<typeof TaskFile> {
  /** The name of its directory. */
  readonly id: string;
  readonly directory: string;
}

/** All tasks of a directory, or those that are named. @throws {TellPerson} if one is missing or invalid */
export function readTasks(directory: string, names: readonly string[]): Task[] {
  const all = readdirSync(directory)
    .filter((id) => existsSync(path.join(directory, id, 'task.json')))
    .toSorted();
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new TellPerson(
      `There is no task ${unknown.join(', ')} in ${directory}. The tasks: ${all.join(', ')}`,
    );
  return (names.length > 0 ? names : all).map((id) => readTask(path.join(directory, id)));
}

function readTask(directory: string): Task {
  const file = path.join(directory, 'task.json');
  const { data, error } = TaskFile.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (error !== undefined) throw new TellPerson(`${file}: ${z.prettifyError(error)}`);
  return { ...data, id: path.basename(directory), directory };
}
