import { stemmer } from 'stemmer';

/** What is longer is no word. */
const MAX_LENGTH = 100;
/** No identifier is looked at beyond this, with its joints. */
const MAX_RUN = 2 * MAX_LENGTH;

const [NONE, LOWER, UPPER, DIGIT] = [0, 1, 2, 3];
/** From here on, each character is taken for a lower-case letter. */
const FIRST_OTHER = 0xaa;

const KINDS = Uint8Array.from({ length: FIRST_OTHER }, (_, code) => {
  if (code >= 97 && code <= 122) return LOWER;
  if (code >= 65 && code <= 90) return UPPER;
  return code >= 48 && code <= 57 ? DIGIT : NONE;
});

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code >= FIRST_OTHER) return LOWER;
  // Beyond the end of the text there is no code.
  return KINDS[code] ?? NONE;
}

/** Whether a word of an identifier starts here: twice in `retryDelay`, twice in `HTTPCode`. */
function startsWord(text: string, at: number): boolean {
  const here = kindAt(text, at);
  const before = at === 0 ? NONE : kindAt(text, at - 1);
  if (here === LOWER) return before === NONE || before === DIGIT;
  if (here === UPPER && before === UPPER) return kindAt(text, at + 1) === LOWER;
  return here !== before;
}

/** Where the word ends that the character at a place belongs to. */
function endOfWord(text: string, at: number): number {
  const here = kindAt(text, at);
  let end = at + 1;
  const run = here === UPPER && kindAt(text, end) === LOWER ? LOWER : here;
  while (end < text.length && kindAt(text, end) === run) end += 1;
  const isCapital = run === UPPER && end > at + 1 && kindAt(text, end) === LOWER;
  return isCapital ? end - 1 : end;
}

/** One `_` or `-` joins two words of an identifier. */
function joinsWords(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code === 95 || code === 45) && kindAt(text, at + 1) !== NONE;
}

/** Capitals that an expression without regard to case takes for other letters than their lower case. */
const UNFOLDED =
  /[\u0130\u03f4\u1e9e\u1f88-\u1f8f\u1f98-\u1f9f\u1fa8-\u1faf\u1fbc\u1fcc\u1ffc\u2126\u212a\u212b\ud800-\udfff]/;

const inLowerCase = (word: string): string => (UNFOLDED.test(word) ? word : word.toLowerCase());

/** A word as it is counted; `undefined` if it is not, because it is in every text or too long. */
function countedWord(spelling: string): string | undefined {
  if (spelling.length > MAX_LENGTH) return undefined;
  const word = inLowerCase(spelling);
  return isStopWord(word) ? undefined : word;
}

/** The words of an identifier in one; `undefined` if it is not counted, because it is too long. */
function countedIdentifier(text: string, from: number, to: number): string | undefined {
  if (to - from > MAX_RUN) return undefined;
  let joined = '';
  for (let at = from; at < to;) {
    if (kindAt(text, at) === NONE) at += 1;
    const end = endOfWord(text, at);
    joined += inLowerCase(text.slice(at, end));
    at = end;
  }
  return joined.length > MAX_LENGTH ? undefined : joined;
}

/** Where the identifier begins and ends that the word at a place belongs to; `undefined` if it is one word, or too long to be counted. */
function identifierAt(text: string, at: number): readonly [from: number, to: number] | undefined {
  let from = at;
  while (from > 0 && at - from <= MAX_RUN) {
    if (kindAt(text, from - 1) !== NONE) from -= 1;
    else if (from > 1 && joinsWords(text, from - 1) && kindAt(text, from - 2) !== NONE) from -= 2;
    else break;
  }
  let to = at + 1;
  while (to < text.length && to - at <= MAX_RUN) {
    if (kindAt(text, to) !== NONE) to += 1;
    else if (joinsWords(text, to)) to += 2;
    else break;
  }
  return to - from > MAX_RUN || endOfWord(text, from) >= to ? undefined : [from, to];
}

