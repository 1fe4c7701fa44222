// Names of files are bytes. In our texts a byte that is not UTF-8 is a lone surrogate, U+DC80 to U+DCFF, so that
// each name has one text and each text one name. People and models see such names as git writes them.

/** A character of UTF-8, or any other byte. */
const PIECES =
  /[\0-\x7F]+|(?:[\xC2-\xDF]|(?:\xE0[\xA0-\xBF]|[\xE1-\xEC\xEE\xEF][\x80-\xBF]|\xED[\x80-\x9F]|(?:\xF0[\x90-\xBF]|[\xF1-\xF3][\x80-\xBF]|\xF4[\x80-\x8F])[\x80-\xBF]))[\x80-\xBF]|(?<other>[\x80-\xFF])/g;
const OTHER = /[\uDC80-\uDCFF]/gu;
const OFFSET = 0xdc_00;

export function nameOfBytes(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes).toString('latin1');
  return latin1.replaceAll(PIECES, (piece, other?: string) =>
    other === undefined
      ? Buffer.from(piece, 'latin1').toString()
      : String.fromCharCode(OFFSET + other.charCodeAt(0)),
  );
}

export function bytesOfName(name: string): Buffer {
  const parts: Buffer[] = [];
  let end = 0;
  for (const { 0: other, index } of name.matchAll(OTHER)) {
    parts.push(Buffer.from(name.slice(end, index)), Buffer.of(other.charCodeAt(0) - OFFSET));
    end = index + 1;
  }
  return Buffer.concat([...parts, Buffer.from(name.slice(end))]);
}

/** Whether a name is UTF-8. */
export const isUtf8Name = (name: string): boolean => name.isWellFormed();

/** Whether the text stands for a name at all. */
export const isName = (name: string): boolean => name.replaceAll(OTHER, '').isWellFormed();

const BYTE_BY_SIGN: Readonly<Record<string, number>> = {
  a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92,
}; // prettier-ignore

const SIGN_BY_BYTE = new Map(Object.entries(BYTE_BY_SIGN).map(([sign, byte]) => [byte, sign]));

/** As git quotes a path: `"caf\351.txt"`. */
export function gitQuoted(path: string): string {
  const signs = Array.from(bytesOfName(path), (byte) => {
    const sign = SIGN_BY_BYTE.get(byte);
    if (sign !== undefined) return `\\${sign}`;
    if (byte >= 32 && byte < 127) return String.fromCharCode(byte);
    return `\\${byte.toString(8).padStart(3, '0')}`;
  });
  return `"${signs.join('')}"`;
}

/** The path that git's form stands for, with its quotes or without; `undefined` if it has no byte beyond ASCII in it. */
export function fromGitQuoted(text: string): string | undefined {
  if (!/\\[23][0-7]{2}/.test(text)) return undefined;
  const inner = /^".*"$/s.test(text) ? text.slice(1, -1) : text;
  const parts: Buffer[] = [];
  for (const [, octal, sign, plain, wrong] of inner.matchAll(
    /\\([0-3][0-7]{2})|\\([abtnvfr"\\])|([^\\]+)|(\\)/g,
  )) {
    if (wrong !== undefined) return undefined;
    if (octal !== undefined) parts.push(Buffer.of(Number.parseInt(octal, 8)));
    else if (sign !== undefined) parts.push(Buffer.of(BYTE_BY_SIGN[sign] ?? 0));
    else parts.push(bytesOfName(plain ?? ''));
  }
  return nameOfBytes(Buffer.concat(parts));
}
