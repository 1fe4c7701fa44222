import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hunksBetween, hunksIn } from '../../src/lib/text/unified-diff.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { expectLinear } from '../support/growth.ts';

const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}`);
const lines = (...all: (string | string[])[]): string =>
  all
    .flat()
    .map((l) => `${l}\n`)
    .join('');

/** Lines from so few words that many are equal; with and without an end. */
const text = fc
  .tuple(
    fc.array(fc.constantFrom('a', 'b', 'c', '', '}', '\r', 'é'), { maxLength: 25 }),
    fc.boolean(),
  )
  .map(([all, ends]) => all.join('\n') + (ends && all.length > 0 ? '\n' : ''));

describe('a unified diff', () => {
  it('has three lines around each change, and its place in both texts', () => {
    const before = lines(numbers(1, 20));
    const after = lines(numbers(1, 4), 'five', numbers(6, 16), 'new', numbers(17, 20));
    expect(hunksBetween(before, after)).toEqual({
      text:
        '@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n' +
        '@@ -14,6 +14,7 @@\n 14\n 15\n 16\n+new\n 17\n 18\n 19\n',
      added: 2,
      removed: 1,
    });
  });

  it('joins changes whose surroundings meet', () => {
    const { text: near } = hunksBetween(
      lines(numbers(1, 9)),
      lines('one', numbers(2, 7), 'eight', '9'),
    );
    expect(near.match(/^@@/gm)).toHaveLength(1);
  });

  it('says if the end of the last line is missing', () => {
    expect(hunksBetween('a\nb', 'a\nb\n').text).toBe(
      '@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n',
    );
  });

  it.each([
    ['', 'a\nb\n', '@@ -0,0 +1,2 @@\n+a\n+b\n'],
    ['a\n', '', '@@ -1 +0,0 @@\n-a\n'],
    ['a\n', 'a\n', ''],
  ])('of %j and %j is right at the edges', (before, after, hunks) => {
    expect(hunksBetween(before, after).text).toBe(hunks);
  });

  it('is what git applies, whatever the texts', () => {
    const directory = temporaryDirectory();
    const file = join(directory, 'file');
    const git = (input: string): Buffer =>
      execFileSync('git', ['apply', '--whitespace=nowarn', '-'], {
        cwd: directory,
        input,
        stdio: 'pipe',
      });
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== '' && after !== '' && before !== after);
        writeFileSync(file, before);
        git(`--- a/file\n+++ b/file\n${hunksBetween(before, after).text}`);
        expect(readFileSync(file, 'utf8')).toBe(after);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the comparison of lines', () => {
  const some = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 });

  it('removes and adds as few lines as possible', () => {
    fc.assert(
      fc.property(some, some, (before, after) => {
        const { added, removed } = hunksBetween(lines(before), lines(after));
        const common = commonLength(before, after);
        expect([removed, added]).toEqual([before.length - common, after.length - common]);
      }),
      { numRuns: 300 },
    );
  });

  it('replaces everything between the common start and end of texts that are far apart, and soon', () => {
    expectLinear((length) => {
      const before = Array.from({ length }, (_, index) => `old ${index}`);
      const after = Array.from({ length }, (_, index) => `new ${index}`);
      const { text, added, removed } = hunksBetween(
        lines('same', before, 'end'),
        lines('same', after, 'end'),
      );
      expect([removed, added]).toEqual([length, length]);
      const range = `1,${length + 2}`;
      expect(text).toBe(
        `@@ -${range} +${range} @@\n same\n-${before.join('\n-')}\n+${after.join('\n+')}\n end\n`,
      );
    }, 65_536);
  });

  it('shows more than 1,000 lines that were inserted as inserted', () => {
    const block = Array.from({ length: 1500 }, (_, index) => `new ${index}`);
    const { text, added, removed } = hunksBetween(
      lines(numbers(1, 20)),
      lines(numbers(1, 10), block, numbers(11, 20)),
    );
    expect([removed, added]).toEqual([0, 1500]);
    expect(text).toMatch(/^@@ -8,6 \+8,1506 @@\n 8\n 9\n 10\n\+new 0\n/);
  });

  it('says if the end of the last line is missing in texts that are far apart', () => {
    const block = Array.from({ length: 1500 }, (_, index) => `new ${index}`);
    const { text } = hunksBetween('old', lines(block));
    expect(text).toMatch(/^@@ -1 \+1,1500 @@\n-old\n\\ No newline at end of file\n\+new 0\n/);
    expect(hunksBetween('', lines(block)).text).toMatch(/^@@ -0,0 \+1,1500 @@\n/);
  });
});

/** The length of the longest common subsequence, by the textbook. */
function commonLength(one: readonly string[], other: readonly string[]): number {
  let row = Array.from({ length: other.length + 1 }, () => 0);
  for (const line of one) {
    const next = [0];
    for (const [index, candidate] of other.entries())
      next.push(
        line === candidate
          ? (row[index] ?? 0) + 1
          : Math.max(next[index] ?? 0, row[index + 1] ?? 0),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}

describe('hunks of others', () => {
  it('are read although empty lines at their end are missing, as in patches from GitHub', () => {
    const text = '@@ -1,4 +1,5 @@ title\n # Changes\n+New.\n \n ## 1.2';
    const second = '@@ -20,2 +21 @@\n-gone\n kept\n\\ No newline at end of file\n';
    expect(hunksIn(`${text}\n${second}`)).toEqual([
      { oldStart: 1, newStart: 1, lines: [' # Changes', '+New.', ' ', ' ## 1.2'] },
      { oldStart: 20, newStart: 21, lines: ['-gone', ' kept'] },
    ]);
    expect(hunksIn('no hunk')).toEqual([]);
  });
});
