// The words of a text, as questions count them.
import { isStopWord } from './terms.ts';

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
export function startsWord(text: string, at: number): boolean {
  const here = kindAt(text, at);
  const before = at === 0 ? NONE : kindAt(text, at - 1);
  if (here === LOWER) return before === NONE || before === DIGIT;
  if (here === UPPER && before === UPPER) return kindAt(text, at + 1) === LOWER;
  return here !== before;
}

/** Where the word ends that the character at a place belongs to. */
export function endOfWord(text: string, at: number): number {
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
export function countedWord(spelling: string): string | undefined {
  if (spelling.length > MAX_LENGTH) return undefined;
  const word = inLowerCase(spelling);
  return isStopWord(word) ? undefined : word;
}

/** The words of an identifier in one; `undefined` if it is not counted, because it is too long. */
export function countedIdentifier(text: string, from: number, to: number): string | undefined {
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
export function identifierAt(
  text: string,
  at: number,
): readonly [from: number, to: number] | undefined {
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
