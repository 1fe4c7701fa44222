import { createHash } from 'node:crypto';
import type { ImageType, StoredImage } from '../../contracts/image.ts';
import { hasCode } from '../../lib/errors.ts';

/** An image, or why it cannot be had, as in "left out: it is animated". */
export type FetchedImage = StoredImage | { readonly leftOut: string };

/** Providers accept 5 MB of Base64 at most, which is this much in bytes. */
const MOST_BYTES = 3_500_000;
const MOST_MEGABYTES = MOST_BYTES / 1e6;
/** The most that all providers accept. */
const MOST_PIXELS_A_SIDE = 8000;
/** A model server decodes all of them: 100 MB in memory. */
const MOST_MEGAPIXELS = 25;
const MOST_REDIRECTS = 3;

interface FetchParts {
  readonly isAttachment: IsAttachment;
  readonly signal: AbortSignal;
}

/**
 * Fetches an image that people uploaded to GitHub. No token is sent: the addresses that GitHub renders are signed.
 * Never throws.
 */
export async function fetchImage(address: string, parts: FetchParts): Promise<FetchedImage> {
  const url = URL.parse(address);
  if (url === null || !parts.isAttachment(url)) return leftOut('it is not an upload to GitHub');
  try {
    return await follow(url, parts);
  } catch {
    return leftOut('it could not be fetched from GitHub');
  }
}

const leftOut = (reason: string) => ({ leftOut: reason });

/** @throws {Error} of the network */
async function follow(first: URL, { isAttachment, signal }: FetchParts): Promise<FetchedImage> {
  let url = first;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const answer = await fetch(url.href, { redirect: 'manual', signal });
    const location = answer.headers.get('location');
    if (answer.status < 300 || answer.status >= 400 || location === null) return contentOf(answer);
    await answer.body?.cancel();
    const next = URL.parse(location, url.href);
    if (next === null || !isAttachment(next)) return leftOut('its address leads away from GitHub');
    url = next;
  }
  return leftOut('it could not be fetched from GitHub');
}

async function contentOf({ ok, status, headers, body }: Response): Promise<FetchedImage> {
  const announced = Number(headers.get('content-length') ?? 0);
  if (!ok || body === null || announced > MOST_BYTES) {
    await body?.cancel();
    return leftOut(ok ? tooLong(announced) : `GitHub returned ${status}`);
  }
  const content = await read(body);
  if (content === undefined) return leftOut(tooLong());
  const header = imageHeader(content);
  if (header === 'unknown') return leftOut('it is not a PNG, JPEG, GIF or WebP image');
  if (header === 'damaged') return leftOut('it is incomplete or damaged');
  return against(header) ?? imageOf(content.subarray(0, header.length), header);
}

const tooLong = (bytes = 0): string =>
  bytes > MOST_BYTES
    ? `it has ${Math.ceil(bytes / 1e5) / 10} MB, and the limit is ${MOST_MEGABYTES} MB`
    : `it has more than ${MOST_MEGABYTES} MB`;

/** `undefined` if it is too long. */
async function read(body: AsyncIterable<Uint8Array>): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > MOST_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function against({ width, height, isAnimated }: ImageHeader): FetchedImage | undefined {
  if (isAnimated) return leftOut('it is animated');
  const isTooLarge =
    Math.max(width, height) > MOST_PIXELS_A_SIDE || width * height > MOST_MEGAPIXELS * 1e6;
  if (!isTooLarge) return undefined;
  return leftOut(
    `it has ${width} × ${height} pixels, and the limit is ${MOST_PIXELS_A_SIDE} a side and ${MOST_MEGAPIXELS} megapixels`,
  );
}

const imageOf = (content: Buffer, { type, width, height }: ImageHeader): StoredImage => ({
  id: createHash('sha256').update(content).digest('hex'),
  type,
  width,
  height,
  bytes: content.length,
  content,
});

// What kind of image some bytes are, and how large it is, without decoding it. The bytes are hostile.

export interface ImageHeader {
  readonly type: ImageType;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
  /** Bytes up to its end: what follows is of no image. */
  readonly length: number;
}

