// The framing of git's protocol: four hexadecimal digits of length, themselves counted, then that much.

const HEADER_BYTES = 4;

export const FLUSH = Buffer.from('0000');

export function encodePktLine(text: string): Buffer {
  const content = Buffer.from(text);
  const length = (content.byteLength + HEADER_BYTES).toString(16).padStart(HEADER_BYTES, '0');
  return Buffer.concat([Buffer.from(length), content]);
}

/** The contents of the lines; flush and delimiter packets are left out. @throws {Error} cut or malformed */
export function decodePktLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let position = 0;
  while (position < bytes.byteLength) {
    const length = Number.parseInt(bytes.toString('latin1', position, position + HEADER_BYTES), 16);
    const end = position + Math.max(length, HEADER_BYTES);
    if (Number.isNaN(length) || end > bytes.byteLength)
      throw new Error("the server's response ended early");
    if (length > HEADER_BYTES) lines.push(bytes.subarray(position + HEADER_BYTES, end));
    position = end;
  }
  return lines;
}
