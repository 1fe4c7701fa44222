import { partsOf, stemOf, stemsOf, WORD } from './terms.ts';

const MAX_TERMS = 64;
const MAX_PART = 100;
/** How much a related word counts. */
const KIN_WORTH = 0.6;
const MIN_ABBREVIATION = 4;

/** A word of a question that counts, or an identifier in it that consists of several words. */
export interface Term {
  readonly stem: string;
  /** Grows with how often the question contains the term. */
  readonly weight: number;
}

interface Hit {
  readonly term: number;
  /** 1, or less for a related word. */
  readonly worth: number;
}

/** Finds the terms of a question in text: `retryDelay` and `RETRY_DELAYS` contain both of "delayed retries". */
export class QuestionMatcher {
  readonly terms: readonly Term[];
  readonly #stems: readonly string[];
  readonly #starts: RegExp | undefined;
  readonly #joined: readonly (readonly [term: number, pattern: RegExp])[];
  /** The terms of the words seen so far. */
  readonly #known = new Map<string, Hit | undefined>();

  constructor(question: string) {
    const words = (question.match(WORD) ?? []).map(partsOf);
    const counts = new Map<string, number>();
    for (const stem of words.flatMap(stemsOf)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
    const identifiers = words.filter((parts) => parts.length > 1);
    const stems = [...counts].slice(0, MAX_TERMS);
    const joined = identifiers.slice(0, MAX_TERMS - stems.length);
    this.terms = [
      ...stems.map(([stem, count]) => ({ stem, weight: 1 + Math.log(count) })),
      ...joined.map((parts) => ({ stem: parts.join(''), weight: 1 })),
    ];
    this.#stems = stems.map(([stem]) => stem);
    this.#starts = startsOf(this.#stems);
    this.#joined = joined.map((parts, index) => [
      stems.length + index,
      new RegExp(`(?<![a-z])${parts.map(escape).join('[_-]?')}(?![a-z])`, 'gi'),
    ]);
  }

  /** Calls `found` with each occurrence of a term; identifiers come last. */
  eachIn(text: string, found: (term: number, at: number, worth: number) => void): void {
    const starts = this.#starts;
    if (starts === undefined) return;
    starts.lastIndex = 0;
    for (let match = starts.exec(text); match !== null; match = starts.exec(text)) {
      const at = match.index;
      const end = endOfPart(text, at);
      starts.lastIndex = end;
      if (!startsPart(text, at) || end - at > MAX_PART) continue;
      const hit = this.#termOf(text.slice(at, end));
      if (hit !== undefined) found(hit.term, at, hit.worth);
    }
    for (const [term, pattern] of this.#joined)
      for (const { index } of text.matchAll(pattern)) found(term, index, 1);
  }

  #termOf(part: string): Hit | undefined {
    if (this.#known.has(part)) return this.#known.get(part);
    const hit = this.#lookUp(part.toLowerCase());
    // Copy the spelling: a slice would keep the whole text in memory.
    if (this.#known.size < 10_000) this.#known.set(Buffer.from(part).toString(), hit);
    return hit;
  }

  #lookUp(part: string): Hit | undefined {
    const stem = stemOf(part);
    const same = this.#stems.indexOf(stem);
    if (same >= 0) return { term: same, worth: 1 };
    const kin = this.#stems.findIndex((asked) => isKin(asked, stem));
    return kin < 0 ? undefined : { term: kin, worth: KIN_WORTH };
  }
}

/** Agent nouns (`parse`, `parser`), which the stemmer keeps apart, and abbreviations (`config`). */
function isKin(asked: string, other: string): boolean {
  const [short, long] = asked.length < other.length ? [asked, other] : [other, asked];
  if (long === `${short}er` || long === `${short}${short.at(-1)}er`) return true;
  return short === other && short.length >= MIN_ABBREVIATION && long.startsWith(short);
}

/** Matches where a word of one of these stems may start. Many more words start like that. */
function startsOf(stems: readonly string[]): RegExp | undefined {
  // The end of a stem is often not in its words: `factori` of factory, `hope` of hoping.
  const starts = stems.map((stem) =>
    (stem.length > 2 ? stem.replace(/[ie]$/, '') : stem).slice(0, MIN_ABBREVIATION),
  );
  const shortest = starts.filter(
    (start) => !starts.some((other) => other !== start && start.startsWith(other)),
  );
  if (shortest.length === 0) return undefined;
  const patterns = [...new Set(shortest)].map((start) =>
    escape(start).replaceAll('or', 'ou?r').replaceAll('iz', 'i[sz]'),
  );
  return new RegExp(patterns.join('|'), 'gi');
}

const escape = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`);

type Kind = 'none' | 'lower' | 'upper' | 'digit';

function kindAt(text: string, at: number): Kind {
  const code = text.charCodeAt(at);
  if (code >= 97 && code <= 122) return 'lower';
  if (code >= 65 && code <= 90) return 'upper';
  if (code >= 48 && code <= 57) return 'digit';
  return code >= 0xaa ? 'lower' : 'none';
}

/** Whether a word of an identifier starts here: twice in `retryDelay`, twice in `HTTPCode`. */
function startsPart(text: string, at: number): boolean {
  const here = kindAt(text, at);
  const before = at === 0 ? 'none' : kindAt(text, at - 1);
  if (here === 'lower') return before === 'none' || before === 'digit';
  if (here === 'upper' && before === 'upper') return kindAt(text, at + 1) === 'lower';
  return here !== before;
}

function endOfPart(text: string, at: number): number {
  const here = kindAt(text, at);
  const next = kindAt(text, at + 1);
  let end = at + 1;
  const run = here === 'upper' && next === 'lower' ? 'lower' : here;
  while (end < text.length && kindAt(text, end) === run) end += 1;
  const isCapital = run === 'upper' && end > at + 1 && kindAt(text, end) === 'lower';
  return isCapital ? end - 1 : end;
}
