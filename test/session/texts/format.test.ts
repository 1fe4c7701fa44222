import { describe, expect, it } from '@jest/globals';
import { code, oneLine } from '../../../src/session/texts/markdown.ts';
import { cost, duration, tokens } from '../../../src/session/texts/format.ts';

describe('durations', () => {
  it.each([
    [-5, '0 s'],
    [420, '0.4 s'],
    [8000, '8 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [192_000, '3 min 12 s'],
    [3_840_000, '1 h 4 min'],
    [183_600_000, '2 d 3 h'],
  ])('%d ms read as %s', (milliseconds, words) => {
    expect(duration(milliseconds)).toBe(words);
  });
});

describe('token counts', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1000, '1k'],
    [12_345, '12.3k'],
    [999_949, '999.9k'],
    [999_950, '1M'],
    [1_240_000, '1.2M'],
  ])('%d read as %s', (count, words) => {
    expect(tokens(count)).toBe(words);
  });
});

describe('costs', () => {
  it.each([
    [0, false, '$0.00'],
    [0.004, false, 'less than $0.01'],
    [0.42, false, '$0.42'],
    [0, true, 'price unknown'],
    [0.004, true, 'price unknown'],
    [0.42, true, 'at least $0.42 (some prices are unknown)'],
  ])('of $%f, partial: %s, read as %s', (amount, isPartial, words) => {
    expect(cost({ dollars: amount, isPartial })).toBe(words);
  });
});

describe('text on one line', () => {
  it('keeps code as code and shows all other Markdown as text', () => {
    expect(oneLine('a `<!-- b` <!-- c')).toBe('a `‹!-- b` &lt;!-- c');
    expect(oneLine('Fix `a_b` in __init__ [x](y) <b>')).toBe(
      String.raw`Fix ${'`a_b`'} in \_\_init\_\_ \[x\](y) &lt;b>`,
    );
  });

  it('is cut at 120 characters, never within a sign', () => {
    expect(oneLine('😀'.repeat(200))).toBe(`${'😀'.repeat(59)}…`);
  });
});

describe('code on one line', () => {
  it('holds backticks without ending at them', () => {
    expect(code('a`b``c')).toBe('```a`b``c```');
    expect(code('`a')).toBe('`` `a ``');
    expect(code('a\n`````b')).toBe("`a '''''b`");
  });
});
