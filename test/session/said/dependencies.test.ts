import { describe, expect, it } from '@jest/globals';
import { baseNamedIn, dependenciesIn } from '../../../src/session/said/dependencies.ts';
import { expectLinear } from '../../support/growth.ts';

const said = (line: string) => ({ lines: [], hasMore: false, references: [line] });

describe('what work depends on', () => {
  it.each([
    ['Depends on #12', [12]],
    ['- Depends on: #12.', [12]],
    ['⛔ **Blocked by** #12', [12]],
    ['This issue depends on the pull request #12 (the parser).', [12]],
    ['Use tabs. This is based on #12!', [12]],
    ['It builds on top of PR #12, #13 and issue #14', [12, 13, 14]],
    ['Depends on #12, #12', [12]],
  ])('is said by "%s"', (line, numbers) => {
    expect(dependenciesIn(said(line))).toEqual(numbers);
  });

  it.each([
    'It does not depend on #12',
    'Not blocked by #12',
    'Does it depend on #12?',
    'Is based on #12?',
    'What #13 depends on, #12, is old',
    'It depends on #12 whether we do this',
    'Depends on other/repository#12',
    'Fixes #12',
    `Depends on #12${' '.repeat(400)}`,
  ])('is not said by "%s"', (line) => {
    expect(dependenciesIn(said(line))).toEqual([]);
  });

  it('takes time in proportion to the text', () => {
    const line = (size: number): string => `Depends on ${'#1 and '.repeat(size)}`.repeat(5);
    expectLinear((size) => expect(dependenciesIn(said(line(size)))).toEqual([]), 16_000);
  });
});

describe('the command', () => {
  it.each([
    ['/issuewright base #12', 12],
    ['/issuewright base this on the pull request #12, please', 12],
    ['@issuewright base it on #12', 12],
  ])('"%s" names a number that GitHub shows as a link', (line, number) => {
    expect(baseNamedIn(said(line))).toEqual([number]);
  });

  it('may name one that is no link', () => {
    expect(baseNamedIn({ lines: ['/issuewright base 99'], hasMore: false })).toEqual([99]);
  });
});
