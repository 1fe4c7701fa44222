import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutBytes, cutCharacters, cutWords } from '../../src/lib/text/text.ts';

describe('cutting a text', () => {
  it('leaves a text that fits as it is', () => {
    expect(cutCharacters('whole', 5, '…')).toBe('whole');
    expect(cutBytes('ganz schön', 11, '…')).toBe('ganz schön');
  });

  it('counts the mark and never splits a code point', () => {
    expect(cutCharacters('abcdef', 4, '…')).toBe('abc…');
    expect(cutCharacters('ab🙂cd', 4, '…')).toBe('ab…');
    expect(cutBytes('ab🙂cd', 6, '.')).toBe('ab.');
    expect(cutBytes('ab🙂cdefgh', 9, '…')).toBe('ab🙂…');
  });

  it('falls after a sentence, or between words, if that keeps more than half', () => {
    expect(cutWords('It is short.', 20)).toBe('It is short.');
    expect(cutWords('It was denied. An administrator fixes it.', 27)).toBe('It was denied. …');
    expect(cutWords('No. An administrator of this place fixes it.', 30)).toBe(
      'No. An administrator of …',
    );
    expect(cutWords('a'.repeat(40), 30)).toBe(`${'a'.repeat(29)}…`);
  });

  it('keeps every text within its limit, and well-formed', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.integer({ min: 4, max: 40 }),
        (text, limit) => {
          const characters = cutCharacters(text, limit, '…');
          const bytes = cutBytes(text, limit, '…');
          expect(cutWords(text, limit).length).toBeLessThanOrEqual(limit);
          expect(characters.length).toBeLessThanOrEqual(limit);
          expect(Buffer.byteLength(bytes)).toBeLessThanOrEqual(limit);
          expect(characters.isWellFormed() && bytes.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});
