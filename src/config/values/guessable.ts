import { createRequire } from 'node:module';
import type * as Core from '@zxcvbn-ts/core';
import type * as English from '@zxcvbn-ts/language-common';

/** Most commands have no secret to judge, and need not wait for the dictionaries. */
const require = createRequire(import.meta.url);

/** As a power of ten. Random secrets of 16 characters, the fewest that are accepted, need more. */
const FEWEST_GUESSES = 12;
/** What this service, its documents and its hints are about: the first words that anyone would try. */
const OWN_WORDS =
  'issuewright github webhook pages token secret openssl rand hex base64 change'.split(' ');
const BETWEEN_WORDS = /[\s._-]+|(?<=\p{Ll})(?=\p{Lu})/u;

/**
 * Whether a secret needs few guesses, as a whole or word by word: few different characters, one piece again and
 * again, a row, a date, known passwords, words.
 */
export function isGuessable(secret: string): boolean {
  const words = secret.split(BETWEEN_WORDS);
  const wordByWord = words.reduce((sum, word) => sum + guessesFor(word), 0);
  return wordByWord < FEWEST_GUESSES || (words.length > 1 && guessesFor(secret) < FEWEST_GUESSES);
}

/** As a power of ten. */
const guessesFor = (text: string): number =>
  text === '' ? 0 : meter().check(text, OWN_WORDS).guessesLog10;

/** Held weakly: it takes 4 MB, and only the start of a service needs it. */
let opened: WeakRef<Core.ZxcvbnFactory> | undefined;

/** Made when it is needed first: it takes a tenth of a second. */
function meter(): Core.ZxcvbnFactory {
  const known = opened?.deref();
  if (known !== undefined) return known;
  const core = require('@zxcvbn-ts/core') as typeof Core;
  const { adjacencyGraphs, dictionary } = require('@zxcvbn-ts/language-common') as typeof English;
  const factory = new core.ZxcvbnFactory({
    dictionary,
    graphs: adjacencyGraphs,
    // More take seconds for hexadecimal text, whose digits could all stand for letters.
    l33tMaxSubstitutions: 3,
  });
  opened = new WeakRef(factory);
  return factory;
}
