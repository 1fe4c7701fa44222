import { z } from 'zod';
import type { Tool } from '../agent/tool.ts';
import { TellModel } from '../lib/errors.ts';
import type { Effect } from '../session/entry.ts';
import { brief, lineNumber } from './arguments.ts';
import type { Ports } from './ports.ts';
import { BYTE_ORDER_MARK, requireText, splitLines } from './text-file.ts';

const MAX_LINES = 2000;
const MAX_CHARACTERS = 64_000;
const MAX_LINE_CHARACTERS = 2000;

const schema = z.object({
  path: z.string().describe('From the root of the repository, like "src/main.ts"'),
  start_line: lineNumber().optional().describe('First line, from 1'),
  end_line: lineNumber().optional().describe('Last line'),
});

export const readFile = ({ files }: Ports): Tool<Effect, typeof schema> => ({
  name: 'read_file',
  aliases: [],
  description: `Reads a text file with line numbers, up to ${MAX_LINES} lines at a time.`,
  arguments: schema,
  argumentAliases: { file_path: 'path' },
  safety: 'safe',
  title: ({ path }) => `Read ${brief(path)}`,
  run: async ({ path, start_line: start = 1, end_line: end }) => {
    const text = requireText(await files.read(path), path);
    const lines = splitLines(text.replace(BYTE_ORDER_MARK, ''));
    if (lines.length === 0) return { output: 'The file is empty.' };
    if (end !== undefined && end < start)
      throw new TellModel(`end_line ${end} is before start_line ${start}.`);
    if (start > lines.length)
      throw new TellModel(`${JSON.stringify(path)} has only ${lines.length} lines.`);
    return { output: numberLines(lines, start, Math.min(end ?? lines.length, lines.length)) };
  },
});

function numberLines(lines: readonly string[], start: number, end: number): string {
  const shown: string[] = [];
  let characters = 0;
  for (const [index, line] of lines.slice(start - 1, end).entries()) {
    const text = `${start + index}\t${cutLine(line)}`;
    characters += text.length + 1;
    if (shown.length === MAX_LINES || characters > MAX_CHARACTERS) break;
    shown.push(text);
  }
  const last = start + shown.length - 1;
  if (last < lines.length)
    shown.push(
      `(lines ${start} to ${last} of ${lines.length}; read on with start_line ${last + 1})`,
    );
  return shown.join('\n');
}

const cutLine = (line: string): string =>
  line.length > MAX_LINE_CHARACTERS
    ? `${line.slice(0, MAX_LINE_CHARACTERS).toWellFormed()}… (cut: the line has ${line.length} characters)`
    : line;
