import { stripVTControlCharacters } from 'node:util';
import type { CommandOutput } from '../../contracts/shell.ts';
import { faultyLines } from '../../lib/fingerprint.ts';
import { cutMiddle } from '../../lib/text/text.ts';

/** The output as a terminal shows it in the end: without colours and overwritten lines. */
export const plainOutput = (text: string): string =>
  stripVTControlCharacters(text)
    .split('\n')
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .toWellFormed();

/** The kept output as one text, with a line that marks a missing part. */
export function wholeText({ head, tail, left }: CommandOutput): string {
  const gap = left > 0 ? `\n… (${left} bytes left out) …\n` : '';
  return plainOutput(head) + gap + plainOutput(tail);
}

export const isLongerThan = (output: CommandOutput, most: number): boolean =>
  wholeText(output).trimEnd().length > most;

/**
 * About `most` characters: a little of the beginning, and more of the end, where results are. Of what is between them, the
 * lines that may report a failure, as far as `heard`, the plain output, has it.
 */
export function boundedText(output: CommandOutput, most: number, heard = ''): string {
  const text = wholeText(output).trimEnd();
  if (text.length <= most) return text;
  const { head, tail, left } = ends(output, text, most);
  const faults = heard === '' ? '' : faultsIn(heard.slice(head.length, -tail.length), most / 4);
  if (faults === '') return `${head}\n… (${left} bytes left out) …\n${tail}`.toWellFormed();
  const shorter = ends(output, text, most - faults.length);
  return `${shorter.head}\n… (${shorter.left} bytes left out, but for these lines:) …\n${faults}\n…\n${shorter.tail}`.toWellFormed();
}

const MAX_LINE = 300;

/** The first lines that may report a failure, each once. */
function faultsIn(text: string, most: number): string {
  const lines: string[] = [];
  let room = most;
  for (const line of new Set(faultyLines(text).map((one) => one.slice(0, MAX_LINE)))) {
    room -= line.length + 1;
    if (room < 0) break;
    lines.push(line);
  }
  return lines.join('\n');
}

function ends(output: CommandOutput, text: string, most: number) {
  const [first, last] = [plainOutput(output.head), plainOutput(output.tail).trimEnd()];
  const end = output.left > 0 ? last : text;
  const head = lineEnd(first.slice(0, Math.floor(most / 3)));
  const tail = lineStart(end.slice(-Math.floor((most * 2) / 3)));
  const kept = output.left > 0 ? bytesOf(first) + bytesOf(last) : bytesOf(text);
  return { head, tail, left: output.left + kept - bytesOf(head) - bytesOf(tail) };
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

/** Characters: more than a shell keeps, as failures may be reported in the middle. */
const MOST = 1024 * 1024;

/** What a command puts out, as far as it is read for results, passed on as it comes. */
export class HeardOutput {
  #text = '';
  readonly #next: ((text: string) => void) | undefined;

  constructor(next: ((text: string) => void) | undefined) {
    this.#next = next;
  }

  readonly hear = (more: string): void => {
    this.#text += more;
    // Cut rarely: most parts are small.
    if (this.#text.length > 2 * MOST) this.#text = cutMiddle(this.#text, MOST);
    this.#next?.(more);
  };

  plain(): string {
    return plainOutput(cutMiddle(this.#text, MOST)).trimEnd();
  }
}
