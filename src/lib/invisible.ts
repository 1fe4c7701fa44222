// Characters that nobody sees, and why some of them stay.

/**
 * Kept is what makes a sign another one that people see: the joiners and selectors of emoji, the flags
 * of England, Scotland and Wales, and the non-joiner of Persian and of the scripts of India.
 */
const KEPT = [
  String.raw`\u{1F3F4}(?:\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F})`,
  String.raw`[0-9#*]\uFE0F\u20E3`,
  String.raw`\p{Extended_Pictographic}[\uFE0E\uFE0F]?\p{Emoji_Modifier}?(?:\u200D(?=\p{Extended_Pictographic}))?`,
  String.raw`[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Kannada}\p{Script=Telugu}\p{Script=Sinhala}]\u200C(?=\p{L})`,
].join('|');

/** Control, format and bidirectional characters, selectors, tags, fillers, and the blank of Braille. */
const UNSEEN = String.raw`(?![\n\t])\p{Cc}|\p{Default_Ignorable_Code_Point}|[\u2800\uFFF9-\uFFFB\u{13430}-\u{13455}]`;

/** A sign that is kept with what belongs to it, or the group `unseen`: one character that is not. */
const SIGNS = new RegExp(`${KEPT}|(?<unseen>${UNSEEN})`, 'gu');

/** More marks than any script puts on a letter. */
const FLOOD = /(?<=\p{M}{6})\p{M}+/gu;

/** What stands in place of what was found: nothing, unless it is told. */
export type Note = (kind: string, text: string) => void;

/** Replaces each character that nobody sees. */
export const replaceUnseen = (text: string, replacement: (sign: string) => string): string =>
  text.replaceAll(SIGNS, (sign, ...rest: readonly unknown[]) => {
    const { unseen } = rest.at(-1) as { readonly unseen: string | undefined };
    return unseen === undefined ? sign : replacement(sign);
  });

export const withUnixLines = (text: string): string =>
  text.toWellFormed().replaceAll(/\r\n?/g, '\n');

/** Line breaks are those of Unix, and surrogates come in pairs. */
export function withoutInvisible(text: string, note: Note = () => {}): string {
  const unixLines = withUnixLines(text).replaceAll(/[\u2028\u2029]/g, '\n');
  const remove = (kind: string) => (found: string) => {
    note(kind, found);
    return '';
  };
  return replaceUnseen(unixLines, remove('invisible character')).replaceAll(
    FLOOD,
    remove('flood of combining marks'),
  );
}

const NAMED =
  'ZeroWidthSpace|Negative(?:Very)?Thi(?:n|ck)Space|NegativeMediumSpace|zwn?j|[lr][rl]m|shy|NoBreak|ApplyFunction|af|InvisibleTimes|it|InvisibleComma|ic';
const ENTITY = new RegExp(`&(?:#(\\d{1,8})|#[xX]([0-9a-fA-F]{1,7})|(?:${NAMED}));?`, 'g');

/** Removes entities that only a browser turns into what nobody sees. */
export const withoutInvisibleEntities = (prose: string, note: Note): string =>
  prose.replaceAll(ENTITY, (entity, decimal?: string, hex?: string) => {
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    if (!Number.isNaN(code) && !isUnseen(code)) return entity;
    note('invisible character', entity);
    return '';
  });

const isUnseen = (code: number): boolean =>
  code > 0x10ffff ||
  (code !== 9 && code !== 10 && new RegExp(UNSEEN, 'u').test(String.fromCodePoint(code)));
