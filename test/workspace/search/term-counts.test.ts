import { describe, expect, it } from '@jest/globals';
import { QuestionMatcher } from '../../../src/workspace/search/code/matcher.ts';
import { TermCounts } from '../../../src/workspace/search/code/scan.ts';

/** The terms of a question, each with how often a text contains it in each window that contains any. */
function countsOf(question: string, text: string): Record<string, number[]> {
  const matcher = new QuestionMatcher(question);
  const counts = new TermCounts(matcher).ofText(text);
  const { length } = matcher.terms;
  return Object.fromEntries(
    matcher.terms.map(({ stem }, term) => [stem, counts.filter((_, at) => at % length === term)]),
  );
}

describe('the count of a term', () => {
  it.each([
    ['retryDelay', 'retryDelay retry_delay retry-delay RETRY_DELAY retrydelay', { retri: [4], delai: [4], retrydelay: [5] }],
    ['retryDelay', 'MAX_RETRY_DELAY retryDelays', { retri: [2], delai: [2], retrydelay: [0] }],
    ['userName usernameHash', 'username_hash', { user: [0], name: [0], usernam: [1], hash: [1], username: [1], usernamehash: [1] }],
    ['userName hashUsername', 'hash_username', { user: [0], name: [0], hash: [1], usernam: [1], username: [1], hashusername: [1] }],
    ['parser', 'parse Parser parsers parsed', { parser: [3.2] }],
    ['numeric numbers', 'numEvents numbers numeric', { numer: [1], number: [1] }],
    ['apple', 'apple APPLE pineapple', { appl: [2] }],
    ['ab_c', `ab_c${'_'.repeat(400)} abC ${'x'.repeat(101)}_ab_c`, { ab: [3], abc: [2] }],
    ['größe', 'größe Größe', { größe: [2] }],
    ['bookkeeper', 'bookkeeper BookKeeper', { bookkeep: [1.6] }],
  ])('%j in %j is that of whole words and whole identifiers', (question, text, expected) =>
    expect(countsOf(question, text)).toEqual(expected)); // prettier-ignore

  it('is kept for each 1,024 characters with any term, in the order of the text', () => {
    const gap = ' '.repeat(1100);
    const text = `delay ${gap}${gap} retryDelay ${gap} retry`;
    expect(countsOf('retryDelay', text)).toEqual({
      retri: [0, 1, 1],
      delai: [1, 1, 0],
      retrydelay: [0, 1, 0],
    });
  });

  it('is in the order of the text also for an identifier that is one word there', () => {
    const text = `retrydelay${' '.repeat(1100)}delay`;
    expect(countsOf('retryDelay', text)).toEqual({
      retri: [0, 0],
      delai: [0, 1],
      retrydelay: [1, 0],
    });
  });

  it('decides how rare the term is, by windows of all texts', () => {
    const counts = new TermCounts(new QuestionMatcher('apple banana'));
    for (const text of ['apple', `apple${' '.repeat(2048)}banana`, '']) counts.ofText(text);
    expect(counts.frequencies).toEqual({ windows: 4, having: [2, 1] });
  });
});
