// Removes invisible characters, except those that change how a visible one looks.
import { gitQuoted, isUtf8Name } from './byte-names.ts';

/**
 * Sequences whose invisible characters are kept: joiners and selectors of emoji, the flags of England, Scotland
 * and Wales, and the non-joiner of Persian and of the scripts of India.
 */
const KEPT = [
  String.raw`\u{1F3F4}(?:\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F})`,
  String.raw`[0-9#*]\uFE0F\u20E3`,
  String.raw`\p{Extended_Pictographic}[\uFE0E\uFE0F]?\p{Emoji_Modifier}?(?:\u200D(?=\p{Extended_Pictographic}))?`,
  String.raw`[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Kannada}\p{Script=Telugu}\p{Script=Sinhala}]\u200C(?=\p{L})`,
].join('|');

/** Control, format and bidirectional characters, separators of lines, selectors, tags, fillers, the blank of Braille. */
const UNSEEN = String.raw`(?![\n\t])\p{Cc}|\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u2800\uFFF9-\uFFFB\u{13430}-\u{13455}]`;

/** A sequence to keep, or, in the group `unseen`, an invisible character. */
const SIGNS = new RegExp(`${KEPT}|(?<unseen>${UNSEEN})`, 'gu');

/** More combining marks than any script puts on a letter. */
const FLOOD = /(?<=\p{M}{6})\p{M}+/gu;

/** Replaces every invisible character. */
export const replaceUnseen = (text: string, replacement: (sign: string) => string): string =>
  text.replaceAll(SIGNS, (sign, ...rest: readonly unknown[]) => {
    const { unseen } = rest.at(-1) as { readonly unseen: string | undefined };
    return unseen === undefined ? sign : replacement(sign);
  });

const unicodeEscape = (sign: string): string =>
  sign
    .split('')
    .map((unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

/** Shows every invisible character as in a string of JSON: `\u202e`. */
export const escapeUnseen = (text: string): string => replaceUnseen(text, unicodeEscape);

/** What has a shape of its own. All others are blanks, separators, and what is private, unassigned or no character. */
const SHAPELESS = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|\uFFFC|\u{16FE4}|\u{1D159}/u;

/** Whether people can see each sign of a name, and where it begins and ends. */
export const isVisibleName = (name: string): boolean =>
  !hasUnseen(name) &&
  !SHAPELESS.test(name.replaceAll(SIGNS, '')) &&
  name.search(FLOOD) === -1 &&
  name.trim() === name;

export const hasUnseen = (text: string): boolean => replaceUnseen(text, () => '') !== text;

/** The text as a string of JSON, with every character visible. */
export const quoted = (text: string): string => escapeUnseen(JSON.stringify(text));

/** A path in quotes. */
export const quotedPath = (path: string): string =>
  isUtf8Name(path) ? quoted(path) : gitQuoted(path);

/** A path on one line: quoted if it holds anything that changes how the line is read, or where it ends. */
export const shownPath = (path: string): string =>
  !isUtf8Name(path) ||
  /[\p{Cc}\p{Zl}\p{Zp}"\\]|(?:^|\/)\s|\s(?:\/|$)/u.test(path) ||
  hasUnseen(path)
    ? quotedPath(path)
    : path;

/** Removes invisible characters. Line breaks become `\n`, and lone surrogates become U+FFFD. */
export function withoutInvisible(text: string): string {
  const lines = text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\u2028\u2029]/g, '\n');
  return replaceUnseen(lines, () => '').replaceAll(FLOOD, '');
}
