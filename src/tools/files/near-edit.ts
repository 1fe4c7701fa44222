// Finds the only place that an edit can mean if its old text differs from the file in indentation, in white space at
// line ends, in quotes, or by line numbers that were copied with it.
import { TimeSlice } from '../../lib/threads/time-slice.ts';

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

interface TextSpan {
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

function findByQuotes(text: string, oldText: string): TextSpan | 'several' | undefined {
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

async function findByLines(
  text: string,
  oldText: string,
): Promise<TextSpan | 'several' | undefined> {
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

// Adapts the new lines of an edit to a file whose indentation, line ends or quotes differ from those of the old lines.

/** What can differ between the old text of an edit and the place in the file that is meant. */
type LineDifference = 'white space at line ends' | 'indentation' | 'quotes';

const QUOTES = /["'`‘’‚‛′“”„‟″«»]/g;

/** With one kind of quotes; each character keeps its place. */
const foldQuotes = (text: string): string => text.replaceAll(QUOTES, "'");

/** A line without what an edit may differ in. */
const foldLine = (line: string): string => foldQuotes(partsOf(line).words);

interface LineParts {
  readonly indent: string;
  readonly words: string;
  readonly end: string;
}

function partsOf(line: string): LineParts {
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  let end = line.length;
  while (end > indent.length && ' \t'.includes(line.charAt(end - 1))) end -= 1;
  return { indent, words: line.slice(indent.length, end), end: line.slice(end) };
}

/** Lines of the old text with those of the file: equal, except for the differences above. */
type LinePair = readonly [old: string, inFile: string];

function differencesOf(pairs: readonly LinePair[]): readonly LineDifference[] {
  const found = new Set<LineDifference>();
  for (const [old, inFile] of pairs) {
    const [one, other] = [partsOf(old), partsOf(inFile)];
    if (one.words === '' && old !== inFile) found.add('white space at line ends');
    else if (one.indent !== other.indent) found.add('indentation');
    if (one.end !== other.end) found.add('white space at line ends');
    if (one.words !== other.words) found.add('quotes');
  }
  return [...found];
}

/**
 * The new lines as the file would have them: what is the same as an old line stays as it is in the file, and other
 * lines are indented and quoted likewise. `undefined` if it is not certain how.
 */
function adaptLines(
  pairs: readonly LinePair[],
  newLines: readonly string[],
): readonly string[] | undefined {
  const kept = onlyMeaning(pairs);
  const indentLike = findIndentation(
    pairs
      .map(([old, inFile]) => [partsOf(old), partsOf(inFile)] as const)
      .filter(([old]) => old.words !== '')
      .map(([old, inFile]) => [old.indent, inFile.indent] as const),
  );
  const quoteLike = findQuotes(pairs);
  if (indentLike === undefined || quoteLike === undefined) return undefined;
  const adapted: string[] = [];
  for (const line of newLines) {
    const same = kept.get(line);
    if (same !== undefined) {
      adapted.push(same);
      continue;
    }
    const { indent, words, end } = partsOf(line);
    const indented = words === '' ? indent : indentLike(indent);
    const quoted = quoteLike(words);
    if (indented === undefined || quoted === undefined) return undefined;
    adapted.push(indented + quoted + end);
  }
  return adapted;
}

/** Of each first value, the second if there is only one. */
function onlyMeaning(
  pairs: Iterable<readonly [string, string]>,
): ReadonlyMap<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  for (const [from, to] of pairs)
    found.set(from, found.has(from) && found.get(from) !== to ? undefined : to);
  return found;
}

type AdaptLine = (text: string) => string | undefined;

/**
 * How an indentation of the old text is written in the file: with something before it, without something, or in another
 * unit. What two of these rules would write differently is uncertain. `undefined` if none holds.
 */
function findIndentation(pairs: readonly LinePair[]): AdaptLine | undefined {
  const known = onlyMeaning(pairs);
  if ([...known.values()].includes(undefined)) return undefined;
  if (pairs.every(([old, inFile]) => old === inFile)) return (indent) => indent;
  const rules = [moreBy(pairs), lessBy(pairs), inUnits(pairs)]
    .filter((rule) => rule !== undefined)
    .filter((rule) => pairs.every(([old, inFile]) => rule(old) === inFile));
  if (rules.length === 0) return undefined;
  return (indent) => {
    const results = new Set(rules.map((rule) => rule(indent)));
    return known.get(indent) ?? (results.size === 1 ? [...results][0] : undefined);
  };
}

function moreBy([pair]: readonly LinePair[]): AdaptLine | undefined {
  const [old = '', inFile = ''] = pair ?? [];
  const more = inFile.slice(0, Math.max(0, inFile.length - old.length));
  return more === '' ? undefined : (indent) => more + indent;
}

function lessBy([pair]: readonly LinePair[]): AdaptLine | undefined {
  const [old = '', inFile = ''] = pair ?? [];
  const less = old.slice(0, Math.max(0, old.length - inFile.length));
  if (less === '') return undefined;
  return (indent) => (indent.startsWith(less) ? indent.slice(less.length) : undefined);
}

function inUnits(pairs: readonly LinePair[]): AdaptLine | undefined {
  const [old = '', inFile = ''] = pairs.find(([, indent]) => indent !== '') ?? [];
  if (old === '' || !isOneCharacter(old) || !isOneCharacter(inFile)) return undefined;
  return (indent) => {
    const length = (indent.length * inFile.length) / old.length;
    const fits = indent === old.charAt(0).repeat(indent.length) && Number.isInteger(length);
    return fits ? inFile.charAt(0).repeat(length) : undefined;
  };
}

const isOneCharacter = (text: string): boolean => text === text.charAt(0).repeat(text.length);

/** How a quote of the old text is written in the file, by its kind and whether it opens. */
function findQuotes(pairs: readonly LinePair[]): AdaptLine | undefined {
  const seen = pairs.flatMap(([old, inFile]) => {
    const marks = [...partsOf(inFile).words.matchAll(QUOTES)].map(([mark]) => mark);
    return rolesIn(partsOf(old).words).map((role, index) => [role, marks[index] ?? ''] as const);
  });
  if (seen.every(([role, mark]) => role.startsWith(mark))) return (words) => words;
  const known = onlyMeaning(seen);
  if ([...known.values()].includes(undefined)) return undefined;
  return (words) => quotedLike(words, known);
}

function quotedLike(
  words: string,
  known: ReadonlyMap<string, string | undefined>,
): string | undefined {
  const roles = rolesIn(words);
  const marks = roles.map((role) => known.get(role));
  if (marks.includes(undefined)) return undefined;
  const kinds = new Set(roles.map((role) => role.charAt(0)));
  const isMixedUp = new Set(marks).size < kinds.size;
  const isApostrophe = /\p{L}'\p{L}/u.test(words) && !"'’".includes(known.get("' closes") ?? '');
  if (isMixedUp || isApostrophe) return undefined;
  let index = 0;
  return words.replaceAll(QUOTES, () => marks[index++] ?? '');
}

/** Each quote of a text, as `" opens` or `" closes`. */
function rolesIn(words: string): string[] {
  return [...words.matchAll(QUOTES)].map(({ 0: mark, index }) => {
    const opens = index === 0 || /[\s([{=:,—–-]/.test(words.charAt(index - 1));
    return `${mark} ${opens ? 'opens' : 'closes'}`;
  });
}
