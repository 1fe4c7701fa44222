// Small images of each format, built byte by byte: their pixels are not there, their sizes and their ends are.
const bytes = (...values: readonly number[]): Buffer => Buffer.from(values);
const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');

function number(value: number, size: number, order: 'BE' | 'LE'): Buffer {
  const buffer = Buffer.alloc(size);
  if (order === 'BE') buffer.writeUIntBE(value, 0, size);
  else buffer.writeUIntLE(value, 0, size);
  return buffer;
}

const chunk = (name: string, data = Buffer.alloc(0)): Buffer =>
  Buffer.concat([number(data.length, 4, 'BE'), ascii(name), data, Buffer.alloc(4)]);

/** `extra`: bytes of content, so that it is as large as it has to be. */
export function png(width = 3, height = 2, { extra = 0, isAnimated = false } = {}): Buffer {
  const size = Buffer.concat([number(width, 4, 'BE'), number(height, 4, 'BE')]);
  return Buffer.concat([
    ascii('\x89PNG\r\n\x1a\n'),
    chunk('IHDR', Buffer.concat([size, bytes(8, 2, 0, 0, 0)])),
    isAnimated ? chunk('acTL', Buffer.alloc(8)) : Buffer.alloc(0),
    chunk('IDAT', Buffer.alloc(extra)),
    chunk('IEND'),
  ]);
}

export const jpeg = (width = 3, height = 2): Buffer =>
  Buffer.concat([
    bytes(0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0),
    bytes(0xff, 0xff, 0xc0, 0, 11, 8),
    number(height, 2, 'BE'),
    number(width, 2, 'BE'),
    bytes(1, 1, 0x11, 0),
    bytes(0xff, 0xda, 0, 2, 1, 2, 3, 0xff, 0xd9),
  ]);

export function gif(width = 3, height = 2, { frames = 1, frameWidth = width } = {}): Buffer {
  const size = Buffer.concat([number(width, 2, 'LE'), number(height, 2, 'LE')]);
  const frame = Buffer.concat([
    bytes(0x21, 0xf9, 4, 0, 0, 0, 0, 0),
    bytes(0x2c, 0, 0, 0, 0),
    number(frameWidth, 2, 'LE'),
    number(height, 2, 'LE'),
    bytes(0, 2, 2, 0x4c, 1, 0),
  ]);
  const colors = Buffer.alloc(6);
  const all = Array.from({ length: frames }, () => frame);
  return Buffer.concat([ascii('GIF89a'), size, bytes(0x80, 0, 0), colors, ...all, bytes(0x3b)]);
}

function riff(name: string, data: Buffer): Buffer {
  const content = Buffer.concat([ascii('WEBP'), ascii(name), number(data.length, 4, 'LE'), data]);
  return Buffer.concat([ascii('RIFF'), number(content.length, 4, 'LE'), content]);
}

export const webp = {
  extended: (width = 3, height = 2, flags = 0): Buffer =>
    riff(
      'VP8X',
      Buffer.concat([
        bytes(flags, 0, 0, 0),
        number(width - 1, 3, 'LE'),
        number(height - 1, 3, 'LE'),
      ]),
    ),
  lossless: (width = 3, height = 2): Buffer =>
    riff('VP8L', Buffer.concat([bytes(0x2f), number(((height - 1) << 14) | (width - 1), 4, 'LE')])),
  lossy: (width = 3, height = 2): Buffer =>
    riff(
      'VP8 ',
      Buffer.concat([
        bytes(0, 0, 0, 0x9d, 0x01, 0x2a),
        number(width, 2, 'LE'),
        number(height, 2, 'LE'),
      ]),
    ),
};
