import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { splitCode } from '../../../src/github/text/code-ranges.ts';
import { cutMarkdown } from '../../../src/github/text/safe.ts';
import { hostile } from '../../lib/support.ts';

const FENCE = '```';
const LIMIT = 4000;
const cut = (text: string): string => cutMarkdown(text, { limit: LIMIT }).text;

describe('a Markdown text that is cut', () => {
  it('is left alone if it is short, except that what it leaves open is closed', () => {
    expect(cut('a\n')).toBe('a\n');
    expect(cut(`${FENCE}js\na`)).toBe(`${FENCE}js\na\n${FENCE}`);
    expect(cut('<details><summary>x</summary>\n\na')).toMatch(/a\n\n<\/details>$/);
  });

  it.each([
    ['behind a number', `1. ${FENCE}sh\n   x`],
    ['behind two signs', `- a\n- - ~~~\n    x`],
    ['in a quotation', `> ${FENCE}\n> x`],
    ['closed', `${FENCE}\nx\n${FENCE}`],
    ['before the addresses of links', `${FENCE}\nx\n${FENCE}\n\n[a]: b.md`],
    ['closed by more signs', `${FENCE}\nx\n${FENCE}${FENCE}`],
  ])('needs no end for a block %s: it ends with its container', (_what, text) => {
    expect(cut(text)).toBe(text);
  });

  it.each([
    ['a line of other signs', `${FENCE}\n~~~`, FENCE],
    ['fewer signs', `~~~~\nx\n~~~`, '~~~~'],
    ['nothing but its first line', FENCE, FENCE],
  ])('has its block closed behind %s', (_what, text, end) => {
    expect(cut(text)).toBe(`${text}\n${end}`);
  });

  it.each([
    ['between lines', `${'x'.repeat(50)}\n`.repeat(200), /(?:x{50}\n)+x{50}$/],
    ['between words', 'https://github.com/o/r '.repeat(300), /\/o\/r$/],
    ['between signs that people see', '👨‍👩‍👧'.repeat(900), /👨‍👩‍👧$/],
    ['behind a whole entity', `${'x'.repeat(3_797)}&quot;${'x'.repeat(900)}`, /x$/],
    ['between blocks', `${'word '.repeat(700)}\n\n${'x'.repeat(1000)}`, /word$/],
    ['in a block, which is closed', `${FENCE}js\n${'one()\n'.repeat(2000)}${FENCE}`, /\)\n```$/],
    [
      'in a block of a list, which ends with it',
      `- a\n\n  ${FENCE}\n${'  one()\n'.repeat(2000)}  ${FENCE}`,
      / {2}one\(\)$/,
    ],
    [
      'in what folds, which is closed',
      `<details>\n\n${'x y\n'.repeat(2000)}\n</details>`,
      /y\n\n<\/details>$/,
    ],
  ])('is cut %s', (_where, text, end) => {
    expect(cut(text)).toMatch(end);
    expect(cut(text).length).toBeLessThanOrEqual(LIMIT);
  });

  it('keeps to the limit, and opens nothing', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const short = cut(text.repeat(Math.ceil(6000 / (text.length + 1))));
        expect(short.length).toBeLessThanOrEqual(LIMIT);
        expect(short.isWellFormed() || !text.isWellFormed()).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('code and prose', () => {
  it('are the text, in pieces', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const pieces = splitCode(text);
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });
});
