import { TellModel, unlessItFails } from '../../lib/errors.ts';
import type { WriteResult } from '../../contracts/files.ts';
import { quoted } from '../../lib/text/invisible.ts';

/**
 * The text of a file, including its byte order mark; `undefined` if the bytes are not UTF-8 text.
 * Encoding it again gives the same bytes.
 */
export function decodeText(content: Uint8Array): string | undefined {
  if (content.includes(0)) return undefined;
  return unlessItFails(() =>
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content),
  );
}

/** @throws {TellModel} if the file is not text */
export function requireText(content: Uint8Array, path: string): string {
  const text = decodeText(content);
  if (text !== undefined) return text;
  const what = content.includes(0) ? 'is binary' : 'is in another encoding';
  throw new TellModel(
    `${quoted(path)} is not text in UTF-8: it ${what} (${content.byteLength} bytes).`,
  );
}

/** What a tool did, and what is to be said of it. */
export const withFate = (done: string, { uncommitted, uncovered, collides }: WriteResult): string =>
  [done, uncommitted, uncovered, collides].filter((text) => text !== undefined).join(' ');

export const BYTE_ORDER_MARK = '\ufeff';

/** The lines without their ends. A final line end does not begin another line. */
export function splitLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The number of lines that `splitLines` returns. */
export const countLines = (text: string): number =>
  lineAt(text, text.length) - (text === '' || text.endsWith('\n') ? 1 : 0);

/** The number (from 1) of the line that contains a position. */
export function lineAt(text: string, position: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < position; end = text.indexOf('\n', end + 1))
    line += 1;
  return line;
}

const MAX_LINE_CHARACTERS = 300;

/** Lines as `read_file` shows them, except that long ones are cut. */
export const numbered = (lines: readonly string[], start: number): string =>
  lines.map((line, index) => `${start + index}\t${cutLine(line)}`).join('\n');

export const cutLine = (line: string): string =>
  line.length > MAX_LINE_CHARACTERS
    ? `${line.slice(0, MAX_LINE_CHARACTERS - 1).toWellFormed()}…`
    : line;