const MAX_TERMS = 64;
/** In fifths, how much a word and a related word count. */
const WHOLE = 5;
const KIN = 3;
const MIN_ABBREVIATION = 4;

/** A word of a question that counts, or an identifier in it that consists of several words. */
interface Term {
  readonly stem: string;
  /** Grows with how often the question contains the term. */
  readonly weight: number;
}

/** What a word of a text counts for. */
interface Hit {
  readonly term: number;
  /** In fifths, so that sums are exact: 5, or less for a related word. */
  readonly fifths: number;
}

/** Finds the terms of a question in text: `retryDelay` and `RETRY_DELAYS` contain both of "delayed retries". */
export class QuestionMatcher {
  readonly terms: readonly Term[];
  /** Whatever hits a word of the question begins with one of these, in lower case. */
  readonly #beginnings: readonly string[];
  /** The identifiers of the question, each with its words in one. */
  readonly #identifiers: ReadonlyMap<string, number>;
  readonly #stems: readonly string[];
  readonly #begins: RegExp;
  readonly #identifier: RegExp;
  /** The terms of the words seen so far, by their spelling. */
  readonly #known = new Map<string, Hit | undefined>();

  constructor(question: string) {
    const words = (question.match(WORD) ?? []).map(partsOf);
    const counts = new Map<string, number>();
    for (const stem of words.flatMap(stemsOf)) counts.set(stem, (counts.get(stem) ?? 0) + 1);
    const stems = [...counts].slice(0, MAX_TERMS);
    const joined = words.filter((parts) => parts.length > 1).map((parts) => parts.join(''));
    const identifiers = [...new Set(joined)].slice(0, MAX_TERMS - stems.length);
    this.terms = [
      ...stems.map(([stem, count]) => ({ stem, weight: 1 + Math.log(count) })),
      ...identifiers.map((identifier) => ({ stem: identifier, weight: 1 })),
    ];
    this.#stems = stems.map(([stem]) => stem);
    this.#beginnings = beginningsOf(this.#stems);
    // A question that has nothing but words of all texts finds nothing.
    const sought = stems.length === 0 ? [] : identifiers;
    this.#identifiers = new Map(sought.map((each, index) => [each, stems.length + index]));
    this.#begins = eitherOf(this.#beginnings.map(escape));
    this.#identifier = eitherOf(sought.map((each) => Array.from(each, escape).join('[_-]?')));
  }

  /** Calls `found` with each occurrence of a term; identifiers come last. */
  eachIn(text: string, found: (term: number, at: number, fifths: number) => void): void {
    const begins = this.#begins;
    begins.lastIndex = 0;
    for (let match = begins.exec(text); match !== null; match = begins.exec(text)) {
      const at = match.index;
      const end = endOfWord(text, at);
      begins.lastIndex = end;
      if (!startsWord(text, at)) continue;
      const hit = this.#hitOf(text.slice(at, end));
      if (hit !== undefined) found(hit.term, at, hit.fifths);
    }
    if (this.#identifiers.size > 0) this.#eachIdentifierIn(text, found);
  }

  #eachIdentifierIn(text: string, found: (term: number, at: number, fifths: number) => void): void {
    const sought = this.#identifier;
    let wholeEnd = 0;
    sought.lastIndex = 0;
    for (let match = sought.exec(text); match !== null; match = sought.exec(text)) {
      const at = match.index;
      sought.lastIndex = at + 1;
      if (at >= wholeEnd) {
        const [from, to] = identifierAt(text, at) ?? [at, at];
        const whole = this.#identifiers.get(countedIdentifier(text, from, to) ?? '');
        if (whole !== undefined) {
          found(whole, from, WHOLE);
          wholeEnd = to;
        }
      }
      if (!startsWord(text, at)) continue;
      // Also within a whole identifier: `userName` is a word of `username_hash`.
      const word = countedWord(text.slice(at, endOfWord(text, at)));
      const alone = this.#identifiers.get(word ?? '');
      if (alone !== undefined) found(alone, at, WHOLE);
    }
  }

