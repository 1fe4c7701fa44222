import { numberOf, termsOf } from './terms.ts';

const MAX_WORDS = 100_000;

/** Keywords that precede the definition of a name in some language. */
const DEFINING: ReadonlySet<string> = new Set(
  (
    'class def defmodule defp enum fn fun func function impl interface macro module namespace object protocol ' +
    'record struct sub trait type union'
  ).split(' '),
);
const DEFINING_AT_LINE_START: ReadonlySet<string> = new Set(['const', 'let', 'var']);

/** A word with its terms, and its count in the current part of a text. */
export interface Word {
  /** The numbers of its terms. */
  readonly terms: readonly number[];
  readonly defines: 'always' | 'at line start' | 'never';
  /** The part in which it was last counted. */
  part: number;
  count: number;
  isDefined: boolean;
}

/** A cache of words by spelling, so that each is split into terms only once. */
export class Vocabulary {
  readonly #words = new Map<string, Word>();

  word(spelling: string): Word {
    const known = this.#words.get(spelling);
    if (known !== undefined) return known;
    if (this.#words.size >= MAX_WORDS) this.#words.clear();
    const terms = termsOf(spelling).map(numberOf);
    const word = { terms, defines: definesOf(spelling), part: 0, count: 0, isDefined: false };
    // Copy the spelling: a slice would keep the whole text in memory.
    this.#words.set(Buffer.from(spelling).toString(), word);
    return word;
  }
}

function definesOf(word: string): Word['defines'] {
  if (DEFINING.has(word)) return 'always';
  return DEFINING_AT_LINE_START.has(word) ? 'at line start' : 'never';
}
