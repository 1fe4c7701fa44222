// The results of an evaluation.
import { z } from 'zod';
import { Measures } from '../../app/by-hand/evaluation/measures.ts';
import { TellPerson } from '../../lib/errors.ts';
import { ANOTHER_FILE, ResultLines } from './result-lines.ts';

const FORMAT = 1;

const Head = z.object({
  type: z.literal('evaluation'),
  format: z.literal(FORMAT),
  /** GitHub's id of it: names change. */
  repository: z.number(),
  name: z.string(),
  /** Issues that were closed later are no tasks of this evaluation. */
  at: z.string(),
});
const TaskLine = z.object({
  type: z.literal('task'),
  issue: z.number(),
  title: z.string(),
  pull: z.number(),
  openedAt: z.string(),
  base: z.string().regex(/^[0-9a-f]{40}$/),
  head: z.string().regex(/^[0-9a-f]{40}$/),
});
const LeftOutLine = z.object({
  type: z.literal('left_out'),
  issue: z.number(),
  reason: z.string(),
});
const SpentLine = z.object({
  type: z.literal('spent'),
  issue: z.number(),
  model: z.string(),
  dollars: z.number().nonnegative(),
});
/** Files of earlier versions have three of the measures. */
const ResultLine = Measures.partial()
  .required({ dollars: true, turns: true, minutes: true })
  .extend({
    type: z.literal('result'),
    issue: z.number(),
    model: z.string(),
    solved: z.boolean(),
    /** How the agent's work ended. */
    outcome: z.string(),
    reason: z.string().optional(),
    /** Of the change: files, and lines. */
    size: z.object({ files: z.number(), added: z.number(), removed: z.number() }).optional(),
  });
const Line = z.discriminatedUnion('type', [Head, TaskLine, LeftOutLine, SpentLine, ResultLine]);

type Line = z.output<typeof Line>;
export type TaskLine = z.output<typeof TaskLine>;
export type LeftOutLine = z.output<typeof LeftOutLine>;
export type ResultLine = z.output<typeof ResultLine>;

export class ResultsFile {
  readonly #file: ResultLines<Line>;

  private constructor(file: ResultLines<Line>) {
    this.#file = file;
  }

  /** @throws {TellPerson} if it cannot be used, is another's, or another process has it */
  static async open(
    path: string,
    repository: { readonly id: number; readonly name: string },
  ): Promise<ResultsFile> {
    const lines = await ResultLines.open(path, Line);
    const file = new ResultsFile(lines);
    try {
      const { head } = file;
      if (lines.all.length === 0) {
        const at = new Date().toISOString();
        const { id, name } = repository;
        file.write({ type: 'evaluation', format: FORMAT, repository: id, name, at });
      } else if (head === undefined)
        throw new TellPerson(`${path} does not hold results of an evaluation. ${ANOTHER_FILE}`);
      else if (head.repository !== repository.id)
        throw new TellPerson(`${path} holds results of ${head.name}. ${ANOTHER_FILE}`);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  get path(): string {
    return this.#file.path;
  }

  get head(): z.output<typeof Head> | undefined {
    const [first] = this.#file.all;
    return first?.type === 'evaluation' ? first : undefined;
  }

  /** What was found of an issue before. */
  examined(issue: number): TaskLine | LeftOutLine | undefined {
    return this.#file.all.find(
      (line): line is TaskLine | LeftOutLine =>
        (line.type === 'task' || line.type === 'left_out') && line.issue === issue,
    );
  }

  result(issue: number, model: string): ResultLine | undefined {
    return this.#file.all.find(
      (line): line is ResultLine =>
        line.type === 'result' && line.issue === issue && line.model === model,
    );
  }

  /** US dollars, those of tries that were cut off included. */
  get spent(): number {
    return this.#file.all.reduce(
      (sum, line) => sum + (line.type === 'spent' ? line.dollars : 0),
      0,
    );
  }

  write(line: Line): void {
    this.#file.write(line);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
