import { stripVTControlCharacters } from 'node:util';
import type { CommandOutput } from '../../contracts/shell.ts';

/** The output as a terminal shows it in the end: without colours and overwritten lines. */
export const plainOutput = (text: string): string =>
  stripVTControlCharacters(text)
    .split('\n')
    .map((line) => lastWritten(line.endsWith('\r') ? line.slice(0, -1) : line))
    .join('\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .toWellFormed();

const lastWritten = (line: string): string => line.slice(line.lastIndexOf('\r') + 1);

/** The kept output as one text, with a line that marks a missing part. */
export function wholeText({ head, tail, left }: CommandOutput): string {
  const gap = left > 0 ? `\n… (${left} bytes left out) …\n` : '';
  return plainOutput(head) + gap + plainOutput(tail);
}

/** About `most` characters: a little of the beginning, and more of the end, where results are. */
export function boundedText(output: CommandOutput, most: number): string {
  const text = wholeText(output).trimEnd();
  if (text.length <= most) return text;
  const [first, last] = [plainOutput(output.head), plainOutput(output.tail).trimEnd()];
  const end = output.left > 0 ? last : text;
  const head = lineEnd(first.slice(0, Math.floor(most / 3)));
  const tail = lineStart(end.slice(-Math.floor((most * 2) / 3)));
  const kept = output.left > 0 ? bytesOf(first) + bytesOf(last) : bytesOf(text);
  const left = output.left + kept - bytesOf(head) - bytesOf(tail);
  return `${head}\n… (${left} bytes left out) …\n${tail}`.toWellFormed();
}

const bytesOf = (text: string): number => Buffer.byteLength(text);

/** The last `most` characters. */
export const lastPart = (text: string, most: number): string =>
  text.length <= most ? text : lineStart(text.slice(-most)).toWellFormed();

/** Whole lines, unless one line is nearly all there is. */
const lineEnd = (text: string): string => {
  const end = text.lastIndexOf('\n');
  return end > text.length / 2 ? text.slice(0, end) : text;
};
const lineStart = (text: string): string => {
  const start = text.indexOf('\n') + 1;
  return start < text.length / 2 ? text.slice(start) : text;
};
