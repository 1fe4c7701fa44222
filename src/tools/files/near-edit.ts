// Finds the only place that an edit can mean if its old text differs from the file in indentation, in white space at
// line ends, in quotes, or by line numbers that were copied with it.

import { TimeSlice } from '../../lib/threads/time-slice.ts';
import {
  adaptLines,
  differencesOf,
  foldLine,
  foldQuotes,
  type LineDifference,
  type LinePair,
} from './adapt-lines.ts';

export interface NearEdit {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** As the file would have it. */
  readonly newText: string;
  readonly differs: readonly LineDifference[];
}

/** The only place, with the text to put there; `undefined` if there is none, or if anything about it is uncertain. */
export async function findNearEdit(
  text: string,
  oldText: string,
  newText: string,
): Promise<NearEdit | undefined> {
  const place = findByQuotes(text, oldText) ?? (await findByLines(text, oldText));
  if (place === undefined || place === 'several') return undefined;
  const done =
    newText === '' ? -1 : text.indexOf(newText, Math.max(0, place.start - newText.length));
  if (done >= 0 && done < place.end) return undefined;
  const oldLines = linesOf(oldText);
  const isCut = place.end === text.length && oldText.endsWith('\n') && !text.endsWith('\n');
  const fileLines = linesOf(text.slice(place.start, place.end));
  const newLines = newText === '' ? [] : linesOf(newText);
  const isSame = newLines.map(foldLine).join('\n') === oldLines.map(foldLine).join('\n');
  const pairs = oldLines.map((line, index): LinePair => [line, fileLines[index] ?? '']);
  const adapted = isSame ? undefined : adaptFrom(pairs, newLines);
  if (adapted === undefined) return undefined;
  const end = newText.endsWith('\n') && !isCut ? '\n' : '';
  return {
    start: place.start + adapted.skipped,
    end: place.end,
    newText: adapted.lines.join('\n') + end,
    differs: differencesOf(adapted.pairs),
  };
}

interface Place {
  readonly start: number;
  readonly end: number;
}

/** A final line end does not begin another line. */
const linesOf = (text: string): string[] =>
  (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');

/** The text may begin within a line: then the indentation of its first line stays as it is. */
function adaptFrom(pairs: readonly LinePair[], newLines: readonly string[]) {
  const lines = adaptLines(pairs, newLines);
  if (lines !== undefined) return { lines, pairs, skipped: 0 };
  const [[old, inFile] = ['', ''], ...rest] = pairs;
  if (/^\s/.test(old)) return undefined;
  const bare = inFile.trimStart();
  const within: readonly LinePair[] = [[old, bare], ...rest];
  const others = adaptLines(within, newLines);
  return others && { lines: others, pairs: within, skipped: inFile.length - bare.length };
}

function findByQuotes(text: string, oldText: string): Place | 'several' | undefined {
  const wanted = foldQuotes(oldText);
  if (!/\w/.test(wanted)) return undefined;
  const folded = foldQuotes(text);
  const start = folded.indexOf(wanted);
  if (start < 0) return undefined;
  if (folded.includes(wanted, start + 1)) return 'several';
  return { start, end: start + oldText.length };
}

/** Lines between two looks whether others wait. */
const STEP = 4096;

async function findByLines(text: string, oldText: string): Promise<Place | 'several' | undefined> {
  const wanted = `\n${linesOf(oldText).map(foldLine).join('\n')}\n`;
  if (!/\w/.test(wanted)) return undefined;
  const slice = new TimeSlice();
  const lines = text.split('\n');
  const folded: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (index % STEP === 0) await slice.yieldIfOver();
    folded.push(foldLine(line));
  }
  const whole = `\n${folded.join('\n')}\n`;
  const at = whole.indexOf(wanted);
  if (at < 0) return undefined;
  if (whole.includes(wanted, at + 1)) return 'several';
  const first = whole.slice(0, at).split('\n').length - 1;
  const start = lengthOf(lines.slice(0, first));
  const length = lengthOf(lines.slice(first, first + linesOf(oldText).length));
  const end = start + length - (oldText.endsWith('\n') ? 0 : 1);
  return { start, end: Math.min(end, text.length) };
}

/** With their ends. */
const lengthOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + line.length + 1, 0);

const NUMBER = /^ *(\d{1,9})(?:\t|→|[:-] )/;

/**
 * The texts without the line numbers that tools put before lines; `undefined` unless every line of the old text has
 * one, in order, and all lines of the new text have one or none has.
 */
export function withoutLineNumbers(
  oldText: string,
  newText: string,
): { readonly oldText: string; readonly newText: string } | undefined {
  const numbers = linesOf(oldText).map((line) => Number(NUMBER.exec(line)?.[1]));
  const [first = Number.NaN] = numbers;
  if (!numbers.every((number, index) => number === first + index)) return undefined;
  const newLines = newText === '' ? [] : linesOf(newText);
  const isNumbered = newLines.filter((line) => NUMBER.test(line)).length;
  if (isNumbered > 0 && isNumbered < newLines.length) return undefined;
  return { oldText: stripNumbers(oldText), newText: stripNumbers(newText) };
}

const stripNumbers = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(NUMBER, ''))
    .join('\n');
