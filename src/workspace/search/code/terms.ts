import { stem } from './stem.ts';

const MAX_WORD = 100;
const NUMBER_BITS = 24;

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
function partsOf(word: string): string[] {
  const parts = word.match(/\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{M}]+|\p{Lo}+|\p{N}+/gu) ?? [];
  return parts.map((part) => part.toLowerCase());
}

/**
 * The index terms of a word: the stems of its parts and, if there are several, all parts joined, so that
 * `webSocket`, `web_socket` and `WebSocket` match each other. None for stop words.
 */
export function termsOf(word: string): string[] {
  if (word.length > MAX_WORD) return [];
  const parts = partsOf(word);
  const terms = parts.filter((part) => part.length > 1 && !STOP_WORDS.has(part)).map(stem);
  return parts.length > 1 ? [...terms, parts.join('')] : terms;
}

/**
 * A hash of a term (FNV-1a, folded to 24 bits). Collisions within a repository are rare and only make the
 * ranking slightly worse.
 */
export function numberOf(term: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < term.length; at += 1)
    hash = Math.imul(hash ^ term.charCodeAt(at), 0x01000193);
  return ((hash >>> NUMBER_BITS) ^ hash) & (2 ** NUMBER_BITS - 1);
}
