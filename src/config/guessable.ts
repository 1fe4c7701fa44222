const LEAST_SIGNS = 5;
/** Random secrets of the shortest kind have more than twice as many besides words. */
const LEAST_BESIDES_WORDS = 8;

/** What people write where a secret belongs, and rows of keys. Random text hardly ever has one of them. */
const WORDS =
  /(?:change|replace|insert|enter|place|fill|put)[-_ ]?(?:me|this|here|it|holder)?|super|secrets?|private|webhooks?|passw(?:or[dt])?|github|issuewright|example|default|develop(?:ment|er)?|production|local(?:host)?|testing|tests?|demo|dummy|foo|bar|admin|root|user|login|letmein|welcome|hello|world|token|value|string|strong|random|long|characters?|chars|something|anything|some|very|your?|mine|with|the|and|for|from|openssl|rand|hex|base64|qwert[yz](?:uiop)?|asdf(?:gh(?:jkl)?)?|[yz]xcv(?:bnm)?/gi;

/**
 * Whether a secret is of a kind that people type and programs guess: few signs, one piece again and again, a row,
 * or words for a secret.
 */
export const isGuessable = (secret: string): boolean =>
  new Set(secret).size < LEAST_SIGNS || isRepeated(secret) || isRow(secret) || isOfWords(secret);

function isOfWords(secret: string): boolean {
  const besides = secret.replaceAll(WORDS, '');
  if (besides === secret) return false;
  const rest = besides.replaceAll(/[\s._!?-]|123\d*/g, '');
  return rest.length < LEAST_BESIDES_WORDS && rest.length < secret.length / 2;
}

const isRepeated = (secret: string): boolean =>
  Array.from({ length: Math.floor(secret.length / 2) }, (_, at) => at + 1).some((length) =>
    secret.startsWith(secret.slice(length)),
  );

/** `0123456789abcdef`, `zyxw…`: nearly each sign is the next one, or the one before. */
function isRow(secret: string): boolean {
  const steps = Array.from(secret.slice(1), (sign, at) =>
    Math.abs(sign.charCodeAt(0) - secret.charCodeAt(at)),
  );
  return steps.filter((step) => step === 1).length > steps.length * 0.7;
}
