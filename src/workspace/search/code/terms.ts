import { stemmer } from 'stemmer';

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

export const isStopWord = (part: string): boolean => part.length < 2 || STOP_WORDS.has(part);

/** `validates`, `validators` and `validation` have one stem, and so do British and American spellings. */
export const stemOf = (part: string): string =>
  stemmer(part.replace(/is(e[drs]?|ers|ing|ations?)$/, 'iz$1').replace(/our(s?)$/, 'or$1'));

/** The stems of the parts of an identifier, without stop words. */
export const stemsOf = (parts: readonly string[]): string[] =>
  parts
    .filter((part) => !isStopWord(part))
    .map(stemOf)
    .filter((stem) => !isStopWord(stem));
