// An animated PNG (https://www.w3.org/TR/png-3/#apng-frame-based-animation), which browsers and GitHub show.
import { crc32 } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** In bytes: the length and the type before the data of a chunk, and the check sum after it. */
const BEFORE = 8;
const AFTER = 4;

export interface Frame {
  /** A PNG; all of the same size and kind. */
  readonly png: Buffer;
  readonly seconds: number;
}

/** Plays the frames again and again. Nothing is encoded anew: it consists of the chunks of its frames. */
export function movingPicture(frames: readonly Frame[]): Buffer {
  const header = chunksOf(frames[0]?.png ?? Buffer.alloc(0)).find(({ type }) => type === 'IHDR');
  if (header === undefined) throw new Error('a moving picture needs a frame');
  let sequence = 0;
  const parts = [SIGNATURE, chunk('IHDR', header.data), chunk('acTL', numbers(frames.length, 0))];
  for (const [at, { png, seconds }] of frames.entries()) {
    const all = chunksOf(png);
    if (!all.some(({ type, data }) => type === 'IHDR' && data.equals(header.data)))
      throw new Error(`frame ${at + 1} has another size or kind than the first`);
    const size = header.data.subarray(0, 8);
    // At the top left, for so many hundredths of a second, in place of all that was there before.
    const rest = Buffer.concat([
      numbers(0, 0),
      shorts(Math.round(seconds * 100), 100),
      Buffer.alloc(2),
    ]);
    parts.push(chunk('fcTL', Buffer.concat([numbers(sequence++), size, rest])));
    for (const { data } of all.filter(({ type }) => type === 'IDAT'))
      parts.push(
        at === 0 ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([numbers(sequence++), data])),
      );
  }
  return Buffer.concat([...parts, chunk('IEND', Buffer.alloc(0))]);
}

/** For how long it shows each frame. */
export const secondsOfFrames = (picture: Buffer): readonly number[] =>
  chunksOf(picture).flatMap(({ type, data }) =>
    type === 'fcTL' ? data.readUInt16BE(20) / data.readUInt16BE(22) : [],
  );

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function chunksOf(png: Buffer): readonly Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const end = at + BEFORE + png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + BEFORE);
    chunks.push({ type, data: png.subarray(at + BEFORE, end) });
    at = end + AFTER;
  }
  return chunks;
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([numbers(data.length), content, numbers(crc32(content))]);
}

function numbers(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 * values.length);
  values.forEach((value, at) => buffer.writeUInt32BE(value, 4 * at));
  return buffer;
}

function shorts(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(2 * values.length);
  values.forEach((value, at) => buffer.writeUInt16BE(value, 2 * at));
  return buffer;
}
