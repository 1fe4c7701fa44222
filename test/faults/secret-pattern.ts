// How secrets are recognised, also in the encodings that programs give them.

/** How installation tokens of the local GitHub begin, and so many more characters: those of a redacted one are fewer. */
const TOKEN_START = 'ghs_1_';
const TOKEN_REST = '[A-Za-z0-9_+/-]{20}';

/** A regular expression for JavaScript and for `grep -E`: any of the secrets, or an installation token. */
export const secretPattern = (secrets: readonly string[]): string =>
  [...secrets.flatMap(formsOf), `(${formsOf(TOKEN_START).join('|')})${TOKEN_REST}`].join('|');

/** As it is, in hexadecimal, and in base64 at any place of a longer text. */
const formsOf = (secret: string): string[] =>
  [
    secret,
    Buffer.from(secret).toString('hex'),
    ...[0, 1, 2].map((before) => inBase64(secret, before)),
  ].map((form) => form.replaceAll(/[^\w-]/g, '[$&]'));

/** Without the characters that also depend on the `before` bytes before it, and on those after it. */
function inBase64(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const from = Math.ceil((before * 8) / 6);
  return bytes.toString('base64').slice(from, Math.floor((bytes.length * 8) / 6));
}
