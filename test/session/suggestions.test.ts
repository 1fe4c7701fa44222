import { describe, expect, it } from '@jest/globals';
import type { LineComment } from '../../src/contracts/shown-text.ts';
import { suggestionIn } from '../../src/github/reviews/review-comments.ts';
import { applySuggestions, placedSuggestion } from '../../src/app/run/suggestions.ts';

const fenced = (lines: string, fence = '```'): string =>
  `Try:\n\n${fence}suggestion\n${lines}${fence}\n`;

describe('the suggestion of a comment', () => {
  it.each([
    ['one line', fenced('two\n'), { lines: 'two\n' }],
    ['several lines, in a longer fence', fenced('a\n```\nb\n', '````'), { lines: 'a\n```\nb\n' }],
    ['no lines, which removes them', fenced(''), { lines: '' }],
    ['more than one', fenced('a\n') + fenced('b\n'), { unclear: 'several' }],
    ['what nobody sees', fenced('two\u202E\n'), { unclear: 'hidden' }],
  ])('may have %s', (_what, text, suggestion) => {
    expect(suggestionIn(text, text)).toEqual(suggestion);
  });

  it.each([
    ['in a comment', `<!--\n${fenced('two\n')}\n-->`],
    ['in a quotation', fenced('two\n').replaceAll(/^/gm, '> ')],
    ['in other code', `~~~\n${fenced('two\n')}~~~`],
    ['of another language', '```js\ntwo\n```'],
  ])('is none %s', (_where, text) => {
    expect(suggestionIn(text, text)).toBeUndefined();
  });

  it('counts only if people see the same', () => {
    expect(suggestionIn(fenced('two\n'), fenced('three\n'))).toEqual({ unclear: 'hidden' });
    expect(suggestionIn(fenced('two\n'), 'Try:')).toEqual({ unclear: 'hidden' });
  });
});

describe('suggestions', () => {
  const comment = (
    id: number,
    [from, to]: readonly [number, number],
    hunk: string,
    lines: string,
    rest: object = {},
  ): LineComment => ({
    path: 'a.ts',
    line: to,
    body: '',
    thread: {
      comment: id,
      root: id,
      ...(from === to ? {} : { firstLine: from }),
      side: 'new',
      hunk,
      isResolved: false,
      isOutdated: false,
      earlier: [],
      leftOut: 0,
      suggestion: { lines },
      ...rest,
    },
  });
  const HUNK = '@@ -1,2 +1,3 @@\n one\n-old\n+two\n+three';
  const apply = (text: string, ...comments: readonly LineComment[]) => {
    const placed = comments.map((one) => placedSuggestion(one));
    const usable = placed.flatMap((one) => (typeof one === 'object' ? [one] : []));
    expect(usable).toHaveLength(comments.length);
    const { text: after, outcomes } = applySuggestions(text, usable);
    return [after, Object.fromEntries(outcomes)];
  };

  it('replace the lines that they are on', () => {
    const text = 'one\ntwo\nthree\nfour\n';
    expect(apply(text, comment(1, [2, 3], HUNK, '2\n'))).toEqual([
      'one\n2\nfour\n',
      { 1: 'applied' },
    ]);
    expect(apply(text, comment(1, [3, 3], HUNK, ''))).toEqual([
      'one\ntwo\nfour\n',
      { 1: 'applied' },
    ]);
    expect(
      apply(text, comment(1, [2, 2], '@@\n one\n+two', '2\n2\n'), comment(2, [3, 3], HUNK, '3\n')),
    ).toEqual(['one\n2\n2\n3\nfour\n', { 1: 'applied', 2: 'applied' }]);
  });

  it('keep the line breaks of the file, or that there is none at its end', () => {
    const crlf = 'one\r\ntwo\r\nthree\r\n';
    expect(apply(crlf, comment(1, [3, 3], HUNK, '3\n'))[0]).toBe('one\r\ntwo\r\n3\r\n');
    expect(apply('one\ntwo\nthree', comment(1, [3, 3], HUNK, '3\n'))[0]).toBe('one\ntwo\n3');
  });

  it('are left alone if the lines are others by now, or another suggestion has them', () => {
    const text = 'one\n2\nthree\n';
    expect(apply(text, comment(1, [2, 3], HUNK, 'x\n'))).toEqual([text, { 1: 'changed' }]);
    expect(apply('one\n', comment(1, [2, 3], HUNK, 'x\n'))).toEqual(['one\n', { 1: 'changed' }]);
    const both = [comment(1, [2, 3], HUNK, 'x\n'), comment(2, [3, 3], HUNK, 'y\n')];
    const [after, outcomes] = apply('one\ntwo\nthree\n', ...both);
    expect([after, outcomes]).toEqual(['one\nx\n', { 1: 'applied', 2: 'overlaps' }]);
  });

  it.each([
    ['on the old version', { side: 'old' }],
    ['on lines that were changed since', { isOutdated: true }],
    ['with more lines than the diff shows', { firstLine: -3 }],
  ])('fit nowhere %s', (_which, rest) => {
    expect(placedSuggestion(comment(1, [2, 3], HUNK, 'x\n', rest))).toBe('changed');
  });
});
