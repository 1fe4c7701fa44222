import type { Passage } from '../../../contracts/search.ts';
import type { Weights } from './scanned.ts';

/** Line numbers from 0; `to` is exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The terms of the question in each line. */
export type LineTerms = readonly (readonly number[])[];

/** The `span` consecutive lines of a range, or fewer, that match the question best. */
export function findPassage(
  lines: readonly string[],
  inLines: LineTerms,
  range: Range,
  weights: Weights,
  span: number,
): Passage {
  const window = bestWindow(inLines.slice(range.from, range.to), weights, span);
  const text = lines.slice(range.from + window.from, range.from + window.to);
  return { start: range.from + window.from + 1, lines: text };
}

function bestWindow(inLines: LineTerms, weights: Weights, span: number): Range {
  const counts = new Map<number, number>();
  let best: Range = { from: 0, to: Math.min(span, inLines.length) };
  let bestSum = 0;
  let sum = 0;
  const change = (line: number, by: number): void => {
    for (const term of inLines[line] ?? []) {
      const before = counts.get(term) ?? 0;
      counts.set(term, before + by);
      sum += (weights[term] ?? 0) * (worth(before + by) - worth(before));
    }
  };
  for (let line = 0; line < inLines.length; line += 1) {
    change(line, 1);
    if (line >= span) change(line - span, -1);
    if (sum <= bestSum + 1e-9) continue;
    bestSum = sum;
    best = { from: Math.max(0, line - span + 1), to: line + 1 };
  }
  return withoutEmptyEnds(best, inLines);
}

/** The first occurrence of a term counts most; each further one adds a little. */
const worth = (count: number): number => (count === 0 ? 0 : 1 + 0.1 * Math.log(count));

function withoutEmptyEnds({ from, to }: Range, inLines: LineTerms): Range {
  const isEmpty = (line: number): boolean => (inLines[line] ?? []).length === 0;
  let [first, last] = [from, to - 1];
  while (first < last && isEmpty(first)) first += 1;
  while (last > first && isEmpty(last)) last -= 1;
  return { from: first, to: last + 1 };
}