type ReadHeader = (bytes: Buffer) => Omit<ImageHeader, 'type'>;

interface Format {
  readonly type: ImageType;
  /** Whether the bytes begin like this format. */
  readonly begins: (bytes: Buffer) => boolean;
  /** Reads from the first byte to the mark of the end. @throws {Error} if it is not there */
  readonly read: ReadHeader;
}

class DamagedImage extends Error {}

/** The codes of Node's errors for a read beyond the last byte. */
const BEYOND = ['ERR_OUT_OF_RANGE', 'ERR_BUFFER_OUT_OF_BOUNDS'];

/** `unknown`: of no format that is read; `damaged`: it has no size, or does not reach its end. */
export function imageHeader(bytes: Buffer): ImageHeader | 'unknown' | 'damaged' {
  const format = FORMATS.find(({ begins }) => begins(bytes));
  if (format === undefined) return 'unknown';
  try {
    const header = format.read(bytes);
    return header.width > 0 && header.height > 0 ? { type: format.type, ...header } : 'damaged';
  } catch (error) {
    if (error instanceof DamagedImage || hasCode(error, ...BEYOND)) return 'damaged';
    throw error;
  }
}

const PNG_BEGINS = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');

/** Chunks of a length, a name, data and a checksum, up to `IEND`. */
const readPng: ReadHeader = (bytes) => {
  const width = bytes.readUInt32BE(16);
  const height = bytes.readUInt32BE(20);
  let isAnimated = false;
  for (let at = 8; ; at += 12 + bytes.readUInt32BE(at)) {
    const name = bytes.readUInt32BE(at + 4);
    if (name === ACTL) isAnimated = true;
    const length = at + 12;
    if (name === IEND && bytes.length >= length) return { width, height, isAnimated, length };
  }
};

const ACTL = 0x61_63_54_4c;
const IEND = 0x49_45_4e_44;

/** Segments of a marker and a length, some with pixels behind them, up to the mark of the end. */
const readJpeg: ReadHeader = (bytes) => {
  let size: { readonly width: number; readonly height: number } | undefined;
  let hasPixels = false;
  for (let at = 2; ;) {
    while (bytes.readUInt8(at) === 0xff && bytes.readUInt8(at + 1) === 0xff) at += 1;
    const marker = bytes.readUInt16BE(at);
    if (marker < 0xff_00) throw new DamagedImage();
    if (marker === JPEG_END && size !== undefined && hasPixels)
      return { ...size, isAnimated: false, length: at + 2 };
    if (SIZES.has(marker))
      size ??= { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
    if (marker !== PIXELS) continue;
    hasPixels = true;
    at = afterPixels(bytes, at);
  }
};

/** Where the next marker is: within pixels, a byte of 255 is followed by 0, or by the number of a restart. */
function afterPixels(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 2)) {
    const next = bytes.readUInt8(at + 1);
    if (next !== 0 && (next < 0xd0 || next > 0xd7)) return at;
  }
  throw new DamagedImage();
}

const PIXELS = 0xff_da;
const JPEG_END = 0xff_d9;
/** The markers of a frame: all of 0xFFC0 to 0xFFCF but those of tables. */
const SIZES: ReadonlySet<number> = new Set(
  [0, 1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15].map((kind) => 0xff_c0 + kind),
);

/** Frames and extensions, each followed by blocks of data, up to the trailer. */
const readGif: ReadHeader = (bytes) => {
  const width = bytes.readUInt16LE(6);
  const height = bytes.readUInt16LE(8);
  let frames = 0;
  let at = 13 + colorTable(bytes.readUInt8(10));
  for (;;) {
    const sign = bytes.readUInt8(at);
    if (sign === 0x3b && frames > 0)
      return { width, height, isAnimated: frames > 1, length: at + 1 };
    if (sign === 0x21) at = afterBlocks(bytes, at + 2);
    else if (sign !== 0x2c) throw new DamagedImage();
    else {
      frames += 1;
      const right = bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5);
      const bottom = bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7);
      if (right > width || bottom > height) throw new DamagedImage();
      at = afterBlocks(bytes, at + 11 + colorTable(bytes.readUInt8(at + 9)));
    }
  }
};

