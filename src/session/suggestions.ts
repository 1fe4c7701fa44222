// Suggestions in a review: which fit the files as they are, and what becomes of the files.
import type { LineComment, Suggestion } from '../contracts/shown-text.ts';

/** What became of a suggestion: why it was left to the agent, if it was not applied. */
export type SuggestionOutcome =
  | 'applied'
  | 'several'
  | 'hidden'
  | 'changed'
  | 'overlaps'
  | 'not allowed';

export interface PlacedSuggestion {
  /** The id of the comment. */
  readonly comment: number;
  readonly path: string;
  /** From 1; `to` is the last one. */
  readonly from: number;
  readonly to: number;
  /** The lines that it replaces, without line breaks. */
  readonly before: readonly string[];
  readonly lines: string;
}

/** `undefined`: the comment has no suggestion. */
export function placedSuggestion({
  path,
  line,
  thread,
}: LineComment): PlacedSuggestion | SuggestionOutcome | undefined {
  if (thread?.suggestion === undefined) return undefined;
  const { suggestion, comment, firstLine, side, hunk, isOutdated } = thread;
  if ('unclear' in suggestion) return suggestion.unclear;
  if (line === null || side === 'old' || isOutdated) return 'changed';
  const from = firstLine ?? line;
  const count = line - from + 1;
  const shown = hunk.split('\n').filter((one) => /^[ +]/.test(one));
  const before = shown.slice(-count).map((one) => one.slice(1));
  if (count < 1 || before.length < count) return 'changed';
  return { comment, path, from, to: line, before, ...(suggestion satisfies Suggestion) };
}

interface Applied {
  readonly text: string;
  readonly outcomes: ReadonlyMap<number, 'applied' | 'changed' | 'overlaps'>;
}

/** Applies those that fit to a file. One character of `text` is one byte. */
export function applySuggestions(text: string, all: readonly PlacedSuggestion[]): Applied {
  const lines = text.split(/(?<=\n)/);
  const outcomes = new Map<number, 'applied' | 'changed' | 'overlaps'>();
  let free = Infinity;
  // From the end of the file, so that the lines before keep their numbers.
  for (const one of all.toSorted((a, b) => b.to - a.to || a.comment - b.comment)) {
    const outcome = one.to >= free ? 'overlaps' : isAsBefore(lines, one) ? 'applied' : 'changed';
    outcomes.set(one.comment, outcome);
    if (outcome !== 'applied') continue;
    free = one.from;
    lines.splice(one.from - 1, one.before.length, fitting(one.lines, lines[one.to - 1] ?? ''));
  }
  return { text: lines.join(''), outcomes };
}

const isAsBefore = (lines: readonly string[], { from, before }: PlacedSuggestion): boolean =>
  before.every(
    (line, at) => bytesOf(line) === (lines[from - 1 + at] ?? '\0').replace(/\r?\n$/, ''),
  );

const bytesOf = (line: string): string => Buffer.from(line.replace(/\r$/, '')).toString('latin1');

/** With the line breaks of the last line that they replace. */
function fitting(lines: string, last: string): string {
  const bytes = Buffer.from(lines).toString('latin1');
  if (last.endsWith('\r\n')) return bytes.replaceAll('\n', '\r\n');
  return last.endsWith('\n') ? bytes : bytes.replace(/\n$/, '');
}
