import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import {
  brief,
  FILE_SYNONYMS,
  firstNumber,
  lineNumber,
  repositoryPath,
  untold,
} from '../arguments.ts';
import { BYTE_ORDER_MARK, requireText } from './text-file.ts';
import { quoted } from '../../lib/text/invisible.ts';

const MAX_LINES = 2000;
const MAX_BYTES = 64_000;
const MAX_LINE_CHARACTERS = 2000;
const MAX_FILE_BYTES = 16 * 1024 * 1024;

const schema = z.object({
  path: repositoryPath().describe('From the repository root'),
  start_line: firstNumber().optional(),
  end_line: lineNumber().optional(),
  start_column: lineNumber().optional(),
  limit: untold(lineNumber()),
});

export const readFile = defineTool({
  name: 'read_file',
  aliases: [],
  description: 'Reads a text file, or a range of its lines, with line numbers.',
  arguments: schema,
  argumentAliases: {
    ...FILE_SYNONYMS,
    offset: 'start_line',
    line_start: 'start_line',
    line_end: 'end_line',
  },
  safety: 'safe',
  changesNothing: () => true,
  reach: 'workspace',
  example: { path: 'src/main.ts', start_line: 10, end_line: 40 },
  rendering: { arguments: { path: 'path' }, output: 'code' },
  title: ({ path }) => `Read ${brief(path)}`,
  run: async (
    { path, start_line: start = 1, end_line: end, start_column: column = 1, limit = Infinity },
    { files }: Needs<'files'>,
  ) => {
    const lines = new Lines(await files.read(path, MAX_FILE_BYTES), path);
    if (lines.count === 0) return { output: 'The file is empty.' };
    if (end !== undefined && end < start)
      throw new TellModel(`end_line ${end} is before start_line ${start}.`);
    if (start > lines.count) throw new TellModel(`${quoted(path)} has only ${lines.count} lines.`);
    return {
      output: numberLines(
        lines,
        start,
        Math.min(end ?? lines.count, lines.count, start - 1 + limit),
        column,
      ),
    };
  },
});

const LINE_FEED = 10;

/** The lines of a file. Each is decoded only when needed, as files may be long. */
class Lines {
  readonly #content: Buffer;
  readonly #path: string;
  /** The start of each line, and the end of the last one. */
  readonly #starts: readonly number[];

  /** @throws {TellModel} if the file is binary */
  constructor(content: Uint8Array, path: string) {
    this.#content = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    this.#path = path;
    if (content.includes(0)) requireText(content, path);
    const starts = [0];
    for (let at = this.#end(0); at < content.byteLength; at = this.#end(at)) starts.push(at);
    if (content.byteLength > 0) starts.push(content.byteLength);
    this.#starts = starts;
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  /** A line (from 1), without its end. @throws {TellModel} if it is not text */
  at(line: number): string {
    const bytes = this.#content.subarray(this.#starts[line - 1], this.#starts[line]);
    const text = requireText(bytes, this.#path).replace(/\r?\n$/, '');
    return line === 1 ? text.replace(BYTE_ORDER_MARK, '') : text;
  }

  /** The position after the line feed that ends the line. */
  #end(start: number): number {
    const at = this.#content.indexOf(LINE_FEED, start);
    return at < 0 ? this.#content.byteLength : at + 1;
  }
}

function numberLines(lines: Lines, start: number, end: number, column: number): string {
  const shown: string[] = [];
  let bytes = 0;
  let line = start;
  for (; line <= end && shown.length < MAX_LINES; line += 1) {
    const text = `${line}\t${partOf(lines.at(line), column)}`;
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > MAX_BYTES) break;
    shown.push(text);
  }
  if (line <= lines.count)
    shown.push(
      `(lines ${start} to ${line - 1} of ${lines.count}; continue with start_line ${line})`,
    );
  return shown.join('\n');
}

/** The part of a line to show, from a column on. */
function partOf(line: string, column: number): string {
  const end = column - 1 + MAX_LINE_CHARACTERS;
  const part = line.slice(column - 1, end).toWellFormed();
  if (line.length <= end) return part;
  return `${part}… (cut: the line has ${line.length} characters; continue with start_column ${end + 1})`;
}
