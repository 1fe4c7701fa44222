// A file of results, a JSON object a line, each written when it is known. What a killed process left counts.
import { appendFileSync, existsSync, mkdirSync, readFileSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { reasonOf } from '../../lib/reason.ts';
import { TellPerson } from '../../lib/errors.ts';
import { unlessItFails } from '../../lib/unless-it-fails.ts';
import { lockFile } from '../../workspace/git/engines/native/file-lock.ts';

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

export const ANOTHER_FILE = 'Name another file with --out.';

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
