// The framing of git's protocol: four hexadecimal digits of length, themselves counted, then that much.
import { InvalidResponse } from './http-client.ts';

const HEADER_BYTES = 4;

export const FLUSH = Buffer.from('0000');
export const DELIMITER = Buffer.from('0001');

export function encodePktLine(text: string): Buffer {
  const content = Buffer.from(text);
  const length = (content.byteLength + HEADER_BYTES).toString(16).padStart(HEADER_BYTES, '0');
  return Buffer.concat([Buffer.from(length), content]);
}

/** The contents of the lines; flush and delimiter packets are left out. @throws {InvalidResponse} cut or malformed */
export async function* decodePktLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Buffer, void, void> {
  let rest = Buffer.of();
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    let position = 0;
    for (;;) {
      const header = rest.toString('latin1', position, position + HEADER_BYTES);
      if (header.length < HEADER_BYTES) break;
      if (!/^[\da-f]{4}$/i.test(header))
        throw new InvalidResponse("the server's response is malformed");
      const end = position + Math.max(Number.parseInt(header, 16), HEADER_BYTES);
      if (end > rest.byteLength) break;
      if (end > position + HEADER_BYTES) yield rest.subarray(position + HEADER_BYTES, end);
      position = end;
    }
    rest = rest.subarray(position);
  }
  if (rest.byteLength > 0) throw new InvalidResponse("the server's response ended early");
}
