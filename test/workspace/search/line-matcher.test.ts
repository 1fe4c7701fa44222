import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LineMatcher } from '../../../src/workspace/search/lines/line-tasks.ts';
import { readPattern } from '../../../src/workspace/search/lines/pattern.ts';

const linesOf = (pattern: string, text: string, context = 0, max = 1000) =>
  new LineMatcher(readPattern(pattern, false)).search(Buffer.from(text), context, max);
const numbers = (pattern: string, text: string) =>
  linesOf(pattern, text).map(({ number }) => number);

describe('the lines that match', () => {
  it('are those that match when each is tried alone', () => {
    const piece = fc.constantFrom('a', 'b', 'ab', ' ', '\n', '\r\n', '\n\n', 'é', '😀', 'aa');
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    const pattern = fc.constantFrom(
      'a', '^a', 'a$', '^$', 'a\\s', '\\s', '[^a]', 'ab', 'a(?!b)', '(?<!a)b', 'b(?=\\s)', '\\ba\\b', '.', '^.$',
      '\\Bb', 'a(?!\\s)', '(?<=\\s)a', '[^]b', 'é', '\\p{L}$', '(?<!\\s)b',
    ); // prettier-ignore
    fc.assert(
      fc.property(pattern, text, (source, content) => {
        const { flags } = readPattern(source, false);
        const lines = content.split('\n').map((line) => line.replace(/\r$/, ''));
        if (lines.at(-1) === '') lines.pop();
        const alone = lines.flatMap((line, index) =>
          new RegExp(source, flags).test(line) ? [index + 1] : [],
        );
        expect(numbers(source, content)).toEqual(alone);
      }),
      { numRuns: 500 },
    );
  });

  it('are found in long files, and in the last line without an end', () => {
    expect(numbers('needle', `${'x\n'.repeat(100_000)}a needle`)).toEqual([100_001]);
  });

  it('are those without a byte order mark', () => {
    expect(numbers('^a$', '\ufeffa\nb')).toEqual([1]);
  });

  it('are not found in binary files', () => {
    expect(numbers('a', 'a\n\0')).toEqual([]);
  });

  it('end at so many, and come with the lines around them, each once', () => {
    const found = linesOf('x', 'x\nx\n1\n2\nx\n', 1, 2);
    expect(found.map(({ number, matches }) => [number, matches])).toEqual([
      [1, true],
      [2, true],
      [3, false],
    ]);
  });
});
