import { describe, expect, it } from '@jest/globals';
import { readPattern } from '../../../src/workspace/search/lines/pattern.ts';

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
