import { numberOf, termsOf, WORD } from './terms.ts';

const MAX_TERMS = 64;
/** What a word in another form of the same root counts for: `parse` for `parser`. */
export const KIN_WEIGHT = 0.6;

export interface QueryTerm {
  readonly number: number;
  /** The numbers that are kin to it. */
  readonly kin: readonly number[];
  /** How much it counts, from how often it is asked for. */
  readonly weight: number;
}

/** The terms of a question; none when it holds only words that say nothing. */
export function parseQuestion(text: string): QueryTerm[] {
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(WORD))
    for (const term of termsOf(word)) counts.set(term, (counts.get(term) ?? 0) + 1);
  return [...counts].slice(0, MAX_TERMS).map(([term, count]) => ({
    number: numberOf(term),
    kin: kinOf(term).map(numberOf),
    weight: 1 + Math.log(count),
  }));
}

/** What does it, of what is done, and the other way: stems leave these two apart. */
function kinOf(term: string): string[] {
  const last = term.at(-1) ?? '';
  const doers = [`${term}er`, `${term}${last}er`];
  if (!term.endsWith('er') || term.length < 5) return doers;
  const root = term.slice(0, -2);
  return [root, root.replace(/(.)\1$/, '$1')];
}
