// The results of an evaluation, a JSON object a line, each written when it is known. What a killed process left counts.
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import { reasonOf } from '../../lib/reason.ts';
import { TellPerson } from '../../lib/errors.ts';
import { unlessItFails } from '../../lib/unless-it-fails.ts';
import { lockFile } from '../../workspace/git/engines/native/file-lock.ts';

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
const ResultLine = z.object({
  type: z.literal('result'),
  issue: z.number(),
  model: z.string(),
  solved: z.boolean(),
  /** How the agent's work ended. */
  outcome: z.string(),
  reason: z.string().optional(),
  dollars: z.number(),
  turns: z.number(),
  minutes: z.number(),
});
const Line = z.discriminatedUnion('type', [Head, TaskLine, LeftOutLine, SpentLine, ResultLine]);

type Line = z.output<typeof Line>;
export type TaskLine = z.output<typeof TaskLine>;
export type LeftOutLine = z.output<typeof LeftOutLine>;
export type ResultLine = z.output<typeof ResultLine>;

export class ResultsFile {
  readonly path: string;
  readonly #lines: Line[];
  readonly #release: () => Promise<void>;

  private constructor(path: string, lines: Line[], release: () => Promise<void>) {
    this.path = path;
    this.#lines = lines;
    this.#release = release;
  }

  /** @throws {TellPerson} if it cannot be used, is another's, or another process has it */
  static async open(
    path: string,
    repository: { readonly id: number; readonly name: string },
  ): Promise<ResultsFile> {
    const release = await locked(path);
    try {
      const file = new ResultsFile(path, readLines(path), release);
      const { head } = file;
      if (file.#lines.length === 0) {
        const at = new Date().toISOString();
        const { id, name } = repository;
        file.write({ type: 'evaluation', format: FORMAT, repository: id, name, at });
      } else if (head === undefined)
        throw new TellPerson(`${path} does not hold results of an evaluation. ${OTHER}`);
      else if (head.repository !== repository.id)
        throw new TellPerson(`${path} holds results of ${head.name}. ${OTHER}`);
      return file;
    } catch (error) {
      await release();
      throw error;
    }
  }

  get head(): z.output<typeof Head> | undefined {
    const [first] = this.#lines;
    return first?.type === 'evaluation' ? first : undefined;
  }

  /** What was found of an issue before. */
  examined(issue: number): TaskLine | LeftOutLine | undefined {
    return this.#lines.find(
      (line): line is TaskLine | LeftOutLine =>
        (line.type === 'task' || line.type === 'left_out') && line.issue === issue,
    );
  }

  result(issue: number, model: string): ResultLine | undefined {
    return this.#lines.find(
      (line): line is ResultLine =>
        line.type === 'result' && line.issue === issue && line.model === model,
    );
  }

  /** US dollars, those of tries that were cut off included. */
  get spent(): number {
    return this.#lines.reduce((sum, line) => sum + (line.type === 'spent' ? line.dollars : 0), 0);
  }

  write(line: Line): void {
    try {
      appendFileSync(this.path, `${JSON.stringify(line)}\n`);
    } catch (error) {
      throw new TellPerson(`${this.path} cannot be written: ${reasonOf(error)}.`);
    }
    this.#lines.push(line);
  }

  close(): Promise<void> {
    return this.#release();
  }
}

const OTHER = 'Name another file with --out.';

async function locked(path: string): Promise<() => Promise<void>> {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const lock = await lockFile(path, { signal: new AbortController().signal, seconds: 0 });
    if (lock !== undefined) return () => lock.release();
  } catch (error) {
    throw new TellPerson(`${path} cannot be used: ${reasonOf(error)}. ${OTHER}`);
  }
  throw new TellPerson(
    `Another evaluation writes to ${path}. Wait for its end, or name another file with --out.`,
  );
}

/** The last line of a process that was killed may be cut: it is removed. */
function readLines(path: string): Line[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole !== text && whole === '')
    throw new TellPerson(`${path} does not hold results of an evaluation. ${OTHER}`);
  const lines = whole.split('\n').slice(0, -1);
  const read = lines.map((line, at) => {
    const { data } = Line.safeParse(unlessItFails((): unknown => JSON.parse(line)));
    if (data !== undefined) return data;
    throw new TellPerson(
      `${path} does not hold results of an evaluation (line ${at + 1}). ${OTHER}`,
    );
  });
  if (whole !== text) truncateSync(path, Buffer.byteLength(whole));
  return read;
}
