import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { imageHeader } from '../../../src/github/images/fetch-image.ts';
import { cases } from '../../support/cases.ts';
import { gif, jpeg, png, webp } from '../../support/images.ts';

const IMAGES: readonly [string, Buffer][] = [
  ['image/png', png(640, 480)],
  ['image/jpeg', jpeg(640, 480)],
  ['image/gif', gif(640, 480)],
  ['image/webp', webp.extended(640, 480)],
  ['image/webp', webp.lossless(640, 480)],
  ['image/webp', webp.lossy(640, 480)],
];

describe('the header of an image', () => {
  it.each(IMAGES)('says what it is and how large: %s, case %#', (type, image) => {
    expect(imageHeader(image)).toEqual({
      type,
      width: 640,
      height: 480,
      isAnimated: false,
      length: image.length,
    });
  });

  it.each<[string, Buffer]>([
    ['GIF', gif(3, 2, { frames: 2 })],
    ['WebP', webp.extended(3, 2, 2)],
    ['PNG', png(3, 2, { isAnimated: true })],
  ])('says that it moves: %s', (_name, image) => {
    expect(imageHeader(image)).toMatchObject({ isAnimated: true });
  });

  it.each([
    ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['a page', '<!doctype html><html></html>'],
    ['BMP', 'BM\0\0\0\0'],
    ['another RIFF file', 'RIFF\x04\0\0\0WAVE'],
    ['nothing', ''],
    ['the beginning of a sign', '\x89PN'],
  ])('is that of no image that is read: %s', (_name, content) => {
    expect(imageHeader(Buffer.from(content, 'latin1'))).toBe('unknown');
  });

  it.each<[string, Buffer]>([
    ['PNG without a width', png(0, 2)],
    ['JPEG without a height', jpeg(3, 0)],
    ['GIF without a frame', gif(3, 2, { frames: 0 })],
    ['GIF with a frame that is larger than itself', gif(3, 2, { frameWidth: 60_000 })],
    [
      'PNG with a chunk that has no end',
      Buffer.concat([png().subarray(0, 33), Buffer.alloc(8, 0xff)]),
    ],
    ['JPEG without a size', Buffer.from('ffd8ffda000201ffd9', 'hex')],
    ['JPEG with something between its segments', Buffer.from('ffd8ffe00004000012345678', 'hex')],
  ])('is damaged: %s', (_name, image) => {
    expect(imageHeader(image)).toBe('damaged');
  });

  it('says where the image ends, whatever follows it', () => {
    const ends = ['ffd9', '49454e44ae426082', '3b', '0021', '5249464604000000'].map((hex) =>
      Buffer.from(hex, 'hex'),
    );
    const more = fc.array(
      fc.oneof(
        fc.uint8Array({ maxLength: 40 }),
        fc.constantFrom(...ends, ...IMAGES.map(([, image]) => image)),
      ),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...IMAGES), more, ([, image], behind) => {
        const header = imageHeader(Buffer.concat([image, ...behind]));
        expect(header).toEqual({ ...(imageHeader(image) as object), length: image.length });
      }),
      { numRuns: cases(1000, 10_000) },
    );
  });

  it('does not take a byte of the pixels of a JPEG for its end', () => {
    const image = jpeg(640, 480);
    const end = image.length - 2;
    const pixels = Buffer.from('ff00ffd0ffd7d912ffd7', 'hex');
    const whole = Buffer.concat([image.subarray(0, end), pixels, image.subarray(end)]);
    expect(imageHeader(whole)).toMatchObject({ width: 640, length: whole.length });
  });

  it('is damaged or unknown wherever a file is cut', () => {
    for (const [, image] of IMAGES)
      for (let length = 0; length < image.length; length += 1)
        expect(['damaged', 'unknown']).toContain(imageHeader(image.subarray(0, length)));
  });

  it('is read of any bytes behind the sign of a format', () => {
    const signs = IMAGES.map(([, image]) => image.subarray(0, 16));
    for (const sign of signs)
      for (let value = 0; value < 256; value += 1)
        expect(() => imageHeader(Buffer.concat([sign, Buffer.alloc(300, value)]))).not.toThrow();
  });
});