  #hitOf(spelling: string): Hit | undefined {
    if (this.#known.has(spelling)) return this.#known.get(spelling);
    const word = countedWord(spelling);
    if (word === undefined) return undefined;
    const hit = this.#lookUp(word);
    // Copy the spelling: a slice would keep the whole text in memory.
    if (this.#known.size < 10_000) this.#known.set(Buffer.from(spelling).toString(), hit);
    return hit;
  }

  #lookUp(word: string): Hit | undefined {
    if (!this.#beginnings.some((beginning) => word.startsWith(beginning))) return undefined;
    const stem = stemOf(word);
    const same = this.#stems.indexOf(stem);
    if (same >= 0) return { term: same, fifths: WHOLE };
    const kin = this.#stems.findIndex((asked) => isKin(asked, stem));
    return kin < 0 ? undefined : { term: kin, fifths: KIN };
  }
}

/** Agent nouns (`parse`, `parser`), which the stemmer keeps apart, and abbreviations (`config`). */
function isKin(asked: string, other: string): boolean {
  const [short, long] = asked.length < other.length ? [asked, other] : [other, asked];
  if (long === `${short}er` || long === `${short}${short.at(-1)}er`) return true;
  return short === other && short.length >= MIN_ABBREVIATION && long.startsWith(short);
}

/** How words of these stems may begin. Many more words do. */
function beginningsOf(stems: readonly string[]): string[] {
  // The end of a stem is often not in its words: `factori` of factory, `hope` of hoping.
  const starts = stems.map((stem) =>
    (stem.length > 2 ? stem.replace(/[ie]$/, '') : stem).slice(0, MIN_ABBREVIATION),
  );
  const shortest = starts.filter(
    (start) => !starts.some((other) => other !== start && start.startsWith(other)),
  );
  const british = (start: string): string[] => [
    start,
    start.replaceAll('or', 'our'),
    start.replaceAll('iz', 'is'),
    start.replaceAll('or', 'our').replaceAll('iz', 'is'),
  ];
  return [...new Set(shortest.flatMap(british))];
}

/** Matches nothing if there are none. */
const eitherOf = (patterns: readonly string[]): RegExp =>
  new RegExp(patterns.length === 0 ? '(?!)' : patterns.join('|'), 'gi');

const escape = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`);

/** A word of code or prose, without punctuation and white space. */
export const WORD = /[\w$\u00c0-\uffff]+/g;

const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after all also an and any are as at be because been before but by can cannot could did do does ' +
    'doing done each else every for from get gets got had has have having how however i if in instead into is ' +
    'it its just let like made make makes many may me might more most must my no nor not now of off on once ' +
    'one only onto or other our out over own same shall she should so some still such than that the their them ' +
    'then there these they this those through to too under until up upon us use used uses using very was way we ' +
    'were what when where whether which while who whom whose why will with within without would yet you your'
  ).split(' '),
);

/** The words of an identifier in lower case: `getHTTPCode_v2` is get, http, code, v, 2. */
export function partsOf(word: string): string[] {
  const parts = word.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lo}+|\p{N}+/gu) ?? [];
  return parts.map((part) => part.toLowerCase());
}

const isStopWord = (part: string): boolean => part.length < 2 || STOP_WORDS.has(part);

/** `validates`, `validators` and `validation` have one stem, and so do British and American spellings. */
const stemOf = (part: string): string =>
  stemmer(part.replace(/is(e[drs]?|ers|ing|ations?)$/, 'iz$1').replace(/our(s?)$/, 'or$1'));

/** The stems of the parts of an identifier, without stop words. */
const stemsOf = (parts: readonly string[]): string[] =>
  parts
    .filter((part) => !isStopWord(part))
    .map(stemOf)
    .filter((stem) => !isStopWord(stem));
