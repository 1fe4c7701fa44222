import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OutputKeeper } from '../src/running/supervise.ts';

function keep(chunks: readonly Uint8Array[]): {
  kept: ReturnType<OutputKeeper['finish']>;
  streamed: string;
} {
  let streamed = '';
  const keeper = new OutputKeeper((text) => (streamed += text));
  for (const chunk of chunks) keeper.take(Buffer.from(chunk));
  return { kept: keeper.finish(), streamed };
}

it('is kept whole up to 32 KB', () => {
  const text = 'a'.repeat(32_768);
  expect(keep([Buffer.from(text)]).kept).toEqual({ head: text, tail: '', left: 0 });
});

it('is cut between characters, and what was cut out is counted', () => {
  const text = 'é€𝄞'.repeat(20_000);
  const { head, tail, left } = keep([Buffer.from(text)]).kept;
  expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
  expect(Buffer.byteLength(head) + left + Buffer.byteLength(tail)).toBe(Buffer.byteLength(text));
});

it('is the same however it comes in pieces, also in the middle of a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 7 }), (unit, size) => {
      const bytes = Buffer.from((unit || 'x').repeat(3000));
      const pieces = Array.from({ length: Math.ceil(bytes.length / (size * 999)) }, (_, index) =>
        bytes.subarray(index * size * 999, (index + 1) * size * 999),
      );
      expect(keep(pieces)).toEqual(keep([bytes]));
      expect(keep(pieces).streamed).toBe(bytes.toString());
    }),
    { numRuns: 50 },
  );
});

it('may be no text at all', () => {
  const bytes = Buffer.alloc(100_000, 0xbf);
  const { head, tail, left } = keep([bytes]).kept;
  expect(head.length + tail.length).toBeLessThanOrEqual(32_768);
  expect(left).toBeGreaterThan(60_000);
});
