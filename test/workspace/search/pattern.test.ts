import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readPattern } from '../../../src/workspace/search/lines/pattern.ts';
import { requiredLiteral } from '../../../src/workspace/search/lines/required-literal.ts';

describe('an invalid pattern', () => {
  it.each([
    ['a(b', '"(" is never closed, at character 2', '(b'],
    ['(a)(?:b', '"(" is never closed, at character 4', '(?:b'],
    ['a)', '")" closes nothing, at character 2', ')'],
    ['(x|[a-z)', '"[" is never closed, at character 4', '[a-z)'],
    ['a**', 'Nothing to repeat, at character 3', '*'],
    ['?', 'Nothing to repeat, at character 1', '?'],
    ['[z-a]', 'Range out of order in character class, at character 4', 'a]'],
    ['a{3,1}', 'numbers out of order in {} quantifier', ''],
    ['(?i)a(', '"(" is never closed, at character 6', '('],
    ['\\Ax', '\\A is not supported, at character 1', '\\Ax'],
    ['[[:alpha:]]', 'there are no classes such as [:space:]', ''],
  ])('%j is invalid, with the reason and the place', (pattern, reason, from) => {
    let message = '';
    try {
      readPattern(pattern, false);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(reason);
    expect(message).toContain(from === '' ? ', at character' : `: ${JSON.stringify(from)}. Put`);
  });
});

describe('a pattern', () => {
  it.each([
    ['(?i)Foo', false, 'i'],
    ['Foo', true, 'i'],
    ['\\p{Lu}+', false, 'u'],
    ['\\u{1f600}', true, 'iu'],
    ['foo\\(\\) {', false, ''],
    ['\\"\\-\\_\\<', false, ''],
  ])('%j, case ignored: %j, has the flags "%s"', (pattern, ignoreCase, flags) => {
    expect(readPattern(pattern, ignoreCase).flags).toBe(flags);
  });
});

const LITERALS: readonly [source: string, literal: string][] = [
  ['needle', 'needle'],
  ['const \\w+Request = order\\.', 'Request = order.'],
  ['foo\\(\\) {', 'foo() '],
  ['colou?r', 'colo'],
  ['colors*', 'color'],
  ['xab+cd', 'xa'],
  ['foo{2}bar', 'bar'],
  ['(?:abc|def)ghi', 'ghi'],
  ['[abc]def[)(]xy', 'def'],
  ['^import .* from', 'import '],
  ['\\bword\\b', 'word'],
  ['a\\+b\\*c', 'a+b*c'],
];
const NONE = [
  'a|b',
  'foo|bar',
  '.',
  'x',
  '\\w+',
  '(foo)',
  '(foo)?',
  '\\x41\\x42',
  '\\u0041b',
  'a?b?',
];

describe('the literal that a pattern requires', () => {
  it.each([...LITERALS, ...NONE.map((source): [string, string] => [source, ''])])(
    'of %j is %j',
    (source, literal) => expect(requiredLiteral(source)).toBe(literal),
  );

  it('occurs in everything that matches', () => {
    const source = fc
      .array(
        fc.constantFrom(
          'ab',
          'c',
          'd?',
          'e*',
          'f+',
          '(gh|i)',
          '[jk]',
          '\\.',
          'l{2}',
          '\\d',
          '.',
          'mn',
        ),
        { minLength: 1, maxLength: 8 },
      )
      .map((pieces) => pieces.join(''));
    const matching = source.chain((one) =>
      fc.tuple(fc.constant(one), fc.stringMatching(new RegExp(`^${one}$`))),
    );
    fc.assert(
      fc.property(matching, ([one, text]) => {
        expect(text).toContain(requiredLiteral(one));
      }),
      { numRuns: 300 },
    );
  });
});
