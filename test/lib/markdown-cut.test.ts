import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cutMarkdown } from '../../src/lib/markdown-cut.ts';
import { splitCode } from '../../src/lib/markdown-code.ts';
import { hostile } from './support.ts';

const FENCE = '```';
const LIMIT = 4000;
const cut = (text: string): string => cutMarkdown(text, LIMIT, '\n\nCUT');

describe('a Markdown text that is cut', () => {
  it('is left alone where it is short, but for what it leaves open', () => {
    expect(cut('a\n')).toBe('a\n');
    expect(cut(`${FENCE}js\na`)).toBe(`${FENCE}js\na\n${FENCE}`);
    expect(cut('<details><summary>x</summary>\n\na')).toMatch(/a\n\n<\/details>$/);
  });

  it.each([
    ['a number', `1. ${FENCE}sh\n   x`, `   ${FENCE}`],
    ['two signs', `- a\n- - ~~~\n    x`, '    ~~~'],
  ])('has a block behind %s in a list closed there, unless it is', (_what, text, end) => {
    expect(cut(text)).toBe(`${text}\n${end}`);
    expect(cut(`${text}\n${end}`)).toBe(`${text}\n${end}`);
    expect(cut(`${text}\n\nNo code.`)).toBe(`${text}\n\nNo code.`);
  });

  it.each([
    ['between lines', `${'x'.repeat(50)}\n`.repeat(200), /x{50}\n\nCUT$/],
    ['between words', 'https://github.com/o/r '.repeat(300), /\/o\/r\n\nCUT$/],
    ['between signs that people see', '👨‍👩‍👧'.repeat(900), /👨‍👩‍👧\n\nCUT$/],
    ['behind a whole entity', `${'x'.repeat(3_787)}&quot;${'x'.repeat(900)}`, /x\n\nCUT$/],
    ['before a span of code', `a \`${'@x'.repeat(4000)}\``, /^a\n\nCUT$/],
    [
      'in a block, which is closed',
      `${FENCE}js\n${'one()\n'.repeat(2000)}${FENCE}`,
      /\)\n```\n\nCUT$/,
    ],
    [
      'in a block of a list, which is closed there',
      `- a\n\n  ${FENCE}\n${'  one()\n'.repeat(2000)}  ${FENCE}`,
      /\)\n {2}```\n\nCUT$/,
    ],
    [
      'in what folds, which is closed',
      `<details>\n\n${'x y\n'.repeat(2000)}\n</details>`,
      /y\n\n<\/details>\n\nCUT$/,
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
