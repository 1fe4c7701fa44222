// The results of an evaluation.
import { z } from 'zod';
import { measuresSchema } from '../../app/by-hand/evaluation/attempt.ts';
import { TellPerson, unlessItFails } from '../../lib/errors.ts';
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from '../../lib/reason.ts';
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
/** Files of earlier versions have three of the measures. */
const ResultLine = measuresSchema
  .partial()
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

export type ResultsFile = ResultLines<Line>;

/** @throws {TellPerson} if it cannot be used, is another's, or another process has it */
export async function openResults(
  path: string,
  { id, name }: { readonly id: number; readonly name: string },
): Promise<ResultsFile> {
  const file = await ResultLines.open(path, Line);
  try {
    const head = headOfResults(file);
    if (file.all.length === 0) {
      const at = new Date().toISOString();
      file.write({ type: 'evaluation', format: FORMAT, repository: id, name, at });
    } else if (head === undefined)
      throw new TellPerson(`${path} does not hold results of an evaluation. ${ANOTHER_FILE}`);
    else if (head.repository !== id)
      throw new TellPerson(`${path} holds results of ${head.name}. ${ANOTHER_FILE}`);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

export function headOfResults({ all }: ResultsFile): z.output<typeof Head> | undefined {
  return all[0]?.type === 'evaluation' ? all[0] : undefined;
}

/** What was found of an issue before. */
export const examinedIn = (
  { all }: ResultsFile,
  issue: number,
): TaskLine | LeftOutLine | undefined =>
  all
    .filter((line) => line.type === 'task' || line.type === 'left_out')
    .find((line) => line.issue === issue);

export const resultIn = (
  { all }: ResultsFile,
  issue: number,
  model: string,
): ResultLine | undefined =>
  all
    .filter((line) => line.type === 'result')
    .find((line) => line.issue === issue && line.model === model);

/** US dollars, those of tries that were cut off included. */
export const spentInResults = ({ all }: ResultsFile): number =>
  all.reduce((sum, line) => sum + (line.type === 'spent' ? line.dollars : 0), 0);

/** What such a file holds of a repository, while another process may write to it; nothing if it is another's. */
export function readResults(path: string, repository: number): readonly ResultLine[] {
  const text = unlessItFails(() => readFileSync(path, 'utf8')) ?? '';
  const lines = text
    .split('\n')
    .flatMap((line) => Line.safeParse(unlessItFails((): unknown => JSON.parse(line))).data ?? []);
  const [head] = lines;
  const isOwn = head?.type === 'evaluation' && head.repository === repository;
  return isOwn ? lines.filter((line): line is ResultLine => line.type === 'result') : [];
}

// A file of results, a JSON object a line, each written when it is known. What a killed process left counts.

export class ResultLines<Line> {
  readonly path: string;
  readonly #lines: Line[];
  readonly #release: () => Promise<void>;

  private constructor(path: string, lines: Line[], release: () => Promise<void>) {
    this.path = path;
    this.#lines = lines;
    this.#release = release;
  }

  /** @throws {TellPerson} if it cannot be used, holds other lines, or another process has it */
  static async open<Line>(path: string, line: z.ZodType<Line>): Promise<ResultLines<Line>> {
    const release = await locked(path);
    try {
      return new ResultLines(path, readLines(path, line), release);
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Oldest first. */
  get all(): readonly Line[] {
    return this.#lines;
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

const ANOTHER_FILE = 'Name another file with --out.';

async function locked(path: string): Promise<() => Promise<void>> {
  try {
    mkdirSync(dirname(path), { recursive: true });
    const lock = await lockFile(path, { signal: new AbortController().signal, seconds: 0 });
    if (lock !== undefined) return () => lock.release();
  } catch (error) {
    throw new TellPerson(`${path} cannot be used: ${reasonOf(error)}. ${ANOTHER_FILE}`);
  }
  throw new TellPerson(
    `Another evaluation is writing to ${path}. Wait until it ends, or name another file with --out.`,
  );
}

/** The last line of a process that was killed may be cut: it is removed. */
function readLines<Line>(path: string, schema: z.ZodType<Line>): Line[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  if (whole !== text && whole === '')
    throw new TellPerson(`${path} does not hold results of an evaluation. ${ANOTHER_FILE}`);
  const lines = whole.split('\n').slice(0, -1);
  const read = lines.map((line, at) => {
    const { data } = schema.safeParse(unlessItFails((): unknown => JSON.parse(line)));
    if (data !== undefined) return data;
    throw new TellPerson(
      `${path} does not hold results of an evaluation (line ${at + 1}). ${ANOTHER_FILE}`,
    );
  });
  if (whole !== text) truncateSync(path, Buffer.byteLength(whole));
  return read;
}
