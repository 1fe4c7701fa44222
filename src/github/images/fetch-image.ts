import { createHash } from 'node:crypto';
import type { StoredImage } from '../../contracts/image.ts';
import type { IsAttachment } from './attachment-hosts.ts';
import { imageHeader, type ImageHeader } from './image-header.ts';

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