/** Bytes of the table that these flags announce. */
const colorTable = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1));

function afterBlocks(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes.readUInt8(at) !== 0) at += 1 + bytes.readUInt8(at);
  return at + 1;
}

const readWebp: ReadHeader = (bytes) => {
  const length = bytes.readUInt32LE(4) + 8;
  if (length > bytes.length) throw new DamagedImage();
  return { ...readFirstChunk(bytes.subarray(0, length)), length };
};

function readFirstChunk(bytes: Buffer): Omit<ImageHeader, 'type' | 'length'> {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return {
        width: bytes.readUIntLE(24, 3) + 1,
        height: bytes.readUIntLE(27, 3) + 1,
        isAnimated: (bytes.readUInt8(20) & 2) !== 0,
      };
    case 'VP8L': {
      const size = bytes.readUInt32LE(21);
      return {
        width: (size & 0x3f_ff) + 1,
        height: ((size >>> 14) & 0x3f_ff) + 1,
        isAnimated: false,
      };
    }
    case 'VP8 ':
      return {
        width: bytes.readUInt16LE(26) & 0x3f_ff,
        height: bytes.readUInt16LE(28) & 0x3f_ff,
        isAnimated: false,
      };
    default:
      throw new DamagedImage();
  }
}

const beginsWith = (sign: string, at = 0) => {
  const wanted = Buffer.from(sign, 'latin1');
  return (bytes: Buffer): boolean => bytes.subarray(at, at + wanted.length).equals(wanted);
};

const isRiff = beginsWith('RIFF');
const isWebp = beginsWith('WEBP', 8);

const FORMATS: readonly Format[] = [
  {
    type: 'image/png',
    begins: (bytes) => bytes.subarray(0, PNG_BEGINS.length).equals(PNG_BEGINS),
    read: readPng,
  },
  { type: 'image/jpeg', begins: beginsWith('\xff\xd8\xff'), read: readJpeg },
  { type: 'image/gif', begins: beginsWith('GIF89a'), read: readGif },
  { type: 'image/gif', begins: beginsWith('GIF87a'), read: readGif },
  { type: 'image/webp', begins: (bytes) => isRiff(bytes) && isWebp(bytes), read: readWebp },
];

// From where images are fetched: what people uploaded to GitHub, and nothing else.

/** Whether an address is that of a file which people uploaded to this GitHub. */
export type IsAttachment = (address: URL) => boolean;

interface ImageSource {
  /** Such as `https://github.com`. */
  readonly origin: string;
  /** How its paths begin. */
  readonly path: string;
}

const ATTACHMENTS = '/user-attachments/assets/';

/**
 * `private-user-images` has all that was uploaded since 2023, by addresses that are signed for five minutes;
 * `user-images` has what is older. An address on github.com itself leads to the bucket.
 */
const GITHUB: readonly ImageSource[] = [
  { origin: 'https://private-user-images.githubusercontent.com', path: '/' },
  { origin: 'https://user-images.githubusercontent.com', path: '/' },
  { origin: 'https://github.com', path: ATTACHMENTS },
  { origin: 'https://github-production-user-asset-6210df.s3.amazonaws.com', path: '/' },
];

/** With subdomain isolation, an Enterprise Server has `media.HOST` in place of `HOST/media`. */
function ofServer(url: string): readonly ImageSource[] {
  const { origin, protocol, host } = new URL(url);
  return [
    { origin, path: ATTACHMENTS },
    { origin, path: '/media/' },
    { origin: `${protocol}//media.${host}`, path: '/' },
  ];
}

/** `url`: GitHub's address for people, such as `https://github.com`. */
export function attachmentsOf(url: string): IsAttachment {
  const places = url === 'https://github.com' ? GITHUB : ofServer(url);
  return ({ origin, pathname, username, password }) =>
    username === '' &&
    password === '' &&
    places.some((place) => origin === place.origin && pathname.startsWith(place.path));
}
