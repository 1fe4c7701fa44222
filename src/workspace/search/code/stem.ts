// Porter's stemmer (M. F. Porter, An algorithm for suffix stripping, 1980), for lower-case English.
// `validate`, `validates`, `validators` and `validation` all come to `valid`.

const CONSONANT = '[^aeiou]';
const VOWEL = '[aeiouy]';
const CONSONANTS = `${CONSONANT}[^aeiouy]*`;
const VOWELS = `${VOWEL}[aeiou]*`;

/** How many times vowels are followed by consonants, the "measure" of a stem. */
const MEASURES_1 = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}`);
const MEASURES_ONLY_1 = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}(?:${VOWELS})?$`);
const MEASURES_2 = new RegExp(`^(?:${CONSONANTS})?${VOWELS}${CONSONANTS}${VOWELS}${CONSONANTS}`);
const HAS_VOWEL = new RegExp(`^(?:${CONSONANTS})?${VOWEL}`);
const SHORT_END = new RegExp(`^${CONSONANTS}${VOWEL}[^aeiouwxy]$`);

const LONGER_SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['ational', 'ate'], ['tional', 'tion'], ['enci', 'ence'], ['anci', 'ance'], ['izer', 'ize'],
  ['bli', 'ble'], ['alli', 'al'], ['entli', 'ent'], ['eli', 'e'], ['ousli', 'ous'],
  ['ization', 'ize'], ['ation', 'ate'], ['ator', 'ate'], ['alism', 'al'], ['iveness', 'ive'],
  ['fulness', 'ful'], ['ousness', 'ous'], ['aliti', 'al'], ['iviti', 'ive'], ['biliti', 'ble'],
  ['logi', 'log'], ['icate', 'ic'], ['ative', ''], ['alize', 'al'], ['iciti', 'ic'],
  ['ical', 'ic'], ['ful', ''], ['ness', ''],
]); // prettier-ignore
const STEP_2 =
  /^(.+?)(ational|tional|enci|anci|izer|bli|alli|entli|eli|ousli|ization|ation|ator|alism|iveness|fulness|ousness|aliti|iviti|biliti|logi)$/;
const STEP_3 = /^(.+?)(icate|ative|alize|iciti|ical|ful|ness)$/;
const STEP_4 =
  /^(.+?)(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive|ize)$/;

export function stem(word: string): string {
  if (word.length < 3) return word;
  // British spellings as the American ones.
  let rest = word.replace(/is(e[drs]?|ers|ing|ations?)$/, 'iz$1').replace(/our(s?)$/, 'or$1');
  rest = withoutPlural(rest);
  rest = withoutPast(rest);
  if (/^.+y$/.test(rest) && HAS_VOWEL.test(rest.slice(0, -1))) rest = `${rest.slice(0, -1)}i`;
  for (const suffixes of [STEP_2, STEP_3]) {
    const [, before = '', suffix = ''] = suffixes.exec(rest) ?? [];
    if (MEASURES_1.test(before)) rest = before + (LONGER_SUFFIXES.get(suffix) ?? '');
  }
  const [, before = ''] = STEP_4.exec(rest) ?? [];
  if (MEASURES_2.test(before)) rest = before;
  return withoutFinalE(rest);
}

const withoutPlural = (word: string): string =>
  word.replace(/^(.+?)(ss|i)es$/, '$1$2').replace(/^(.+?)([^s])s$/, '$1$2');

function withoutPast(word: string): string {
  const [, root] = /^(.+?)eed$/.exec(word) ?? [];
  if (root !== undefined) return MEASURES_1.test(root) ? `${root}ee` : word;
  const [, before] = /^(.+?)(?:ed|ing)$/.exec(word) ?? [];
  if (before === undefined || !HAS_VOWEL.test(before)) return word;
  if (/(?:at|bl|iz)$/.test(before)) return `${before}e`;
  if (/([^aeiouylsz])\1$/.test(before)) return before.slice(0, -1);
  return SHORT_END.test(before) ? `${before}e` : before;
}

function withoutFinalE(word: string): string {
  let rest = word;
  if (rest.endsWith('e')) {
    const before = rest.slice(0, -1);
    const keeps = MEASURES_ONLY_1.test(before) && SHORT_END.test(before);
    if (MEASURES_2.test(before) || (MEASURES_1.test(before) && !keeps)) rest = before;
  }
  return rest.endsWith('ll') && MEASURES_2.test(rest) ? rest.slice(0, -1) : rest;
}
