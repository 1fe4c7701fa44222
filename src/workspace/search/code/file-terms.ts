import { WORD } from './terms.ts';
import { Vocabulary, type Word } from './vocabulary.ts';

export const PART_LINES = 30;
/** The most distinct terms kept for one part. */
const MAX_TERMS = 2000;
const EXPORTED = /(?:^|\n)(?:export )?$/;

// A term, whether the part defines it, and its count are packed into one number: the count takes the low
// seven bits, the definition flag the eighth.
const COUNT = 0x7f;
const DEFINED = 0x80;
export const termOf = (packed: number): number => packed >>> 8;
export const countOf = (packed: number): number => packed & COUNT;
export const isDefinedIn = (packed: number): boolean => (packed & DEFINED) !== 0;

/** The index data of one file: the terms of each part of `PART_LINES` lines, and of its path. */
export interface FileTerms {
  /** The packed terms of the first part, sorted, then those of the second, and so on. */
  readonly terms: Uint32Array;
  /** For each part, where its terms end in `terms`. */
  readonly ends: readonly number[];
  /** For each part, its number of words. */
  readonly lengths: readonly number[];
  readonly name: readonly number[];
  readonly directories: readonly number[];
}

export class FileReader {
  readonly #vocabulary = new Vocabulary();
  #part = 0;

  read(path: string, text: string): FileTerms {
    const parts: Uint32Array[] = [];
    const lengths: number[] = [];
    for (let start = 0; start < text.length;) {
      const end = endOfLines(text, start);
      const { words, length } = this.#wordsIn(text, start, end);
      parts.push(pack(words));
      lengths.push(length);
      start = end;
    }
    const nameAt = path.lastIndexOf('/') + 1;
    const extensionAt = path.lastIndexOf('.');
    return {
      ...join(parts),
      lengths,
      name: this.#termsIn(path.slice(nameAt, extensionAt > nameAt ? extensionAt : undefined)),
      directories: this.#termsIn(path.slice(0, nameAt)),
    };
  }

  #wordsIn(
    text: string,
    from: number,
    to: number,
  ): { readonly words: readonly Word[]; readonly length: number } {
    this.#part += 1;
    const words: Word[] = [];
    let length = 0;
    let definedAt = -1;
    for (let end = from, start = wordStart(text, from, to); start < to;) {
      end = wordEnd(text, start, to);
      const word = this.#count(text.slice(start, end), words);
      length += 1;
      if (start === definedAt) word.isDefined = true;
      // `function name`, `function* name`
      if (defines(word, text, start)) definedAt = text[end] === '*' ? end + 2 : end + 1;
      start = wordStart(text, end, to);
    }
    return { words, length };
  }

  #count(spelling: string, words: Word[]): Word {
    const word = this.#vocabulary.word(spelling);
    if (word.part === this.#part) {
      word.count += 1;
      return word;
    }
    word.part = this.#part;
    word.count = 1;
    word.isDefined = false;
    words.push(word);
    return word;
  }

  #termsIn(path: string): number[] {
    const words = path.match(WORD) ?? [];
    return [...new Set(words.flatMap((word) => this.#vocabulary.word(word).terms))];
  }
}

/** The packed terms of the words, without duplicates. */
function pack(words: readonly Word[]): Uint32Array {
  const packed = new Uint32Array(words.reduce((sum, { terms }) => sum + terms.length, 0));
  let size = 0;
  for (const { terms, count, isDefined } of words) {
    const mark = Math.min(COUNT, count) + (isDefined ? DEFINED : 0);
    for (const term of terms) {
      packed[size] = term * 256 + mark;
      size += 1;
    }
  }
  return mergeSame(packed.sort()).slice(0, MAX_TERMS);
}

/** Merges entries of the same term, in place. */
function mergeSame(packed: Uint32Array): Uint32Array {
  let size = 0;
  for (const each of packed) {
    const last = packed[size - 1] ?? 0;
    if (size > 0 && termOf(last) === termOf(each)) packed[size - 1] = merge(last, each);
    else {
      packed[size] = each;
      size += 1;
    }
  }
  return packed.subarray(0, size);
}

/** Merges two entries of one term. */
function merge(one: number, other: number): number {
  const count = Math.min(COUNT, countOf(one) + countOf(other));
  return termOf(one) * 256 + count + ((one | other) & DEFINED);
}

function join(parts: readonly Uint32Array[]): Pick<FileTerms, 'terms' | 'ends'> {
  const terms = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  const ends: number[] = [];
  let end = 0;
  for (const part of parts) {
    terms.set(part, end);
    end += part.length;
    ends.push(end);
  }
  return { terms, ends };
}

const defines = ({ defines: when }: Word, text: string, start: number): boolean =>
  when !== 'never' &&
  (when === 'always' || EXPORTED.test(text.slice(Math.max(0, start - 8), start)));

function endOfLines(text: string, from: number): number {
  let end = from;
  for (let line = 0; line < PART_LINES && end < text.length; line += 1) {
    const next = text.indexOf('\n', end);
    end = next < 0 ? text.length : next + 1;
  }
  return end;
}

// Checking each character is several times faster than a regular expression here.

const OF_WORD = Array.from({ length: 0xc0 }, (_, code) => /[\w$]/.test(String.fromCharCode(code)));
const isOfWord = (code: number): boolean => OF_WORD[code] ?? true;

function wordStart(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && !isOfWord(text.charCodeAt(at))) at += 1;
  return at;
}

function wordEnd(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isOfWord(text.charCodeAt(at))) at += 1;
  return at;
}
