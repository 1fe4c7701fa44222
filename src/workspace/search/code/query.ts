import { numberOf, termsOf, WORD } from './terms.ts';

const MAX_TERMS = 64;
/** The weight of a related word, such as `parse` for `parser`. */
export const KIN_WEIGHT = 0.6;

export interface QueryTerm {
  readonly number: number;
  /** The numbers of related terms. */
  readonly kin: readonly number[];
  /** Grows with how often the question contains the term. */
  readonly weight: number;
}

/** The terms of a question; empty if it contains only stop words. */
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

/** Adds or removes the `-er` of agent nouns (`parse`, `parser`), which the stemmer keeps apart. */
function kinOf(term: string): string[] {
  const last = term.at(-1) ?? '';
  const doers = [`${term}er`, `${term}${last}er`];
  if (!term.endsWith('er') || term.length < 5) return doers;
  const root = term.slice(0, -2);
  return [root, root.replace(/(.)\1$/, '$1')];
}
