import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import type { FileReader } from '../../contracts/files.ts';
import { TellModel } from '../../lib/errors.ts';
import {
  brief,
  count,
  FILE_SYNONYMS,
  firstNumber,
  lineNumber,
  repositoryPath,
  untold,
} from '../arguments.ts';
import { lfsPointer } from '../../lib/lfs-pointer.ts';
import { plainOutput } from '../shell/plain-output.ts';
import { BYTE_ORDER_MARK, requireText } from './text-file.ts';
import { quoted } from '../../lib/text/invisible.ts';

const MAX_LINES = 2000;
const MAX_BYTES = 64_000;
const MAX_LINE_CHARACTERS = 2000;
/** Of what follows the lines. */
const MAX_NOTE = 120;
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** The whole output of a command, by the name that its result has. */
const OUTPUT = /^output:[0-9a-f]+$/;

const schema = z.object({
  path: repositoryPath(),
  start_line: firstNumber().optional(),
  end_line: lineNumber().optional(),
  start_column: untold(lineNumber()),
  limit: untold(lineNumber()),
});

export const readFileTool = defineTool({
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
    { files, commands }: Needs<'files' | 'commands'>,
    { room = MAX_BYTES },
  ) => {
    const content = OUTPUT.test(path)
      ? Buffer.from(plainOutput(Buffer.from(await commands.output(path)).toString()))
      : await files.read(path, MAX_FILE_BYTES);
    const lines = linesOfFile(content, path);
    if (lines.count === 0) return { output: 'The file is empty.' };
    if (end !== undefined && end < start)
      throw new TellModel(`end_line ${end} is before start_line ${start}.`);
    if (start > lines.count) throw new TellModel(`${quoted(path)} has only ${lines.count} lines.`);
    return {
      output:
        numberLines(
          lines,
          start,
          Math.min(end ?? lines.count, lines.count, start - 1 + limit),
          column,
          Math.min(MAX_BYTES, room - MAX_NOTE),
        ) + pointerNote(content),
    };
  },
});

function pointerNote(content: Uint8Array): string {
  const pointer = lfsPointer(content);
  if (pointer === undefined) return '';
  return `\n(This is a pointer of Git LFS: the file itself has ${count(pointer.size, 'byte')}, oid sha256:${pointer.oid}. It is not here and cannot be read or changed.)`;
}

/** A small file as the tool shows it whole. @throws {TellModel} if it is not text or cannot be read */
export async function numberedText(files: FileReader, path: string): Promise<string> {
  const lines = linesOfFile(await files.read(path), path);
  return numberLines(lines, 1, lines.count, 1, MAX_BYTES);
}

const LINE_FEED = 10;

/** The lines of a file. Each is decoded only when needed, as files may be long. @throws {TellModel} if the file is binary */
function linesOfFile(content: Uint8Array, path: string) {
  if (content.includes(0)) requireText(content, path);
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const ends: number[] = [];
  for (let end = 0; end < bytes.byteLength; ends.push(end)) {
    const at = bytes.indexOf(LINE_FEED, end);
    end = at < 0 ? bytes.byteLength : at + 1;
  }
  return {
    count: ends.length,
    /** A line (from 1), without its end. @throws {TellModel} if it is not text */
    at: (line: number): string => {
      const text = requireText(bytes.subarray(ends[line - 2] ?? 0, ends[line - 1]), path);
      const shown = text.replace(/\r?\n$/, '');
      return line === 1 ? shown.replace(BYTE_ORDER_MARK, '') : shown;
    },
  };
}

function numberLines(
  lines: ReturnType<typeof linesOfFile>,
  start: number,
  end: number,
  column: number,
  most: number,
): string {
  const shown: string[] = [];
  let bytes = 0;
  let line = start;
  for (; line <= end && shown.length < MAX_LINES; line += 1) {
    const text = `${line}\t${partOf(lines.at(line), column)}`;
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > most && shown.length > 0) break;
    shown.push(text);
  }
  const where = `lines ${start} to ${line - 1} of ${lines.count}`;
  // Whoever asked for a range knows where it ends.
  if (line <= end) shown.push(`(${where}; continue with start_line ${line})`);
  else if (line <= lines.count) shown.push(`(${where})`);
  return shown.join('\n');
}

/** The part of a line to show, from a column on. */
function partOf(line: string, column: number): string {
  const end = column - 1 + MAX_LINE_CHARACTERS;
  const part = line.slice(column - 1, end).toWellFormed();
  if (line.length <= end) return part;
  return `${part}… (cut: the line has ${line.length} characters; continue with start_column ${end + 1})`;
}
